from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from memorycore.model.limits import ColdLimits
from memorycore.model.memory import EventKind

if TYPE_CHECKING:
    from cold_bench import Bench

pytest_plugins = ["cold_bench"]

BenchWith = Callable[..., "Bench"]


@pytest.mark.parametrize("copies", [2, 3, 10])
def test_of_any_number_of_copies_exactly_one_stays(bench: Bench, copies: int) -> None:
    for number in range(copies):
        bench.keep("The boiler is in the cellar" + "." * number)
        bench.clock.advance(minutes=1)
    first = bench.maintenance().run()
    again = bench.maintenance().run()
    assert len(bench.live()) == 1
    assert first.duplicates == copies - 1
    assert again.duplicates == again.examined == 0
    assert set(bench.trashed().values()) == {"merged"}


def test_similar_memories_are_joined_and_no_part_of_them_is_lost(bench: Bench) -> None:
    for part in ("ana+paints", "ana+sings", "ana+rows"):
        bench.keep(part)
        bench.clock.advance(minutes=1)
    report = bench.maintenance().run()
    (text,) = bench.live()
    assert report.merged == 2
    assert all(part in text for part in ("paints", "sings", "rows"))
    assert bench.maintenance().run().examined == 0


def test_of_a_chain_of_values_the_newest_stays_and_the_others_name_their_successor(
    bench: Bench,
) -> None:
    for value in ("port = 1", "port = 2", "port = 3"):
        bench.keep(value)
        bench.clock.advance(minutes=1)
    assert bench.maintenance().run().superseded == 2
    assert bench.live() == ["port = 3"]
    (kept,) = bench.repository.scan()
    successors = {item.successor_id for item in bench.repository.trash()}
    assert kept.id in successors
    assert set(bench.trashed().values()) == {"superseded"}


def test_memories_of_two_authors_or_scopes_never_meet(bench: Bench) -> None:
    bench.keep("port = 1")
    bench.keep("port = 2", author="bo")
    bench.keep("port = 3", scope="project:x")
    assert bench.maintenance().run().superseded == 0
    assert len(bench.live()) == 3


@pytest.mark.parametrize("open_rows", ["sqlite"], indirect=True)
def test_a_year_of_passes_over_a_store_nobody_touches_changes_nothing(bench: Bench) -> None:
    for number in range(30):
        bench.keep(f"shelf {number} holds box {number * 7}", importance=0.5)
    bench.maintenance().run()
    before, stamp = bench.live(), bench.repository.change_number()
    for _ in range(730):
        bench.clock.advance(hours=12)
        report = bench.maintenance().run()
        assert report.examined == 0
    assert bench.live() == before
    assert bench.repository.change_number() == stamp
    assert bench.trashed() == {}


def test_a_pass_looks_only_at_what_changed_unless_it_is_a_full_one(bench: Bench) -> None:
    for number in range(40):
        bench.keep(f"shelf {number} holds box {number * 7}")
    assert bench.maintenance().run().examined == 40
    bench.keep("a new thing")
    assert bench.maintenance().run().examined == 1
    assert bench.maintenance().run(full=True).examined == 41


def test_a_cancelled_pass_goes_on_where_it_stopped(bench: Bench) -> None:
    for number in range(60):
        bench.keep(f"shelf {number} holds box {number * 7}")
    looks = iter([False] * 30 + [True] * 1000)
    report = bench.maintenance().run(cancelled=lambda: next(looks))
    assert not report.finished
    assert 0 < report.examined < 60
    rest = bench.maintenance().run()
    assert rest.finished
    assert rest.examined < 60
    assert bench.maintenance().run().examined == 0


@pytest.mark.parametrize("other", ["a", "b"])
def test_while_one_core_runs_a_pass_another_does_nothing(bench: Bench, other: str) -> None:
    bench.keep("a thing")
    reports = []
    bench.maintenance("a").run(progress=lambda *_: reports.append(bench.maintenance(other).run()))
    assert reports
    assert not any(report.finished or report.examined for report in reports)
    assert bench.maintenance(other).run().finished


