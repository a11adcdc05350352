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

from memorycore.policy.text import ZERO_WIDTH, has_cjk

GAP = 24
"""Characters a `…` may span, from reading how such phrases are worded in memory files."""

_NO_MATCH = re.compile(r"(?!)")
_LETTER = r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
_STARTS = f"(?<!{_LETTER})"
_ENDS = f"(?!{_LETTER})"
_GAP = rf"[^\n.!?。！？]{{0,{GAP}}}?"
_GAP_SIGN = "..."  # what NFKC makes of `…`
_VARIANTS = str.maketrans({"ё": "е", "’": "'", "ʼ": "'", "‘": "'"})


@dataclass(frozen=True, slots=True)
class MarkerHit:
    """One marker found: where it stands in the folded text, and the folded words."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """All markers of one name over every language, folded; compiled when first looked for."""

    name: str
    words: tuple[str, ...]
    excluded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The marker words of all languages, by section; an unknown section matches nothing."""

    sections: tuple[Section, ...]

    def section(self, name: str) -> Section | None:
        """Return the section called `name`, None when no language has it."""
        return next((section for section in self.sections if section.name == name), None)

    def hits(self, name: str, text: str) -> tuple[MarkerHit, ...]:
        """Return every marker of section `name` in `text`, in order, never overlapping.

        Args:
            name: The section, such as `"rule"` or `"completed"`.
            text: Any text; it is folded here, and positions refer to the folded form.
        """
        return self.hits_folded(name, fold_for_matching(text))

    def hits_folded(self, name: str, folded: str) -> tuple[MarkerHit, ...]:
        """Do what `hits` does on text that went through `fold_for_matching` already."""
        section = self.section(name)
        pattern = _compiled(section) if section else _NO_MATCH
        return tuple(
            MarkerHit(match.start("marker"), match.end("marker"), match["marker"])
            for match in pattern.finditer(folded)
            if match["marker"] is not None
        )

    def has(self, name: str, text: str) -> bool:
        """Tell whether any marker of section `name` stands in `text`."""
        return bool(self.hits(name, text))


def fold_for_matching(text: str) -> str:
    """Return the form in which markers are looked for; line breaks stay."""
    wide = unicodedata.normalize("NFKC", text).translate(ZERO_WIDTH).casefold()
    return unicodedata.normalize("NFC", wide).translate(_VARIANTS)


def fold_aligned(text: str) -> str:
    """Return `text` folded character by character, so that positions stay those of `text`."""
    return text.translate(_ASCII_FOLDED) if text.isascii() else "".join(map(_fold_character, text))


def _fold_character(character: str) -> str:
    folded = unicodedata.normalize("NFKC", character).casefold().translate(_VARIANTS)
    return folded if len(folded) == 1 else character.lower()[:1] or character


_ASCII_FOLDED = {code: _fold_character(chr(code)) for code in range(128)}


def build_lexicon(
    words: Mapping[str, Iterable[str]], excluded: Mapping[str, Iterable[str]]
) -> Lexicon:
    """Build a lexicon from section name to markers, and section name to excluded phrases."""
    sections = []
    for name in sorted(words):
        markers = _longest_first(words[name])
        exceptions = _longest_first(excluded.get(name, ()))
        sections.append(Section(name, markers, exceptions))
    return Lexicon(tuple(sections))


def _longest_first(phrases: Iterable[str]) -> tuple[str, ...]:
    unique = {fold_for_matching(phrase).strip() for phrase in phrases} - {""}
    return tuple(sorted(unique, key=lambda phrase: (-len(phrase), phrase)))


@functools.lru_cache(maxsize=1024)
def _compiled(section: Section) -> re.Pattern[str]:
    if not section.words:
        return _NO_MATCH
    skipped = f"{_alternatives(section.excluded)}|" if section.excluded else ""
    return re.compile(f"{skipped}(?P<marker>{_alternatives(section.words)})")


def _alternatives(phrases: tuple[str, ...]) -> str:
    """Join phrases that need the same boundaries under one pair of them: compiling stays fast."""
    groups: dict[tuple[str, str], list[str]] = {}
    for phrase in phrases:
        core = phrase.strip("*")
        before = "" if phrase.startswith("*") or not _is_word(core[:1]) else _STARTS
        after = "" if phrase.endswith("*") or not _is_word(core[-1:]) else _ENDS
        groups.setdefault((before, after), []).append(_body(core))
    return "|".join(
        f"{before}(?:{'|'.join(bodies)}){after}" for (before, after), bodies in groups.items()
    )


def _body(core: str) -> str:
    return _GAP.join(_escaped(piece.strip()) for piece in core.split(_GAP_SIGN))


def _escaped(piece: str) -> str:
    return re.escape(piece).replace(r"\ ", r"\s+")


def _is_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or character == "_") and not has_cjk(character)
