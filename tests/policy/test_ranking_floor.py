"""The floor between noise and an answer: the best of few reaches less by chance than the best of many."""

from datetime import UTC, datetime

import pytest

from memorycore.model.memory import Memory
from memorycore.model.routing import EntryType
from memorycore.policy.ranking import (
    FLOOR_ROWS,
    Evidence,
    Ranked,
    RankingWeights,
    chance_gap,
    standing,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WEIGHTS = RankingWeights()


def placed(relevance: float, coverage: float = 0.0) -> Ranked:
    memory = Memory("a", "x", "", "global", 0.5, EntryType.STATE, False, None, NOW, NOW, NOW)
    evidence = Evidence(memory, relevance, coverage)
    return Ranked(evidence, relevance, relevance, 0.5, 1.0, 0.0)


def test_the_gap_is_nothing_for_a_large_store_and_grows_as_the_store_shrinks() -> None:
    gaps = [chance_gap(rows) for rows in (10 * FLOOR_ROWS, FLOOR_ROWS, 100, 20, 5, 1, 0)]
    assert gaps[:2] == [0.0, 0.0]
    assert gaps == sorted(gaps)
    assert gaps[-1] < WEIGHTS.floor


@pytest.mark.parametrize(("rows", "stands"), [(5, True), (FLOOR_ROWS, False)])
def test_what_is_noise_among_many_may_answer_among_few(rows: int, stands: bool) -> None:
    faint = [placed(WEIGHTS.floor - 0.05)]
    assert bool(standing(faint, WEIGHTS, lift=0.0, dense=True, rows=rows)) is stands


def test_in_a_space_not_measured_yet_shared_words_are_enough() -> None:
    shared = [placed(0.1, coverage=1.0)]
    assert standing(shared, WEIGHTS, lift=-0.8, dense=True, measured=False) == shared
    assert standing(shared, WEIGHTS, lift=-0.8, dense=True) == []
