"""Requests for an overview: "tell me about people" names nothing to look for, so whatever there is answers it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memorycore.policy.text import fold, has_cjk

LONGEST = 80
"""Characters of a request that may be an overview; a longer one names something."""

_WORD = re.compile(r"[\w'-]+")


@dataclass(frozen=True, slots=True)
class OverviewWords:
    """How overviews are asked for.

    Attributes:
        asks: Beginnings (in Japanese and Korean: ends) of such requests, longest first.
        fillers: Words that name nothing in particular.
    """

    asks: tuple[str, ...] = ()
    fillers: frozenset[str] = frozenset()

    def asked_by(self, query: str) -> bool:
        """Tell whether `query` asks for an overview and names nothing in particular."""
        text = fold(query)
        if len(text) > LONGEST:
            return False
        ask = next((phrase for phrase in self.asks if _holds(text, phrase)), None)
        return ask is not None and self._names_nothing(text.replace(ask, " ", 1))

    def _names_nothing(self, rest: str) -> bool:
        if has_cjk(rest):
            for filler in sorted(self.fillers, key=len, reverse=True):
                if has_cjk(filler):
                    rest = rest.replace(filler, " ")
        return all(word in self.fillers for word in _WORD.findall(rest))


def overview_words(languages: Mapping[str, Mapping[str, Sequence[str]]]) -> OverviewWords:
    """Return the words of all languages together, for people mix them in one sentence."""
    asks = {fold(phrase) for words in languages.values() for phrase in words["asks"]}
    fillers = {fold(word) for words in languages.values() for word in words["fillers"]}
    return OverviewWords(tuple(sorted(asks, key=lambda a: (-len(a), a))), frozenset(fillers))


def _holds(text: str, phrase: str) -> bool:
    if has_cjk(phrase):
        return phrase in text
    after = text[len(phrase) : len(phrase) + 1]
    return text.startswith(phrase) and not after.isalnum()
