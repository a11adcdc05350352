from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from memorycore.errors import UnknownMemoryError
from memorycore.model.memory import Provenance, TrashReason
from memorycore.ports import Discard

if TYPE_CHECKING:
    from cold_bench import Bench

pytest_plugins = ["cold_bench"]

BY = Provenance("tester", "pytest", "asked to")


def bin_it(bench: Bench, memory: Any, reason: TrashReason = TrashReason.RELEASED) -> None:
    now = bench.clock.now()
    bench.repository.apply(
        [Discard(memory.id, reason, now + bench.retention.trash, "why")], provenance=BY, at=now
    )


@pytest.mark.parametrize("reason", list(TrashReason))
def test_an_explicit_revive_brings_back_whatever_it_was_trashed_for(
    bench: Bench, reason: TrashReason
) -> None:
    memory = bench.keep("the spare key hangs in the shed")
    bin_it(bench, memory, reason)
    result = bench.trash.revive(memory.id, provenance=BY)
    assert result.memory is not None
    assert result.memory.content == memory.content
    assert result.was is reason
    assert bench.live() == [memory.content]
    assert bench.trash.list() == []


def test_reviving_what_is_live_or_lives_again_under_another_id_changes_nothing(
    bench: Bench,
) -> None:
    memory = bench.keep("the spare key hangs in the shed")
    again = bench.trash.revive(memory.id, provenance=BY)
    assert again.memory == bench.repository.get([memory.id])[memory.id]
    assert len(bench.live()) == 1


def test_reviving_what_nobody_knows_is_told_apart(bench: Bench) -> None:
    with pytest.raises(UnknownMemoryError):
        bench.trash.revive("nothing", provenance=BY)


def test_a_value_brought_back_by_hand_is_the_newest_word_and_survives_maintenance(
    bench: Bench,
) -> None:
    old = bench.keep("port = 1")
    bench.clock.advance(days=1)
    bench.keep("port = 2")
    bench.maintenance().run()
    bench.clock.advance(days=1)
    bench.trash.revive(old.id, provenance=BY)
    bench.maintenance().run()
    assert bench.live() == ["port = 1"]


def test_the_trash_keeps_a_memory_thirty_days_and_no_longer(bench: Bench) -> None:
    bin_it(bench, bench.keep("a thing"))
    bench.clock.advance(days=29, hours=23)
    assert bench.trash.purge_expired() == (0, None)
    bench.clock.advance(hours=2)
    assert bench.trash.purge_expired() == (1, None)
    assert bench.trash.list() == []


def test_a_clock_that_leaps_ahead_and_back_costs_nothing(bench: Bench) -> None:
    bin_it(bench, bench.keep("a thing"))
    here = bench.clock.now()
    bench.clock.jump(here + timedelta(days=365))
    purged, doubt = bench.trash.purge_expired()
    assert purged == 0
    assert doubt
    bench.clock.jump(here)
    bench.clock.advance(days=1)
    assert bench.trash.purge_expired() == (0, None)
    assert len(bench.trash.list()) == 1
    bench.clock.advance(days=30)
    assert bench.trash.purge_expired()[0] == 1


def test_what_was_trashed_under_a_clock_that_stood_in_the_past_gets_its_full_time(
    bench: Bench,
) -> None:
    bench.clock.jump(bench.clock.now() - timedelta(days=9000))
    bin_it(bench, bench.keep("a thing"))
    bench.trash.purge_expired()
    bench.clock.jump(bench.clock.now() + timedelta(days=9000))
    assert bench.trash.purge_expired()[0] == 0
    bench.clock.advance(days=29)
    assert bench.trash.purge_expired()[0] == 0
    bench.clock.advance(days=2)
    assert bench.trash.purge_expired()[0] == 1


def test_a_machine_that_was_off_for_a_month_empties_its_trash_when_it_is_back(bench: Bench) -> None:
    bin_it(bench, bench.keep("a thing"))
    bench.trash.purge_expired()
    bench.clock.jump(bench.clock.now() + timedelta(days=31))
    fresh_process = type(bench.trash)(
        bench.repository, clock=bench.clock, retention=bench.retention
    )
    assert fresh_process.purge_expired() == (1, None)


def test_a_store_looked_after_every_other_month_empties_its_trash_all_the_same(
    bench: Bench,
) -> None:
    bin_it(bench, bench.keep("a thing"))
    purged = []
    for _ in range(4):
        bench.clock.jump(bench.clock.now() + timedelta(days=60))
        look = type(bench.trash)(bench.repository, clock=bench.clock, retention=bench.retention)
        purged.append(look.purge_expired()[0])
    assert sum(purged) == 1
