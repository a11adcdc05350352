"""Whether a text is about one kind of task: its label names one, or it opens with one."""

import re

from memorycore.policy.markers import Lexicon, fold_for_matching
from memorycore.policy.overflow.labels import label_of

OPENING = 12
"""Characters within which an opening counts; Chinese, Japanese and Korean put the marker behind the topic."""

SCOPE_FEATURES = ("scope_label", "scope_topic_label", "scope_opening", "scope_profile_field")
"""Names of what `scope_features` returns."""

_PROFILE_FIELD = re.compile(r"^\s*\*\*[^*\n]{1,40}[:：]?\*\*\s*[:：]?\s*\S")
_BLANK_FIELD = re.compile(
    r"^(?:[^\n:：*]{1,40}[:：]\s*)?(?:\*\*[^*\n]{1,40}\*\*\s*[:：]?\s*)?"
    r"(?:_\([^)\n]*\)_|\(optional\)|-{3,}|_{3,}|\.{3,}|<[a-z_ ]+>)\s*$",
    re.IGNORECASE,
)
_GENERAL = (
    "identity", "interaction", "rule", "redline", "correction", "rule_label", "general_label",
)  # fmt: skip


def scope_features(text: str, lexicon: Lexicon) -> dict[str, float]:
    """Return what shows the scope of `text`, as features of 0 or 1."""
    label, _ = label_of(text)
    seen = (
        bool(label),
        bool(label) and names_topic(label, lexicon),
        opens_with_topic(text, lexicon),
        is_profile_field(text),
    )
    return dict(zip(SCOPE_FEATURES, map(float, seen), strict=True))


def is_profile_field(text: str) -> bool:
    """Tell whether `text` is a field of a profile template, such as `**Role:** carpenter`."""
    return _PROFILE_FIELD.match(text) is not None and not is_blank_field(text)


def is_blank_field(text: str) -> bool:
    """Tell whether `text` is a template's field that nobody filled in, such as `**Pets:** _(if any)_`."""
    return _BLANK_FIELD.match(text.strip()) is not None


def opens_with_topic(text: str, lexicon: Lexicon) -> bool:
    """Tell whether `text` begins as one about a task does (`For slide decks …`)."""
    openings = lexicon.hits("topic_opening", text)
    return bool(openings) and openings[0].start <= OPENING


def names_topic(label: str, lexicon: Lexicon) -> bool:
    """Tell whether a label names a task: `Slide taste` does, `Taste` and `Tone` do not."""
    if any(lexicon.has(section, label) for section in _GENERAL):
        return False
    folded = fold_for_matching(label)
    rest = folded
    for hit in reversed(lexicon.hits_folded("preference", folded)):
        rest = rest[: hit.start] + rest[hit.end :]
    return sum(map(str.isalnum, rest)) >= 2
