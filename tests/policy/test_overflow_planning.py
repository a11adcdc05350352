"""What overflow plans for a file, from facts alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, Origin
from memorycore.model.limits import Watermarks
from memorycore.model.plan import (
    CollectStub,
    Compress,
    Demote,
    Discard,
    DropRedundant,
    Keep,
    Merge,
    Plan,
    Retype,
    Signal,
    Split,
    Stub,
)
from memorycore.model.routing import Classification, EntryType, Route, Target
from memorycore.policy.overflow.facts import (
    Dormancy,
    EntryFacts,
    MergeProposal,
    OverflowView,
    Sentence,
    Warmth,
    joined_length,
)
from memorycore.policy.overflow.ladder import Demand
from memorycore.policy.overflow.planning import Rules, plan_overflow
from memorycore.policy.text import entry_key

NOW = datetime(2026, 6, 1, tzinfo=UTC)
LIMIT = 1000


def facts(
    text: str,
    *,
    route: Route = Route.COLD,
    kind: EntryType = EntryType.RULE,
    days: float = 0,
    sure: float = 0.9,
    protected: bool = False,
    importance: float = 0.5,
    **more: object,
) -> EntryFacts:
    moment = NOW - timedelta(days=days)
    meta = EntryMeta(kind, moment, moment, Origin.HOST, importance)
    found = Classification(route, kind, protected, route is Route.HOT, sure, ("because",))
    entry = HotEntry(entry_key(text), text, meta)
    return replace(EntryFacts(entry, meta, found), **more)  # type: ignore[arg-type]


def text_of(name: str, size: int) -> str:
    return f"{name} ".ljust(size, "x")


def view(*items: EntryFacts, limit: int = LIMIT, target: Target = Target.MEMORY) -> OverflowView:
    size = joined_length([item.size for item in items])
    entries = tuple(item.entry for item in items)
    return OverflowView(HotSnapshot(target, entries, "r1", size, limit), items)


def plan(found: OverflowView, demand: Demand | None = None) -> Plan:
    return plan_overflow(found, rules=Rules(), now=NOW, demand=demand)


def leaving(result: Plan) -> list[str]:
    kept = (Keep, Retype)
    return [action.key for action in result.actions if not isinstance(action, (*kept, Merge))]


def filled(share: float, *, entries: int = 10, **more: object) -> OverflowView:
    size = int(share * LIMIT / entries) - 3
    items = [facts(text_of(f"entry {number}", size), **more) for number in range(entries)]  # type: ignore[arg-type]
    return view(*items)


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


def test_only_hard_pressure_turns_dormant_topics_into_pointers_three_a_run() -> None:
    def dormant(share: float) -> OverflowView:
        return filled(
            share, route=Route.HOT, days=50, dormancy=Dormancy.DORMANT, dormancy_reason="silent"
        )

    soft, hard = plan(dormant(0.75)), plan(dormant(0.9))

    assert leaving(soft) == []
    stubs = [action for action in hard.actions if isinstance(action, Stub)]
    assert len(stubs) == 3
    assert all(len(stub.text) <= 40 for stub in stubs)


@pytest.mark.parametrize(
    "kept",
    [
        {"dormancy": Dormancy.UNKNOWN},
        {"dormancy": Dormancy.ACTIVE},
        {"dormancy": Dormancy.DORMANT, "days": 44},
        {"dormancy": Dormancy.DORMANT, "identity": True},
        {"dormancy": Dormancy.DORMANT, "protected": True},
    ],
)
def test_a_topic_that_is_not_surely_dormant_keeps_its_full_text(kept: dict[str, object]) -> None:
    item = {"route": Route.HOT, "days": 50, **kept}

    found = filled(0.95, **item)  # type: ignore[arg-type]

    assert leaving(plan(found)) == []


@pytest.mark.parametrize(
    ("warmth", "stop"), [(Warmth.LOOKED_UP, 0.4), (Warmth.TOPICAL, 0.6), (Warmth.NEEDED, 0.9)]
)
def test_hard_pressure_moves_rules_of_one_tool_to_the_target_and_of_one_topic_to_its_end(
    warmth: Warmth, stop: float
) -> None:
    found = filled(0.9, entries=20, route=Route.HOT, warmth=warmth)

    result = plan(found)

    assert (stop - 0.05) * LIMIT < result.characters_after <= stop * LIMIT


@pytest.mark.parametrize("guard", [{"protected": True}, {"identity": True}])
@pytest.mark.parametrize("warmth", [Warmth.LOOKED_UP, Warmth.TOPICAL])
def test_no_warmth_moves_what_is_protected_or_says_who_the_user_is(
    warmth: Warmth, guard: dict[str, object]
) -> None:
    found = filled(0.95, route=Route.HOT, warmth=warmth, **guard)  # type: ignore[arg-type]

    assert leaving(plan(found)) == []


def test_without_hard_pressure_every_hot_rule_stays() -> None:
    assert leaving(plan(filled(0.79, route=Route.HOT, warmth=Warmth.LOOKED_UP))) == []


def test_pointers_are_collected_oldest_first_and_never_within_a_day() -> None:
    def pointer(name: str, days: float) -> EntryFacts:
        return facts(name.ljust(40, "."), kind=EntryType.STUB, days=days)

    fresh, old, older = pointer("fresh", 0.5), pointer("old", 5), pointer("older", 9)
    bulk = facts(text_of("bulk", 470), route=Route.HOT, protected=True)
    small = view(fresh, old, older, bulk, limit=joined_length([40, 40, 40, 470]) + 10)

    result = plan(small, Demand(incoming=20))
    everything = plan(small, Demand(incoming=400))

    assert leaving(result)[:1] == [older.key] or older.key in leaving(result)
    assert set(leaving(everything)) == {old.key, older.key}
    assert all(isinstance(a, CollectStub | Keep) for a in everything.actions)


def test_compression_is_for_long_idle_text_a_judge_has_shortened() -> None:
    long = facts(text_of("long", 500), route=Route.HOT, days=31, compressed="short")
    rest = facts(text_of("rest", 300), route=Route.HOT, protected=True)

    result = plan(view(long, rest))

    assert isinstance(result.actions[0], Compress)


def test_a_long_user_entry_is_split_and_its_core_stays_word_for_word() -> None:
    core = "Answers come first, reasons after."
    tail = "Last year the family kept three goats on the hill behind the old house by the river."
    more = "The goats were called after composers, and the youngest one liked to climb the shed."
    text = f"{core} {tail} {more}"
    parts = (Sentence(core, core=True), Sentence(tail, core=False), Sentence(more, core=False))
    long = facts(text, route=Route.HOT, sentences=parts)

    result = plan(view(long, limit=len(text) + 10, target=Target.USER))

    action = result.actions[0]
    assert isinstance(action, Split)
    assert action.kept == core
    assert action.sunk == (f"{tail} {more}",)


def test_a_waiting_entry_opens_the_ladder_and_gets_its_room() -> None:
    found = filled(0.55)

    idle, asked = plan(found), plan(found, Demand(incoming=700))

    assert leaving(idle) == []
    assert asked.characters_after <= LIMIT - 700


def test_only_force_moves_unprotected_behaviour_and_only_down_to_the_budget() -> None:
    found = filled(1.4, route=Route.HOT)

    plain, forced = plan(found), plan(found, Demand(forced=True))

    assert leaving(plain) == []
    assert "above the budget" in plain.note
    assert LIMIT * 0.8 < forced.characters_after <= LIMIT


def test_under_force_protected_entries_stay_even_above_the_budget() -> None:
    found = filled(1.4, protected=True)

    assert leaving(plan(found, Demand(forced=True, incoming=200))) == []


def test_hand_written_markdown_only_loses_entries_and_gets_nothing_put_in() -> None:
    items = [
        facts(text_of(f"m {n}", 250), route=Route.HOT, days=60, dormancy=Dormancy.DORMANT)
        for n in range(4)
    ]
    cold = facts(text_of("cold", 250))
    found = view(*items, cold)
    found = replace(found, snapshot=replace(found.snapshot, free_form=True))

    assert leaving(plan(found)) == [cold.key]


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
