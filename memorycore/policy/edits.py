"""Telling an edited entry from a new one."""

from collections.abc import Mapping
from difflib import SequenceMatcher

from memorycore.policy.text import fold

EDIT_RATIO = 0.6
"""Share of common characters from which a text counts as an edit of another; `difflib`'s own rule of thumb."""

_LONGEST = 2000


def edited_from(text: str, candidates: Mapping[str, str]) -> str | None:
    """Return the key of the candidate that `text` is plainly an edit of, the nearest one, or None.

    Args:
        text: The text that is new.
        candidates: Texts that are gone, by key.
    """
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(fold(text)[:_LONGEST])
    best, found = EDIT_RATIO, None
    for key, candidate in candidates.items():
        matcher.set_seq1(fold(candidate)[:_LONGEST])
        if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < best:
            continue
        ratio = matcher.ratio()
        if ratio >= best:
            best, found = ratio, key
    return found
