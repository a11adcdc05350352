"""Whether a stored text says all that a leaving text said."""

import re
import unicodedata

from memorycore.policy.text import canonical

_TELLING = re.compile(r"[^\s,;，。；、！？()（）\[\]【】\"'`<>«»“”]+")
_EDGES = ".:!?：…"


def telling_parts(text: str) -> set[str]:
    """Return the parts no paraphrase may change: numbers, paths, addresses, identifiers; folded."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = (word.strip(_EDGES) for word in _TELLING.findall(folded))
    numbers = set(re.findall(r"\d+", folded))
    return numbers | {word for word in words if word.isascii() and _identifies(word)}


def covers(stored: str, text: str) -> bool:
    """Tell whether `stored` is `text`, or holds every number and identifier of it."""
    if canonical(stored) == canonical(text):
        return True
    folded = unicodedata.normalize("NFKC", stored).casefold()
    return all(part in folded for part in telling_parts(text))


def _identifies(word: str) -> bool:
    return any(mark in word.strip("-") for mark in "/_@.\\") and any(map(str.isalnum, word))
