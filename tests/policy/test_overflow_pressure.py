"""What hard pressure, a waiting entry and force open, and what they leave alone."""

from dataclasses import replace

import pytest
from planned_entries import LIMIT, facts, filled, leaving, plan, text_of, view

from memorycore.model.plan import (
    CollectStub,
    Compress,
    Keep,
    Split,
    Stub,
)
from memorycore.model.routing import EntryType, Route, Target
from memorycore.policy.overflow.facts import (
    Dormancy,
    EntryFacts,
    OverflowView,
    Sentence,
    Warmth,
    joined_length,
)
from memorycore.policy.overflow.ladder import Demand


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
