"""What overflow plans for a file, from facts alone."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planned_entries import LIMIT, NOW, facts, filled, leaving, plan, text_of, view

from memorycore.model.limits import Watermarks
from memorycore.model.plan import (
    Demote,
    Discard,
    DropRedundant,
    Keep,
    Merge,
    Retype,
    Signal,
)
from memorycore.model.routing import EntryType, Route
from memorycore.policy.overflow.facts import (
    MergeProposal,
    joined_length,
)
from memorycore.policy.overflow.ladder import Demand
from memorycore.policy.overflow.planning import Rules, plan_overflow


def test_below_the_soft_watermark_only_records_past_their_time_leave() -> None:
    old = facts(text_of("old", 100), kind=EntryType.STATE, days=8)
    young = facts(text_of("young", 100), kind=EntryType.STATE, days=6)
    rule = facts(text_of("rule", 100), days=400)

    result = plan(view(old, young, rule))

    assert leaving(result) == [old.key]
    assert result.actions[0].signals == (Signal.TTL,)


@pytest.mark.parametrize("share", [0.62, 0.79, 0.99, 1.5])
def test_pressure_drains_to_the_target_and_no_further_than_one_entry(share: float) -> None:
    found = filled(share)

    result = plan(found)

    largest = max(item.size for item in found.facts) + 3
    assert 0.4 * LIMIT - largest < result.characters_after <= 0.4 * LIMIT


def test_the_size_after_is_what_the_remaining_entries_join_to() -> None:
    found = filled(0.9)

    result = plan(found)

    gone = set(leaving(result))
    sizes = [item.size for item in found.facts if item.key not in gone]
    assert result.characters_after == joined_length(sizes)


def test_every_entry_is_told_of_once_with_a_reason() -> None:
    found = filled(0.9)

    result = plan(found)

    assert [action.key for action in result.actions if not isinstance(action, Merge)] == [
        item.key for item in found.facts
    ]
    assert all(action.reason for action in result.actions)


@pytest.mark.parametrize(
    "guard",
    [{"protected": True}, {"importance": 0.9}, {"route": Route.HOT, "sure": 0.99}],
)
def test_what_every_turn_needs_stays_whatever_the_pressure_and_age(
    guard: dict[str, object],
) -> None:
    items = [
        facts(text_of(f"keep {n}", 300), kind=EntryType.STATE, days=900, **guard)  # type: ignore[arg-type]
        for n in range(5)
    ]

    result = plan(view(*items))

    assert leaving(result) == []
    assert "nothing more may leave" in result.note


def test_the_coldest_leave_first_then_the_longest_unchanged_then_the_largest() -> None:
    sure = facts(text_of("sure", 150), sure=0.95)
    idle = facts(text_of("idle", 150), sure=0.7, days=90)
    large = facts(text_of("large", 250), sure=0.7, days=1)
    small = facts(text_of("small", 150), sure=0.7, days=1)
    found = view(small, large, idle, sure)

    def gone(room: int) -> set[str]:
        marks = Watermarks(soft=0.1, hard=0.99, target=room / LIMIT)
        return {*leaving(plan_overflow(found, rules=Rules(marks), now=NOW))}

    assert gone(joined_length([150, 250, 150])) == {sure.key}
    assert gone(joined_length([150, 250])) == {sure.key, idle.key}
    assert gone(joined_length([150])) == {sure.key, idle.key, large.key}


def test_stale_text_goes_to_the_trash_only_when_that_is_sure_and_no_taste_is_told() -> None:
    sure = facts(text_of("sure", 400), route=Route.STALE, sure=0.9)
    doubtful = facts(text_of("doubt", 400), route=Route.STALE, sure=0.4)

    taste = facts(text_of("taste", 400), route=Route.STALE, sure=0.9, taste=True)

    result = plan(view(sure, doubtful, taste), Demand(incoming=LIMIT))

    assert [type(action) for action in result.actions] == [Discard, Demote, Demote]


def test_a_redundant_entry_leaves_before_a_cold_one_once_nobody_touches_it() -> None:
    twin = facts(text_of("twin", 310), sure=0.5, days=31, redundant_with="m-1")
    cold = facts(text_of("cold", 290), sure=0.99, days=31)
    young = facts(text_of("young", 90), sure=0.5, days=1, redundant_with="m-2")

    result = plan(view(twin, cold, young))

    assert isinstance(result.actions[0], DropRedundant)
    assert leaving(result) == [twin.key]


def test_an_old_finished_record_taken_for_a_rule_becomes_a_state_then_leaves() -> None:
    fresh = facts(text_of("fresh", 120), days=1, completed="reads as finished", sure=0.1)
    aged = facts(text_of("aged", 120), days=30, completed="reads as finished", sure=0.1)
    rest = facts(text_of("rest", 400), route=Route.HOT)

    result = plan(view(fresh, aged, rest))

    assert isinstance(result.actions[1], Demote)
    assert Signal.COMPLETED in result.actions[1].signals
    first = result.actions[0]
    assert isinstance(first, Retype | Demote)


def test_merging_comes_before_anything_leaves_and_may_suffice() -> None:
    one = facts(text_of("a", 200))
    two = facts(text_of("b", 210))
    rest = facts(text_of("rest", 190), route=Route.HOT)
    proposal = MergeProposal((one.key, two.key), text_of("a", 200), "one topic")

    result = plan(replace(view(one, two, rest), merges=(proposal,)))

    assert [type(action) for action in result.actions] == [Merge, Keep]
    assert result.characters_after == joined_length([200, 190])


def test_a_merge_that_saves_nothing_is_not_done() -> None:
    one, two = facts(text_of("a", 300)), facts(text_of("b", 300))
    proposal = MergeProposal((one.key, two.key), "y" * 700, "one topic")

    result = plan(replace(view(one, two), merges=(proposal,)))

    assert not any(isinstance(action, Merge) for action in result.actions)


def test_a_clock_set_back_ages_nothing() -> None:
    future = facts(text_of("state", 100), kind=EntryType.STATE, days=-400)

    assert leaving(plan(view(future))) == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 300),
            st.sampled_from(Route),
            st.booleans(),
            st.floats(0, 400),
            st.floats(0, 1),
        ),
        max_size=14,
    ),
    st.integers(100, 2000),
    st.integers(0, 500),
    st.booleans(),
)
def test_a_plan_never_touches_protected_text_and_never_says_a_wrong_size(
    rows: list[tuple[int, Route, bool, float, float]], limit: int, incoming: int, forced: bool
) -> None:
    items = [
        facts(
            f"{number}{'x' * size}",
            route=route,
            kind=EntryType.STATE if route is not Route.HOT else EntryType.RULE,
            protected=protected,
            days=days,
            sure=sure,
        )
        for number, (size, route, protected, days, sure) in enumerate(rows)
    ]
    found = view(*items, limit=limit)

    result = plan(found, Demand(incoming=incoming, forced=forced))

    gone = set(leaving(result))
    assert not gone & {item.key for item in items if item.protected}
    assert result.characters_after == joined_length([i.size for i in items if i.key not in gone])
    assert plan(found, Demand(incoming=incoming, forced=forced)) == result
