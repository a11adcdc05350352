"""From evidence to an order: what a memory's similarity, words, age and use say together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import NormalDist

from memorycore.model.memory import Memory

EXEMPT_IMPORTANCE = 0.8
"""From this importance on a memory does not fade."""

FADES_BY = 0.04
"""The most that age takes from a memory's relevance: old and right beats new and beside the point."""

USE_ADDS = 0.003
"""The most that use adds: it decides between equals."""

WORDS_FROM = 0.20
"""Share of a query's weight below which shared words say nothing: any two texts share a few."""

USES_COUNTED = 20
"""Recalls after which use adds no more."""


FLOOR_ROWS = 1000
"""Memories of the stores on which the floor was fitted."""

NOISE_SPREAD = 0.05
"""Standard deviation of what unrelated memories score, at the least: measured 0.05 to 0.08 by language."""


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """How evidence adds up; fitted by `stress/train_recall.py`.

    Attributes:
        words: What covering all words of a query adds to a similarity.
        middle: The sum at which a memory is as likely wanted as not: score 0.5.
        slope: How fast the score rises around the middle.
        floor: Sums below this are noise: what unrelated queries reach.
        subject: What one unit of log odds that the query asks for a memory adds to its best sum.
        kept: A memory below this share of the best relevance is left out.
        words_middle, words_floor: The same for word evidence alone, when there are no vectors.
    """

    words: float = 0.37
    middle: float = 0.42
    slope: float = 15.0
    floor: float = 0.22
    subject: float = 0.10
    kept: float = 0.4
    words_middle: float = 0.45
    words_floor: float = 0.27


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one candidate; `similarity` is None where there is no vector."""

    memory: Memory
    similarity: float | None
    coverage: float
    trashed: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate in its place.

    `relevance` is the fused evidence on the scale of the floor, `place` is it with age and use, by which hits are
    ordered; `score` (0 to 1) is the place as the chance that the memory is wanted.
    """

    evidence: Evidence
    relevance: float
    place: float
    score: float
    freshness: float
    use: float


def rank(
    evidence: Sequence[Evidence],
    weights: RankingWeights,
    *,
    now: datetime,
    half_life: timedelta,
    dense: bool,
) -> list[Ranked]:
    """Return the candidates, best first; `dense` tells whether the query has a vector."""
    ranked = [_placed(one, weights, now=now, half_life=half_life, dense=dense) for one in evidence]
    return sorted(ranked, key=lambda one: (-one.place, one.evidence.memory.id))


def standing(
    ranked: Sequence[Ranked],
    weights: RankingWeights,
    *,
    lift: float,
    dense: bool,
    measured: bool = True,
    rows: int = FLOOR_ROWS,
) -> list[Ranked]:
    """Return what stands above the noise, in order; nothing when the best does not.

    `lift` is what the query's subject and the store's own noise add to or take from the best relevance. In a space
    not `measured` yet (a new model, a small store) a similarity says little, and shared words are enough. `rows`
    is how many memories were looked at: the best of few reaches less by chance than the best of many.
    """
    if not ranked:
        return []
    best = max(one.relevance for one in ranked)
    if not dense:
        return [one for one in ranked if one.relevance >= weights.words_floor]
    if not measured:
        return [
            one
            for one in ranked
            if one.evidence.coverage >= weights.words_floor or one.relevance + lift >= weights.floor
        ]
    if best + lift < weights.floor - chance_gap(rows):
        return []
    return [one for one in ranked if one.relevance >= best * weights.kept]


def chance_gap(rows: int) -> float:
    """Return by how much less the best of `rows` unrelated memories scores than the best of `FLOOR_ROWS`.

    The expected greatest of n normal draws is the quantile (n - 0.375) / (n + 0.25) (Blom, 1958).
    """
    few = max(2, min(rows, FLOOR_ROWS))
    return NOISE_SPREAD * (_greatest(FLOOR_ROWS) - _greatest(few))


def _greatest(draws: int) -> float:
    return NormalDist().inv_cdf((draws - 0.375) / (draws + 0.25))


def freshness(memory: Memory, *, now: datetime, half_life: timedelta) -> float:
    """Return 1 for a memory recalled, told or confirmed just now, halving every `half_life`; important ones stay 1."""
    if memory.importance >= EXEMPT_IMPORTANCE:
        return 1.0
    touched = max(memory.confirmed_at, memory.updated_at, memory.last_recalled or memory.updated_at)
    return float(0.5 ** max(0.0, (now - touched) / half_life))


def usage(memory: Memory) -> float:
    """Return 0 to 1: how much a memory was recalled, with diminishing returns."""
    return min(1.0, math.log1p(memory.recall_count) / math.log1p(USES_COUNTED))


def _placed(
    one: Evidence, weights: RankingWeights, *, now: datetime, half_life: timedelta, dense: bool
) -> Ranked:
    fresh = freshness(one.memory, now=now, half_life=half_life)
    used = usage(one.memory)
    relevance = _relevance(one, weights, dense=dense)
    middle = weights.middle if dense else weights.words_middle
    place = relevance - FADES_BY * (1.0 - fresh) + USE_ADDS * used
    score = 1.0 / (1.0 + math.exp(-weights.slope * (place - middle)))
    return Ranked(one, relevance, place, score, fresh, used)


def _relevance(one: Evidence, weights: RankingWeights, *, dense: bool) -> float:
    if not dense:
        return one.coverage
    words = weights.words * max(0.0, one.coverage - WORDS_FROM) / (1.0 - WORDS_FROM)
    if one.similarity is None:
        return words + weights.floor * one.coverage
    return one.similarity + words
