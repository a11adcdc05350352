"""How much of a query's words a memory holds, each word by how rare it is."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from memorycore.policy.tokens import WordGroup

PRIOR_ROWS = 50.0
"""How many memories the shipped shares count as beside a store's own."""

COMMON_KEEPS = 0.5
"""Part of a common word's share that holds in every store."""

ENOUGH = 0.8
"""Share of one unknown token's weight that a query of common words needs to count in full: "no" is not enough."""

UNKNOWN_SHARE = 1 / 2000
"""Share of memories that hold a token nothing is known of."""


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Rarity of tokens: the store's own counts, steadied by shares of common words measured elsewhere."""

    rows: int
    frequencies: Mapping[str, int]
    common: Mapping[str, float] = field(default_factory=dict)

    def of(self, token: str) -> float:
        """Return minus the logarithm of the share of memories that hold the token.

        A word that queries are full of says little even where no memory holds it.
        """
        prior = self.common.get(token, UNKNOWN_SHARE)
        held = self.frequencies.get(token, 0) + PRIOR_ROWS * prior
        least = COMMON_KEEPS * self.common.get(token, 0.0)
        return -math.log(min(1.0, max(least, held / (self.rows + PRIOR_ROWS))))


@dataclass(frozen=True, slots=True)
class Coverage:
    """What share of a query's weight a memory holds, and which words.

    The share is less for a query of common words only, whose presence says little.
    """

    share: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WeighedQuery:
    """The words of a query with the weight of each piece, worked out once for all candidates."""

    words: tuple[tuple[WordGroup, tuple[float, ...]], ...]
    needed: float

    def cover(self, tokens: Collection[str]) -> Coverage:
        """Return how the `tokens` of a memory cover the query; a word counts whole, or by its pieces."""
        if not tokens:
            return Coverage(0.0, ())
        reached = 0.0
        found: list[str] = []
        for group, pieces in self.words:
            share = _held(group, pieces, tokens)
            if share > 0:
                reached += share * max(pieces)
                found.append(group.text)
        return Coverage(reached / self.needed, tuple(found))


def weigh(groups: Sequence[WordGroup], weights: WordWeights) -> WeighedQuery:
    """Return the query's words with their weights in this store."""
    words = tuple((group, tuple(weights.of(piece) for piece in group.pieces)) for group in groups)
    total = sum(max(pieces) for _, pieces in words)
    telling = any(piece not in weights.common for group in groups for piece in group.pieces)
    return WeighedQuery(words, total if telling else max(total, ENOUGH * weights.of("")))


def _held(group: WordGroup, pieces: tuple[float, ...], tokens: Collection[str]) -> float:
    if group.whole is not None and group.whole in tokens:
        return 1.0
    held = sum(size for size, piece in zip(pieces, group.pieces, strict=True) if piece in tokens)
    return held / (sum(pieces) or 1.0)
