"""How one marker is written as a pattern, and what must stand in a text where it starts."""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memorycore.policy.text import has_cjk

GAP = 24
"""Characters a `…` may span, from reading how such phrases are worded in memory files."""

STEM = 3
"""Characters of an open beginning that count: they tell most words apart and take few look-ups."""

_LETTER = r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
_STARTS = f"(?<!{_LETTER})"
_ENDS = f"(?!{_LETTER})"
_GAP = rf"[^\n.!?。！？]{{0,{GAP}}}?"
_GAP_SIGN = "..."  # what NFKC makes of `…`
_WORD = re.compile(f"{_LETTER}+")
_INSIDE_WORD = re.compile(f"(?<={_LETTER}){_LETTER}")


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """All markers of one name over every language, folded, each tuple as `in_order` puts it."""

    name: str
    words: tuple[str, ...]
    excluded: tuple[str, ...]


def in_order(phrases: Iterable[str]) -> tuple[str, ...]:
    """Return phrases in the order they are tried: the longest first, equal boundaries together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)):
        groups.setdefault(_boundaries(phrase), []).append(phrase)
    return tuple(phrase for group in groups.values() for phrase in group)


def beginning_of(phrase: str) -> tuple[str, bool]:
    """Return what must stand where `phrase` starts, and whether as a whole word; empty if anything may."""
    lead, gap, _ = phrase.strip("*").partition(_GAP_SIGN)
    first = lead.split(maxsplit=1)
    if phrase.startswith("*") or not first:
        return "", False
    word = _WORD.match(first[0])
    if not word:
        return first[0][:STEM], False
    is_open = word.group() == lead.strip() and (gap or phrase.endswith("*"))
    return (word.group()[:STEM], False) if is_open else (word.group(), True)


def places_of(signs: Iterable[str]) -> re.Pattern[str]:
    """Return where markers may start: every alphabetic word as a whole, and each of the other `signs`."""
    others = "".join(re.escape(sign) for sign in sorted(signs) if not _is_word(sign))
    return re.compile(f"{_LETTER}+|[{others}]" if others else f"{_LETTER}+")


@dataclass(slots=True, eq=False)
class Choice:
    """Phrases of one section, of which the first that fits a place is taken.

    They are compiled when first tried, as most never are, and without the boundaries of words,
    which make compiling slow. A place is where a word starts; and only where a match ends inside a
    word the boundaries decide, and it is made again with them.

    Attributes:
        section: Where the phrases come from.
        ranks: Which they are, counting through its exclusions and then its words; tried in that order.
    """

    section: Section
    ranks: tuple[int, ...]
    _rough: re.Pattern[str] | None = None
    _exact: re.Pattern[str] | None = None
    _ahead: re.Pattern[str] | None = None

    @property
    def has_markers(self) -> bool:
        """Whether there are others than exclusions."""
        return self.ranks[-1] >= len(self.section.excluded)

    def match(self, text: str, start: int) -> re.Match[str] | None:
        """Return what stands at the place `start`; an exclusion has no `lastindex`."""
        if self._rough is None:
            self._rough = re.compile(self._pattern(bounded=False))
        match = self._rough.match(text, start)
        if match is None or not _INSIDE_WORD.match(text, match.end()):
            return match
        if self._exact is None:
            self._exact = re.compile(self._pattern(bounded=True))
        return self._exact.match(text, start)

    def starts(self, text: str) -> Iterator[int]:
        """Return every position of `text` at which one of the phrases may start."""
        if self._ahead is None:
            self._ahead = re.compile(f"(?={self._pattern(bounded=False)})")
        return (match.start() for match in self._ahead.finditer(text))

    def _pattern(self, *, bounded: bool) -> str:
        first = len(self.section.excluded)
        skipped = [self.section.excluded[rank] for rank in self.ranks if rank < first]
        words = [self.section.words[rank - first] for rank in self.ranks if rank >= first]
        marker = f"({_alternatives(words, bounded=bounded) if words else '(?!)'})"
        return f"{_alternatives(skipped, bounded=bounded)}|{marker}" if skipped else marker


def _alternatives(phrases: Sequence[str], *, bounded: bool) -> str:
    """Join phrases that need the same boundaries under one pair of them: compiling stays fast."""
    groups: dict[tuple[str, str], list[str]] = {}
    for phrase in phrases:
        boundaries = _boundaries(phrase) if bounded else ("", "")
        groups.setdefault(boundaries, []).append(_body(phrase.strip("*")))
    return "|".join(
        f"{before}(?:{'|'.join(bodies)}){after}" for (before, after), bodies in groups.items()
    )


def _boundaries(phrase: str) -> tuple[str, str]:
    core = phrase.strip("*")
    before = "" if phrase.startswith("*") or not _is_word(core[:1]) else _STARTS
    after = "" if phrase.endswith("*") or not _is_word(core[-1:]) else _ENDS
    return before, after


def _body(core: str) -> str:
    return _GAP.join(_escaped(piece.strip()) for piece in core.split(_GAP_SIGN))


def _escaped(piece: str) -> str:
    return re.escape(piece).replace(r"\ ", r"\s+")


@functools.lru_cache(maxsize=1024)
def _is_word(character: str) -> bool:
    return bool(character) and (character.isalnum() or character == "_") and not has_cjk(character)
