"""How warm a needed entry is: whether any turn may need it, or only turns about one topic.

The classifier calls a working rule hot whether it concerns every answer or slide decks only. Under hard pressure
the difference matters: what opens with its topic is found again by recall when that topic comes up.
"""

from memorycore.model.routing import Classification, Target
from memorycore.policy.markers import Lexicon
from memorycore.policy.overflow.facts import NEEDED_SHARE, Warmth
from memorycore.policy.overflow.labels import label_of
from memorycore.policy.overflow.scope import (
    is_blank_field,
    is_profile_field,
    names_topic,
    opens_with_topic,
)
from memorycore.policy.structure import read_structure

IDENTITY_LIMIT = 160
"""Longest text, in characters, whose identity words are taken for who the user is; longer ones tell stories."""

DOUBT = 0.75
"""Below this share the classifier is not sure that a text without a word of behaviour is needed every turn."""


def tells_identity(text: str, lexicon: Lexicon) -> bool:
    """Tell whether an entry of USER.md says who the user is."""
    short = len(text) <= IDENTITY_LIMIT and not is_blank_field(text)
    return short and (is_profile_field(text) or lexicon.has("identity", text))


def warmth_of(text: str, found: Classification, lexicon: Lexicon, *, target: Target) -> Warmth:
    """Return which turns need `text`.

    Args:
        text: An entry that the classifier calls hot and does not hold fast.
        found: What the classifier says of it; when it knows how likely every turn needs the text, that decides.
        lexicon: Marker words of all languages.
        target: The entry's file; in USER.md even technical details are the user's.
    """
    if found.needed is not None:
        return Warmth.LOOKED_UP if found.needed < NEEDED_SHARE else Warmth.NEEDED
    confidence = found.confidence
    if is_profile_field(text):
        return Warmth.NEEDED
    if target is Target.MEMORY and _is_looked_up(text, confidence, lexicon):
        return Warmth.LOOKED_UP
    return Warmth.TOPICAL if _is_topical(text, confidence, lexicon) else Warmth.NEEDED


def _is_looked_up(text: str, confidence: float, lexicon: Lexicon) -> bool:
    return _is_technical(text, lexicon) or _is_doubtful(text, confidence, lexicon)


def _is_doubtful(text: str, confidence: float, lexicon: Lexicon) -> bool:
    behaves = ("preference", "interaction", "identity")
    return confidence < DOUBT and not any(lexicon.has(section, text) for section in behaves)


def _is_topical(text: str, confidence: float, lexicon: Lexicon) -> bool:
    if lexicon.has("identity", text):
        return False
    label, _ = label_of(text)
    if label:
        return names_topic(label, lexicon)
    if lexicon.has("interaction", text):
        return False
    return _is_doubtful(text, confidence, lexicon) or opens_with_topic(text, lexicon)


def _is_technical(text: str, lexicon: Lexicon) -> bool:
    """Tell whether a rule is about a machine: it names a path, address, code or amount, and nobody's taste.

    Working rules of that kind serve one tool or project.
    """
    structure = read_structure(text, target=Target.MEMORY, lexicon=lexicon)
    behaves = lexicon.has("preference", text) or lexicon.has("redline", text)
    return bool(structure["hard_fact"]) and not behaves
