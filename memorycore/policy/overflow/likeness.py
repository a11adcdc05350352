"""S3: which entries of one file are close enough to be worth comparing."""

from collections.abc import Sequence
from itertools import combinations

from memorycore.policy.text import fold, has_cjk

NEAR = 0.3
"""Share of the smaller text's character n-grams found in the larger one from which a pair is compared."""

PAIRS = 40
"""Most pairs compared in one planning, the closest first."""


def close_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return positions of texts that share much of their wording, the closest pair first."""
    grams = [_grams(text) for text in texts]
    scored = [
        (_containment(grams[first], grams[second]), first, second)
        for first, second in combinations(range(len(texts)), 2)
    ]
    near = sorted((item for item in scored if item[0] >= NEAR), key=lambda item: -item[0])
    return [(first, second) for _, first, second in near[:PAIRS]]


def _grams(text: str) -> frozenset[str]:
    folded = fold(text)
    size = 2 if has_cjk(folded) else 4
    return frozenset(
        folded[start : start + size] for start in range(max(len(folded) - size + 1, 1))
    )


def _containment(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / max(min(len(first), len(second)), 1)
