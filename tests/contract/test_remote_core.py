"""Whole cores with their cold tier on another machine, and that machine in trouble."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Semaphore
from typing import Any

import pytest
from cold_services import ANNA, AUTHORS, BEN, Service, running_cold_server
from typing_extensions import override

from memorycore import MemoryCore, Settings, open_core
from memorycore.adapters.clock import SystemClock
from memorycore.bootstrap.contract import wire_to
from memorycore.model.results import StoreStatus
from memorycore.model.routing import Target
from memorycore.settings import ColdBackend, EmbedderKind

PATIENCE = 60.0
"""Seconds that another thread gets; a busy machine may need many."""

DEAD = "http://127.0.0.1:9/mcp"
FACT = "Decision of 2026-03-02: the invoices of project heron moved to host crane-3, done."


def settings(folder: Path, url: str, token: str = ANNA, **more: Any) -> Settings:
    return Settings(
        memory_dir=folder / "memory",
        data_dir=folder / "data",
        cold_backend=ColdBackend.MCP,
        cold_url=url,
        cold_token=token,
        embedder=EmbedderKind.NONE,
        **more,
    )


class Skipping(SystemClock):
    """The machine's time, and the minutes a test does not want to wait for."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def skip(self, seconds: float) -> None:
        self._skipped += seconds

    @override
    def monotonic(self) -> float:
        return super().monotonic() + self._skipped


CLOCK = Skipping()


@contextmanager
def core_at(folder: Path, url: str, token: str = ANNA, **more: Any) -> Iterator[MemoryCore]:
    with open_core(settings(folder, url, token, **more), clock=CLOCK) as core:
        yield core


def state(number: int) -> str:
    return f"Release {number}.4 of the ledger was shipped on 2025-11-{number:02d}; job {number} is done."


def found(core: MemoryCore, query: str) -> list[str]:
    return [hit.content for hit in core.recall(query).hits]


def test_a_write_to_a_dead_remote_is_queued_counted_and_found(tmp_path: Path) -> None:
    with core_at(tmp_path, DEAD) as core:
        kept = core.store_fact(FACT)
        assert kept.status is StoreStatus.COLD_QUEUED
        assert "outbox" in kept.reason
        usage = core.usage()
        assert usage.cold.queued == 1
        assert any("outbox" in note for note in usage.notes)
        recalled = core.recall("invoices of project heron")
        assert [hit.content for hit in recalled.hits] == [FACT]
        assert recalled.degraded is not None


def test_overflow_moves_nothing_while_the_remote_is_down(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    texts = [state(number) for number in range(1, 25)]
    (folder / "MEMORY.md").write_text("\n§\n".join(texts), encoding="utf-8")
    before = (folder / "MEMORY.md").read_bytes()
    with core_at(tmp_path, DEAD, memory_char_limit=1500) as core:
        core.overflow("memory")
        assert core.usage().hot[0].pressure > 1
    assert (folder / "MEMORY.md").read_bytes() == before


def test_a_prefetch_returns_the_hot_files_while_the_remote_is_down(tmp_path: Path) -> None:
    with core_at(tmp_path, DEAD) as core:
        core.store_fact("Always answer in short sentences.", importance=0.95)
        for _ in range(5):
            result = core.prefetch("answer in short sentences", budget=0.5)
            assert [hit.content for hit in result.hits] == ["Always answer in short sentences."]
            assert result.degraded is not None


@pytest.mark.slow
def test_two_machines_share_a_server_that_is_killed_and_nothing_is_lost_or_doubled(
    tmp_path: Path,
) -> None:
    with (
        running_cold_server(tmp_path, *AUTHORS, "--shared") as service,
        core_at(tmp_path / "one", service.url) as one,
        core_at(tmp_path / "two", service.url, BEN) as two,
    ):
        told, dead = Semaphore(0), Event()
        with ThreadPoolExecutor(2) as pool:
            writers = [
                pool.submit(_write, name, core, told, dead)
                for name, core in (("one", one), ("two", two))
            ]
            try:
                assert all(told.acquire(timeout=PATIENCE) for _ in range(4))
                service.kill()
            finally:
                dead.set()
            statuses = writers[0].result() | writers[1].result()
        assert set(statuses.values()) == {StoreStatus.COLD_STORED, StoreStatus.COLD_QUEUED}
        service.start()
        _drain(one, two)
        assert sorted(_live(service)) == sorted(statuses)
        for text in (gauge("one", 12), gauge("two", 1)):
            assert found(one, text)[0] == found(two, text)[0] == text


@pytest.mark.slow
def test_what_waited_is_delivered_by_the_next_process(tmp_path: Path) -> None:
    with core_at(tmp_path / "one", DEAD) as core:
        assert core.store_fact(FACT).status is StoreStatus.COLD_QUEUED
    with (
        running_cold_server(tmp_path, *AUTHORS) as service,
        core_at(tmp_path / "one", service.url) as core,
    ):
        _drain(core)
        recalled = core.recall("invoices of project heron").hits
        assert [hit.content for hit in recalled] == [FACT]
        assert core.usage().cold.live == 1
        assert core.history(recalled[0].id)[0].provenance.actor == "anna"


@pytest.mark.slow
def test_what_leaves_the_hot_file_is_read_back_from_the_remote_first(tmp_path: Path) -> None:
    folder = tmp_path / "one" / "memory"
    folder.mkdir(parents=True)
    texts = [state(number) for number in range(1, 25)]
    (folder / "MEMORY.md").write_text("\n§\n".join(texts), encoding="utf-8")
    with (
        running_cold_server(tmp_path, *AUTHORS) as service,
        core_at(tmp_path / "one", service.url, memory_char_limit=1500) as core,
    ):
        report = core.overflow("memory")["memory"]
        assert report.moved > 0
        left = (folder / "MEMORY.md").read_text(encoding="utf-8").split("\n§\n")
        trashed = [item.memory.content for item in core.trash()]
        held = " ".join([*left, *_live(service), *trashed])
        assert [text for text in texts if text not in held] == []
        assert core.usage().hot[0].target is Target.MEMORY


def _write(name: str, core: MemoryCore, told: Semaphore, dead: Event) -> dict[str, StoreStatus]:
    """Write all the time while the server dies, and the last text after its death."""
    statuses = {}
    for number in range(1, 13):
        if number == 12:
            dead.wait(PATIENCE)
        statuses[gauge(name, number)] = core.store_fact(gauge(name, number)).status
        told.release()
    return statuses


def gauge(name: str, number: int) -> str:
    level = 100 * number + (7 if name == "one" else 3)
    return (
        f"Gauge {name}-{number} of the weir read {level} cm on 2025-10-{number:02d}; logged, done."
    )


def _drain(*cores: MemoryCore) -> None:
    CLOCK.skip(120)
    for core in cores:
        core.jobs.run_due("outbox")
        assert core.usage().cold.queued == 0


def _live(service: Service) -> list[str]:
    wire = wire_to(service.url, ANNA)
    rows = wire.call("scan", {"limit": 100}).fields["memories"]
    wire.close()
    return [row["content"] for row in rows]
