"""How much of a query's words a memory holds, each word by how rare it is."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from memorycore.policy.tokens import WordGroup

PRIOR_ROWS = 50.0
"""How many memories the shipped shares count as beside a store's own."""

ENOUGH = 0.8
"""Share of one unknown token's weight that a query needs for its words to count in full: "no" is not enough."""

UNKNOWN_SHARE = 1 / 2000
"""Share of memories that hold a token nothing is known of."""


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Rarity of tokens: the store's own counts, steadied by shares of common words measured elsewhere."""

    rows: int
    frequencies: Mapping[str, int]
    common: Mapping[str, float] = field(default_factory=dict)

    def of(self, token: str) -> float:
        """Return minus the logarithm of the share of memories that hold the token."""
        prior = self.common.get(token, UNKNOWN_SHARE)
        held = self.frequencies.get(token, 0) + PRIOR_ROWS * prior
        return -math.log(min(1.0, held / (self.rows + PRIOR_ROWS)))


@dataclass(frozen=True, slots=True)
class Coverage:
    """What share of a query's weight a memory holds, and which words.

    The share is less for a query of common words only, whose presence says little.
    """

    share: float
    words: tuple[str, ...]


def cover(groups: Collection[WordGroup], tokens: Collection[str], weights: WordWeights) -> Coverage:
    """Return how the `tokens` of a memory cover the words of a query.

    A word counts once: whole, or by the share of its pieces.
    """
    total = reached = 0.0
    words: list[str] = []
    for group in groups:
        pieces = [weights.of(piece) for piece in group.pieces]
        weight = max(pieces)
        total += weight
        if group.whole is not None and group.whole in tokens:
            share = 1.0
        else:
            held = sum(
                size for size, piece in zip(pieces, group.pieces, strict=True) if piece in tokens
            )
            share = held / (sum(pieces) or 1.0)
        if share > 0:
            reached += share * weight
            words.append(group.text)
    needed = max(total, ENOUGH * weights.of(""))
    return Coverage(reached / needed if total else 0.0, tuple(words))
