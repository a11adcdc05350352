from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memorycore.errors import UnknownMemoryError
from memorycore.model.memory import EventKind, Provenance
from memorycore.model.routing import Target
from memorycore.ports import Revise
from memorycore.service.history import History

if TYPE_CHECKING:
    from cold_bench import Bench

pytest_plugins = ["cold_bench"]

BY = Provenance("ada", "cli", "the pump was changed")


def test_the_life_of_a_memory_is_told_in_order_with_who_what_and_why(bench: Bench) -> None:
    memory = bench.keep("the pump runs at 3 bar")
    bench.clock.advance(days=1)
    change = Revise(memory.id, "the pump runs at 5 bar", None, 0.5, 1)
    bench.repository.apply([change], provenance=BY, at=bench.clock.now())
    bench.clock.advance(days=1)
    bench.forgetting().forget(memory.id, provenance=BY)
    bench.clock.advance(days=1)
    bench.trash.revive(memory.id, provenance=BY)
    events = History(bench.repository).of(memory.id)
    assert [event.kind for event in events] == [
        EventKind.STORED,
        EventKind.MERGED,
        EventKind.TRASHED,
        EventKind.REVIVED,
    ]
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert all(event.provenance == BY for event in events[1:])


def test_the_texts_a_memory_had_are_told_with_the_time_each_was_valid(bench: Bench) -> None:
    memory = bench.keep("the pump runs at 3 bar")
    bench.clock.advance(days=1)
    change = Revise(memory.id, "the pump runs at 5 bar", None, 0.5, 1)
    bench.repository.apply([change], provenance=BY, at=bench.clock.now())
    old, new = History(bench.repository).texts(memory.id)
    assert (old.content, new.content) == ("the pump runs at 3 bar", "the pump runs at 5 bar")
    assert old.valid_to == new.valid_from == bench.clock.now()
    assert new.valid_to is None


def test_a_hot_entry_has_a_history_under_its_key(bench: Bench) -> None:
    bench.hot_store.write_by_hand(Target.MEMORY, "Always sweep")
    (entry,) = bench.hot.reconcile(Target.MEMORY).entries
    events = History(bench.repository).of(entry.key)
    assert [event.kind for event in events] == [EventKind.ADOPTED]


def test_a_hot_entry_that_was_released_says_by_whom_and_where_it_is_now(bench: Bench) -> None:
    bench.hot_store.write_by_hand(Target.MEMORY, "Always greet Ines")
    (entry,) = bench.hot.reconcile(Target.MEMORY).entries
    bench.forgetting().release("everything about Ines", provenance=BY)
    last = History(bench.repository).of(entry.key)[-1]
    (trashed,) = bench.trash.list()
    assert (last.kind, last.provenance) == (EventKind.REMOVED, BY)
    assert last.related_id == trashed.memory.id


@pytest.mark.parametrize("unknown", ["nothing", "f" * 64])
def test_an_id_nobody_knows_is_told_apart(bench: Bench, unknown: str) -> None:
    with pytest.raises(UnknownMemoryError):
        History(bench.repository).of(unknown)
