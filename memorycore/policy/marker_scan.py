"""How the markers of all sections are found in one walk over a text.

A marker can only start where its beginning stands. So every marker is filed: under its whole first
word (`ask` for `ask first`) or, where a text may go on in any way (`*`, `…`, Chinese), under its
first characters. The walk looks up each word of the text once, for all sections together. Only
where something is filed a pattern is tried, made of the few markers filed there in the order of
their section; so what is found is what a search for the whole section would find.
"""

import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memorycore.policy.marker_patterns import STEM, Choice, Section, beginning_of, places_of

_Shelf = tuple[tuple[str, Choice], ...]
"""What is filed under one beginning, by the name of the section; each stands there once."""

_Ranks = dict[str, list[tuple[Section, int]]]
"""What is to be filed, by beginning: phrases by their rank in their section."""

_Place = tuple[int, Choice]

_RECENT = 4
"""Scans that are kept: screening, redaction and routing look at the same text one after the other."""


@dataclass(frozen=True, slots=True)
class MarkerHit:
    """One marker found: where it stands in the folded text, and the folded words."""

    start: int
    end: int
    text: str


class MarkerIndex:
    """The markers of all sections, filed under their beginnings.

    A shelf also holds what is filed under every shorter open beginning, so that the longest
    beginning that fits a place of a text has all the markers that may start there. What has no
    beginning (`*token`) floats: it is looked for everywhere, and tried with its section's others.
    """

    def __init__(self, sections: Iterable[Section]) -> None:
        words: _Ranks = {}
        stems: _Ranks = {}
        for section in sections:
            for rank, phrase in enumerate(section.excluded + section.words):
                beginning, is_word = beginning_of(phrase)
                (words if is_word else stems).setdefault(beginning, []).append((section, rank))
        self._floating: dict[str, Choice] = {}
        self._floating = dict(self._shelf((), stems.pop("", [])))
        self._stems = self._stem_shelves(stems)
        self._words = {
            word: self._shelf(self._stem(word, 0), filed) for word, filed in words.items()
        }
        self._places = places_of({stem[0] for stem in stems})
        self._recent = functools.lru_cache(maxsize=_RECENT)(self._walk)

    def scan(self, folded: str, *, reach: int | None = None) -> "Scan":
        """Return where markers may start in a folded text, before `reach` if it is given."""
        return self._recent(folded) if reach is None else self._walk(folded, reach)

    def _walk(self, folded: str, reach: int | None = None) -> "Scan":
        places: dict[str, list[_Place]] = {}
        for place in self._places.finditer(folded):
            start = place.start()
            if reach is not None and start >= reach:
                break
            for name, choice in self._words.get(place.group()) or self._stem(folded, start):
                if name in places:
                    places[name].append((start, choice))
                else:
                    places[name] = [(start, choice)]
        return Scan(folded, places, self._floating)

    def _stem(self, folded: str, start: int) -> _Shelf:
        """Return the shelf of the longest open beginning that stands at `start`."""
        two = self._stems.get(folded[start : start + 2])
        if two is None:
            return self._stems.get(folded[start], ())
        return self._stems.get(folded[start : start + STEM], two)

    def _stem_shelves(self, stems: _Ranks) -> dict[str, _Shelf]:
        """Return the shelves of open beginnings and of all that leads to them, for `_stem`."""
        shelves: dict[str, _Shelf] = {"": ()}
        steps = {stem[:length] for stem in stems for length in range(1, len(stem) + 1)}
        for step in sorted(steps, key=len):
            shelves[step] = self._shelf(shelves[step[:-1]], stems.get(step, []))
        return shelves

    def _shelf(self, shorter: _Shelf, filed: Sequence[tuple[Section, int]]) -> _Shelf:
        if not filed:
            return shorter
        shelf = dict(shorter)
        for section in {section for section, _ in filed}:
            known = (shelf.get(section.name), self._floating.get(section.name))
            ranks = {rank for choice in known if choice for rank in choice.ranks}
            ranks.update(rank for owner, rank in filed if owner is section)
            shelf[section.name] = Choice(section, tuple(sorted(ranks)))
        return tuple(shelf.items())


@dataclass(frozen=True, slots=True)
class Scan:
    """One folded text, and by section the places where its markers may start."""

    text: str
    _places: Mapping[str, Sequence[_Place]]
    _floating: Mapping[str, Choice]

    def hits(self, name: str) -> tuple[MarkerHit, ...]:
        """Return every marker of section `name` in the text, in order, never overlapping."""
        return tuple(
            MarkerHit(match.start(), match.end(), match.group()) for match in self._matches(name)
        )

    def has(self, name: str, *, before: int = sys.maxsize) -> bool:
        """Tell whether a marker of section `name` stands in the text, and starts before `before`."""
        first = next(iter(self._matches(name)), None)
        return first is not None and first.start() < before

    def _matches(self, name: str) -> Iterable[re.Match[str]]:
        places = self._places.get(name, ())
        floating = self._floating.get(name)
        if floating and (places or floating.has_markers):
            anywhere = dict.fromkeys(floating.starts(self.text), floating)
            places = sorted((anywhere | dict(places)).items())
        return self._first_fitting(places) if places else ()

    def _first_fitting(self, places: Sequence[_Place]) -> Iterator[re.Match[str]]:
        """Return the markers at places in order; what overlaps a marker or an exclusion is left out."""
        end = 0
        for start, choice in places:
            match = choice.match(self.text, start) if start >= end else None
            if match:
                end = match.end()
                if match.lastindex:
                    yield match
