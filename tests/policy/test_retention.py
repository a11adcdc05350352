from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.model.limits import Retention
from memorycore.model.memory import Memory
from memorycore.model.routing import EntryType
from memorycore.policy.retention import (
    FORGOTTEN_BELOW,
    decays_at,
    is_exempt,
    retention_score,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
RETENTION = Retention()


def memory(**changes: object) -> Memory:
    base = Memory(
        id="m",
        content="The archive lies in box 12.",
        author="",
        scope="global",
        importance=0.5,
        type=EntryType.STATE,
        protected=False,
        source=None,
        created_at=START,
        updated_at=START,
        confirmed_at=START,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("changes", [{"protected": True}, {"importance": 0.8}, {"importance": 1.0}])
def test_what_is_protected_or_important_never_decays(changes: dict[str, object]) -> None:
    kept = memory(**changes)
    assert is_exempt(kept)
    assert decays_at(kept, RETENTION) is None


def test_an_ordinary_memory_outlives_a_year_without_use_and_a_trivial_one_does_not() -> None:
    ordinary, trivial = decays_at(memory(), RETENTION), decays_at(memory(importance=0.1), RETENTION)
    assert ordinary is not None
    assert trivial is not None
    assert trivial < START + timedelta(days=365) < ordinary


@pytest.mark.parametrize(
    "changes",
    [
        {"recall_count": 3},
        {"last_recalled": START + timedelta(days=40)},
        {"confirmed_at": START + timedelta(days=40)},
        {"importance": 0.7},
    ],
)
def test_use_and_importance_postpone_forgetting(changes: dict[str, object]) -> None:
    plain, used = decays_at(memory(), RETENTION), decays_at(memory(**changes), RETENTION)
    assert plain is not None
    assert used is not None
    assert used > plain


def test_nothing_is_forgotten_within_the_grace_time_however_low_its_score() -> None:
    hasty = Retention(decay_half_life=timedelta(days=1), decay_grace=timedelta(days=180))
    assert decays_at(memory(importance=0.0), hasty) == START + timedelta(days=180)


@given(
    importance=st.floats(0, 0.79),
    recalls=st.integers(0, 50),
    idle=st.integers(0, 3000),
)
def test_the_moment_of_forgetting_is_where_the_score_falls_below_the_threshold(
    importance: float, recalls: int, idle: int
) -> None:
    faded = memory(importance=importance, recall_count=recalls)
    now = START + timedelta(days=idle)
    due = decays_at(faded, RETENTION)
    assert due is not None
    score = retention_score(faded, now=now, retention=RETENTION)
    assert 0 <= score <= 1
    if now < due:
        within_grace = idle < RETENTION.decay_grace.days
        assert score >= FORGOTTEN_BELOW - 1e-9 or within_grace
    else:
        assert score <= FORGOTTEN_BELOW + 1e-9


def test_a_clock_set_back_before_the_last_use_does_not_raise_the_score_above_fresh() -> None:
    fresh = retention_score(memory(), now=START, retention=RETENTION)
    assert retention_score(memory(), now=START - timedelta(days=9), retention=RETENTION) == fresh
