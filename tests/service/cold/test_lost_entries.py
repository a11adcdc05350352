from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from memorycore.errors import ColdBusyError
from memorycore.model.hot import NewEntry
from memorycore.model.memory import Provenance, TrashReason
from memorycore.model.routing import Target
from memorycore.ports import Discard
from memorycore.service.hot_tier import HotTier
from memorycore.service.lost_entries import LostEntries
from memorycore.testing import FaultyStore

if TYPE_CHECKING:
    from cold_bench import Bench

pytest_plugins = ["cold_bench"]

BY = Provenance("tester", "pytest", "asked to")
MEMORY = Target.MEMORY


def by_hand(bench: Bench, *texts: str) -> None:
    bench.hot_store.write_by_hand(MEMORY, *texts)
    bench.hot.reconcile(MEMORY)


def second_process(bench: Bench, repository: Any = None) -> HotTier:
    rows = repository or bench.repository
    lost = LostEntries(
        rows, screen=bench.screen, retention=bench.retention, clock=bench.clock, ids=bench.ids
    )
    return HotTier(
        bench.hot_store,
        classify=lambda text, target: bench.classify(text, target, 0.5),
        clock=bench.clock,
        keep=lost.keep,
    )


def test_what_somebody_took_out_of_the_file_lies_whole_in_the_trash(bench: Bench) -> None:
    by_hand(bench, "Always sweep", "The shed key\nhangs behind the door")
    by_hand(bench, "Always sweep")
    assert bench.trashed() == {"The shed key\nhangs behind the door": "user"}
    (item,) = bench.repository.trash()
    assert item.expires_at - bench.clock.now() == timedelta(days=30)
    bench.trash.revive(item.memory.id, provenance=BY)
    assert bench.live() == ["The shed key\nhangs behind the door"]


def test_the_old_wording_of_an_edited_entry_is_kept_as_replaced(bench: Bench) -> None:
    by_hand(bench, "The staging box listens on port 8125")
    by_hand(bench, "The staging box listens on port 8126")
    assert bench.trashed() == {"The staging box listens on port 8125": "superseded"}


def test_a_removal_met_first_by_a_write_is_kept_as_well(bench: Bench) -> None:
    by_hand(bench, "Always sweep", "The key hangs outside")
    bench.hot_store.write_by_hand(MEMORY, "Always sweep")
    meta = bench.hot.reconcile(MEMORY).entries[0].meta
    assert meta is not None
    by_hand(bench, "Always sweep", "Otto lends ladders")
    bench.hot_store.write_by_hand(MEMORY, "Always sweep")
    bench.hot.add(MEMORY, "Always lock up", meta=meta)
    assert bench.trashed() == {"The key hangs outside": "user", "Otto lends ladders": "user"}


def test_what_governance_moved_in_any_process_is_nobodys_removal(bench: Bench) -> None:
    by_hand(bench, "Always sweep", "The key hangs outside")
    other = second_process(bench)
    other.reconcile(MEMORY)
    other.remove(MEMORY, [e.key for e in other.reconcile(MEMORY).entries if "key" in e.text])
    bench.hot.reconcile(MEMORY)
    assert bench.trashed() == {}


@pytest.mark.parametrize(
    "now", ["Always sweep. The key hangs outside", "# Key\nThe key hangs outside"]
)
def test_what_became_part_of_another_entry_is_not_gone(bench: Bench, now: str) -> None:
    by_hand(bench, "The key hangs outside")
    by_hand(bench, now)
    assert "The key hangs outside" not in bench.trashed()


def test_what_is_kept_anyway_is_not_kept_twice(bench: Bench) -> None:
    bench.keep("The key hangs outside")
    by_hand(bench, "The key hangs outside")
    by_hand(bench)
    assert bench.trashed() == {}
    assert bench.live() == ["The key hangs outside"]


def test_a_removal_by_hand_is_not_undone_by_recall(bench: Bench) -> None:
    memory = bench.keep("The key hangs outside")
    until = bench.clock.now() + timedelta(days=30)
    bench.repository.apply(
        [Discard(memory.id, TrashReason.STALE, until, "old")],
        provenance=BY,
        at=bench.clock.now(),
    )
    by_hand(bench, "The key hangs outside")
    by_hand(bench)
    assert bench.trashed() == {"The key hangs outside": "user"}


def test_a_secret_taken_out_by_hand_enters_no_store(bench: Bench) -> None:
    by_hand(bench, "the gate opens with hunter2")
    by_hand(bench)
    assert bench.trashed() == {}


def test_a_purge_is_not_undone_by_a_process_that_still_knew_the_text(bench: Bench) -> None:
    by_hand(bench, "Always sweep", "Ines keeps bees")
    other = second_process(bench)
    other.reconcile(MEMORY)
    bench.clock.advance(hours=1)
    bench.forgetting().purge("everything about Ines", provenance=BY)
    bench.hot_store.commit(
        MEMORY,
        [NewEntry("Ines keeps bees", None)],
        expected=bench.hot_store.read(MEMORY).revision,
    )
    bench.hot_store.write_by_hand(MEMORY, "Always sweep")
    other.reconcile(MEMORY)
    assert bench.trashed() == {}


def test_what_a_busy_store_could_not_take_is_kept_at_the_next_look(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    faulty = FaultyStore(bench.repository, method="apply", fault=ColdBusyError("busy"))
    tier = second_process(bench, faulty)
    bench.hot_store.write_by_hand(MEMORY, "Ines keeps bees")
    tier.reconcile(MEMORY)
    bench.hot_store.write_by_hand(MEMORY)
    tier.reconcile(MEMORY)
    assert "waiting" in caplog.text
    bench.hot_store.write_by_hand(MEMORY, "Always sweep")
    tier.reconcile(MEMORY)
    assert bench.trashed() == {"Ines keeps bees": "user"}
