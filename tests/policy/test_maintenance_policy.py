from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memorycore.model.limits import ColdLimits, Retention
from memorycore.model.memory import Memory, TrashReason
from memorycore.model.relation import Match, Relation
from memorycore.model.routing import EntryType
from memorycore.policy.maintenance import (
    Absorb,
    ClockView,
    Combine,
    Expiry,
    Replace,
    fading_cap,
    in_order,
    judge_expiry,
    plan_ageing,
    plan_eviction,
    plan_pair,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def memory(name: str, content: str = "x", *, told: int = 0, **changes: object) -> Memory:
    moment = START + told * DAY
    base = Memory(
        id=name,
        content=content,
        author="",
        scope="global",
        importance=0.5,
        type=EntryType.STATE,
        protected=False,
        source=None,
        created_at=moment,
        updated_at=moment,
        confirmed_at=moment,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def match(relation: Relation) -> Match:
    return Match(relation, 0.9, "because")


def joined(older: str, newer: str) -> str:
    return f"{older} {newer}"


def test_of_two_that_say_the_same_the_richer_stays_and_protection_is_never_lost() -> None:
    short, long = memory("a", "Port 80."), memory("b", "The port is 80.", told=1)
    guarded = replace(short, protected=True)
    assert plan_pair(short, long, match(Relation.SAME), merge=joined) == Absorb(
        long, short, "because"
    )
    assert plan_pair(guarded, long, match(Relation.SAME), merge=joined) == Absorb(
        guarded, long, "because"
    )


def test_similar_memories_become_one_text_that_holds_both() -> None:
    older, newer = memory("a", "Ana paints."), memory("b", "Ana lives in Faro.", told=1)
    step = plan_pair(older, newer, match(Relation.SIMILAR), merge=joined)
    assert step == Combine(older, newer, "Ana paints. Ana lives in Faro.", "because")


@pytest.mark.parametrize(
    "merge",
    [
        lambda _older, _newer: "",
        lambda _older, _newer: "[...]",
        lambda older, newer: (older + newer) * 200,
    ],
)
def test_a_merge_that_loses_text_or_grows_without_end_leaves_both(
    merge: Callable[[str, str], str],
) -> None:
    older, newer = memory("a", "Ana paints."), memory("b", "Ana lives in Faro.", told=1)
    assert plan_pair(older, newer, match(Relation.SIMILAR), merge=merge) is None


@pytest.mark.parametrize(
    ("relation", "cause"),
    [(Relation.UPDATE, TrashReason.SUPERSEDED), (Relation.REVERSAL, TrashReason.REVERSAL)],
)
def test_the_newer_value_replaces_the_older_one(relation: Relation, cause: TrashReason) -> None:
    older, newer = memory("a"), memory("b", told=1)
    assert plan_pair(older, newer, match(relation), merge=joined) == Replace(
        older, newer, cause, "because"
    )


def test_a_protected_memory_is_not_replaced_by_an_unprotected_one_without_a_word_of_the_user() -> (
    None
):
    guarded, newer = memory("a", protected=True), memory("b", told=1)
    assert plan_pair(guarded, newer, match(Relation.UPDATE), merge=joined) is None


def test_what_was_said_again_or_brought_back_counts_as_the_newer_one() -> None:
    said_again = memory("a", confirmed_at=START + 9 * DAY)
    other = memory("b", told=3)
    assert in_order(said_again, other) == (other, said_again) == in_order(other, said_again)


def test_a_pass_lets_only_a_share_fade_and_takes_the_least_retained_first() -> None:
    old = [memory(f"m{i:03}", importance=0.1 + i / 1000) for i in range(300)]
    ageing = plan_ageing(old, now=START + 4000 * DAY, retention=Retention())
    assert len(ageing.faded) == fading_cap(300) < 300
    assert [faded.id for faded in ageing.faded] == [m.id for m in old[: len(ageing.faded)]]
    assert ageing.capped


def test_a_session_ends_as_a_whole_a_week_after_its_last_write() -> None:
    session = [
        memory("a", scope="session:1"),
        memory("b", scope="session:1", told=5),
        memory("c", scope="session:2", told=5),
        memory("d", scope="project:x"),
    ]
    before = plan_ageing(session, now=START + 11 * DAY, retention=Retention())
    after = plan_ageing(session[:2], now=START + 12 * DAY, retention=Retention())
    assert before.ended == ()
    assert before.next_due == START + 12 * DAY
    assert after.ended == tuple(session[:2])


def test_eviction_takes_the_least_retained_down_to_the_soft_limit_and_spares_the_guarded() -> None:
    store = [memory(f"m{i}", importance=i / 20) for i in range(20)]
    store[0] = replace(store[0], protected=True)
    leaving = plan_eviction(store, now=START, retention=Retention(), limits=ColdLimits(12, 15))
    assert [m.id for m in leaving] == [f"m{i}" for i in range(1, 9)]
    assert not plan_eviction(store, now=START, retention=Retention(), limits=ColdLimits(12, 20))


MONTH = timedelta(days=30)


@pytest.mark.parametrize(
    ("ahead", "steady", "own", "doubted"),
    [
        pytest.param(31, 31, True, False, id="a month went by while running"),
        pytest.param(3, 0, True, False, id="a laptop slept for a weekend"),
        pytest.param(31, 0, False, False, id="the machine was off for a month"),
        pytest.param(20_000, 0, False, True, id="a dead battery was put right"),
        pytest.param(365, 0, True, True, id="the clock was set while running"),
        pytest.param(365, 40, False, True, id="the clock was wrong at the start"),
    ],
)
def test_the_trash_is_held_when_nothing_explains_how_far_the_clock_went(
    ahead: int, steady: int, own: bool, doubted: bool
) -> None:
    now = START + ahead * DAY
    view = ClockView(now, START, steady * DAY, own)
    wanted = Expiry(now + MONTH, START) if doubted else Expiry(None, now)
    assert judge_expiry(view, held_until=None, trash=MONTH) == wanted


def test_a_hold_lasts_until_its_time_and_goes_when_the_clock_was_put_back() -> None:
    quiet = ClockView(START, START - DAY, DAY, own=True)
    held = START + DAY
    assert judge_expiry(quiet, held_until=held, trash=MONTH) == Expiry(held, None)
    assert judge_expiry(quiet, held_until=START, trash=MONTH) == Expiry(None, START)
    put_back = ClockView(START, START + 400 * DAY, DAY, own=True)
    ahead = START + 430 * DAY
    assert judge_expiry(put_back, held_until=ahead, trash=MONTH) == Expiry(None, START)


def test_while_a_hold_lasts_a_second_leap_frees_nothing() -> None:
    leap = ClockView(START + 100 * DAY, START, timedelta(), own=False)
    held = START + 120 * DAY
    assert judge_expiry(leap, held_until=held, trash=MONTH) == Expiry(START + 130 * DAY, None)
