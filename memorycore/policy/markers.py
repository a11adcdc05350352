"""Marker words and the one way they are matched.

A marker is a word or phrase of a lexicon section. Alphabetic scripts match on word boundaries,
Chinese, Japanese and Korean by substring; both on the folded text (NFKC, case-folded, `ё` as `е`).
In a marker `*` at an end stands for the rest of a word, `…` for a gap of up to 24 characters
inside one sentence. Phrases of a section's exclusion list are consumed first, so that a marker
inside one of them (`别` in `特别`) does not count.
"""

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memorycore.policy.marker_patterns import Section, in_order
from memorycore.policy.marker_scan import MarkerHit, MarkerIndex, Scan
from memorycore.policy.text import ZERO_WIDTH

_ZERO_WIDTH = re.compile(f"[{''.join(map(chr, ZERO_WIDTH))}]")


@dataclass(frozen=True)
class Lexicon:
    """The marker words of all languages, by section; an unknown section matches nothing."""

    sections: tuple[Section, ...]

    def scan(self, folded: str, *, reach: int | None = None) -> Scan:
        """Look through text that went through folding already, once for all sections.

        Args:
            folded: What `fold_for_matching` or `fold_aligned` returned.
            reach: Characters within which markers start that are asked for; later ones may be missing.
        """
        return self._index.scan(folded, reach=reach)

    def hits(self, name: str, text: str) -> tuple[MarkerHit, ...]:
        """Return every marker of section `name` in `text`, in order, never overlapping.

        Args:
            name: The section, such as `"rule"` or `"completed"`.
            text: Any text; it is folded here, and positions refer to the folded form.
        """
        return self.hits_folded(name, fold_for_matching(text))

    def hits_folded(self, name: str, folded: str) -> tuple[MarkerHit, ...]:
        """Do what `hits` does on text that went through folding already."""
        return self.scan(folded).hits(name)

    def has(self, name: str, text: str) -> bool:
        """Tell whether any marker of section `name` stands in `text`."""
        return self.scan(fold_for_matching(text)).has(name)

    @functools.cached_property
    def _index(self) -> MarkerIndex:
        """Made at the first look into a text, so that loading the words stays quick."""
        return MarkerIndex(self.sections)


def fold_for_matching(text: str) -> str:
    """Return the form in which markers are looked for; line breaks stay."""
    wide = _ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _one_variant(unicodedata.normalize("NFC", wide))


def fold_aligned(text: str) -> str:
    """Return `text` folded character by character, so that positions stay those of `text`."""
    folded = text.casefold()
    if len(folded) == len(text) and unicodedata.is_normalized("NFKC", text):
        return _one_variant(folded)
    return "".join(map(_fold_character, text))


@functools.lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    folded = _one_variant(unicodedata.normalize("NFKC", character).casefold())
    return folded if len(folded) == 1 else character.lower()[:1] or character


def _one_variant(text: str) -> str:
    return text.replace("ё", "е").replace("’", "'").replace("ʼ", "'").replace("‘", "'")


def build_lexicon(
    words: Mapping[str, Iterable[str]], excluded: Mapping[str, Iterable[str]]
) -> Lexicon:
    """Build a lexicon from section name to markers, and section name to excluded phrases."""
    return Lexicon(
        tuple(
            Section(name, _folded(words[name]), _folded(excluded.get(name, ())))
            for name in sorted(words)
        )
    )


def _folded(phrases: Iterable[str]) -> tuple[str, ...]:
    return in_order({fold_for_matching(phrase).strip() for phrase in phrases} - {""})
