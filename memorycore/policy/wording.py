"""The words of memories, compared by stem."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memorycore.policy.stems import stem
from memorycore.policy.text import fold, has_cjk
from memorycore.policy.topics import POSSESSIVE, WORD


@dataclass(frozen=True, slots=True)
class Spoken:
    """A memory as a request sees it: its text, and older texts it took the place of."""

    key: str
    text: str
    earlier: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the text and the earlier ones."""
        return (self.text, *self.earlier)


def word_share(words: Sequence[str], item: Spoken) -> float:
    """Return the share of `words` that the memory or one it replaced holds, compared by stem."""
    if not words:
        return 0.0
    stems = frozenset(stems_of(" ".join(item.texts)))
    text = fold(" ".join(item.texts))
    hits = sum(_has_word(word, stems, text) for word in words)
    return hits / len(words)


def without_subject(text: str, subject: Sequence[str]) -> str:
    """Return `text` without the words of the subject, so that similarity is about what is said of it."""
    for word in subject:
        edge = r"" if has_cjk(word) else r"\b"
        text = re.sub(rf"{edge}{re.escape(word)}{edge}(?:[’']s)?", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split()).strip(" ,;:、，") or text


def _has_word(word: str, stems: frozenset[str], text: str) -> bool:
    return word in text if has_cjk(word) else stem(word) in stems


def stems_of(text: str) -> list[str]:
    """Return the stems of the words of a text, hyphened words also in parts."""
    found = []
    for match in WORD.finditer(fold(text)):
        word = POSSESSIVE.sub("", match.group())
        found.append(stem(word))
        if "-" in word:
            found += [stem(part) for part in word.split("-")]
    return found


def holds_word(item: Spoken, word: str) -> bool:
    """Tell whether the memory or one it replaced holds the word."""
    return any(stem(word) in stems_of(text) for text in item.texts)