def test_a_crashed_pass_blocks_the_next_no_longer_than_its_lease(bench: Bench) -> None:
    now = bench.clock.now()
    bench.database.leases.acquire(
        "maintenance", owner="dead", now=now, until=now + timedelta(minutes=5)
    )
    assert not bench.maintenance().run().finished
    bench.clock.advance(minutes=6)
    assert bench.maintenance().run().finished


def test_a_pass_fills_in_the_vectors_that_were_pending(bench: Bench) -> None:
    bench.embedder.fail = True
    bench.keep("written while the model was away")
    bench.embedder.fail = False
    bench.clock.advance(minutes=5)
    assert bench.maintenance().run().embedded == 1
    assert bench.repository.counts().pending_vectors == 0


def test_an_embedder_that_is_down_does_not_stop_a_pass(bench: Bench) -> None:
    bench.embedder.fail = True
    bench.keep("port = 1")
    bench.clock.advance(minutes=1)
    bench.keep("port = 2")
    report = bench.maintenance().run()
    assert report.finished
    assert report.superseded == 1
    assert any("pending" in note for note in report.notes)


def test_what_nobody_used_for_long_fades_and_what_matters_stays(bench: Bench) -> None:
    bench.keep("a trifle", importance=0.1)
    bench.keep("a rule of the house", importance=0.1, protected=True)
    bench.keep("an anniversary", importance=0.8)
    bench.keep("recalled often", importance=0.1)
    bench.clock.advance(days=200)
    recalled = [m.id for m in bench.repository.scan() if m.content == "recalled often"]
    bench.repository.note_recalled(recalled, at=bench.clock.now())
    bench.clock.advance(days=200)
    assert bench.maintenance().run().decayed == 1
    assert bench.trashed() == {"a trifle": "decayed"}


def test_what_was_told_long_ago_and_imported_today_does_not_fade_at_once(bench: Bench) -> None:
    told = bench.clock.now() - timedelta(days=3000)
    bench.keep("from an old diary", importance=0.1, told=told)
    assert bench.maintenance().run().decayed == 0
    bench.clock.advance(days=200)
    assert bench.maintenance().run().decayed == 0
    bench.clock.advance(days=200)
    assert bench.maintenance().run().decayed == 1


def test_a_session_leaves_as_a_whole_a_week_after_its_last_write(bench: Bench) -> None:
    bench.keep("one", scope="session:9")
    bench.clock.advance(days=5)
    bench.keep("two", scope="session:9")
    bench.clock.advance(days=6)
    assert bench.maintenance().run().stale == 0
    bench.clock.advance(days=2)
    assert bench.maintenance().run().stale == 2


def test_above_the_hard_limit_the_least_retained_leave_down_to_the_soft_one(
    bench_with: BenchWith,
) -> None:
    bench = bench_with(limits=ColdLimits(soft=10, hard=15))
    for number in range(20):
        bench.keep(f"thing {number:02}", importance=number / 25)
    report = bench.maintenance().make_room()
    assert report.live == 10
    assert bench.live() == [f"thing {number}" for number in range(10, 20)]
    assert set(bench.trashed().values()) == {"evicted"}


def test_one_pass_replaces_a_bounded_share_and_the_next_passes_finish_the_work(
    bench: Bench,
) -> None:
    settings = [sha256(bytes([number])).hexdigest()[:16] for number in range(150)]
    for setting in settings:
        bench.keep(f"{setting} = old")
        bench.clock.advance(seconds=1)
        bench.keep(f"{setting} = new")
    first = bench.maintenance().run()
    assert first.superseded < 150
    assert first.notes
    assert first.superseded + bench.maintenance().run().superseded == 150
    assert bench.live() == sorted(f"{setting} = new" for setting in settings)


def test_a_database_put_back_from_a_copy_is_looked_at_from_the_beginning(bench: Bench) -> None:
    bench.keep("a thing")
    bench.repository.set_state("maintenance.watermark", "99999")
    assert bench.maintenance().run().examined == 1


def test_every_change_says_who_did_it_and_why(bench: Bench) -> None:
    old = bench.keep("port = 1")
    bench.clock.advance(minutes=1)
    bench.keep("port = 2")
    bench.maintenance().run()
    last = bench.repository.events(memory_id=old.id)[-1]
    assert last.kind is EventKind.SUPERSEDED
    assert last.provenance.tool == "maintenance"
    assert last.provenance.reason
