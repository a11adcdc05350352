"""Machines that share one store in PostgreSQL, and parts of it dying while they write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cold_services import ANNA, AUTHORS, BEN, running_cold_server
from typing_extensions import override

from memorycore import MemoryCore, Settings, open_core
from memorycore.adapters.clock import SystemClock
from memorycore.bootstrap.cold_service import open_cold_service
from memorycore.entrypoints.cold_server.tools import ContractTools
from memorycore.model.results import StoreStatus
from memorycore.settings import ColdBackend, EmbedderKind
from memorycore.testing import ColdStoreContract, StoreWire, Surroundings

if TYPE_CHECKING:
    from postgres_server import PostgresServer

pytest_plugins = ["cold_backends"]

pytest.importorskip("psycopg", reason="psycopg is not installed", exc_type=ImportError)


class Skipping(SystemClock):
    """The machine's time, and what a test does not want to wait for."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def skip(self, seconds: float) -> None:
        self._skipped += seconds

    @override
    def monotonic(self) -> float:
        return super().monotonic() + self._skipped


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    from postgres_server import binaries, remove_server, start_server  # noqa: PLC0415

    if binaries() is None:
        pytest.skip("pgserver has no wheel for this Python")
    server = start_server()
    yield server
    remove_server(server)


def machine(folder: Path, backend: ColdBackend, url: str, **more: Any) -> Settings:
    return Settings(
        memory_dir=folder / "memory",
        data_dir=folder / "data",
        cold_backend=backend,
        cold_url=url,
        embedder=EmbedderKind.NONE,
        **more,
    )


def reading(name: str, number: int) -> str:
    level = 100 * number + len(name)
    return (
        f"Gauge {name}-{number} of the weir read {level} cm on 2025-10-{number:02d}; logged, done."
    )


def write(name: str, core: MemoryCore) -> dict[str, StoreStatus]:
    texts = [reading(name, number) for number in range(1, 13)]
    return {text: core.store_fact(text).status for text in texts}


def live(url: str) -> list[str]:
    from memorycore.adapters.cold_postgres import open_postgres  # noqa: PLC0415

    database = open_postgres(url, timeout=30)
    try:
        return sorted(memory.content for memory in database.repository.scan(limit=1000))
    finally:
        database.close()


@pytest.mark.slow
@pytest.mark.parametrize("dying", ["cold server", "database"])
def test_two_machines_lose_nothing_and_tell_nothing_twice_when_what_they_share_dies(
    own_server: PostgresServer, tmp_path: Path, dying: str
) -> None:
    from postgres_server import make_database  # noqa: PLC0415

    url = make_database(own_server.url(), f"shared_{dying.replace(' ', '_')}")
    environment = {"MEMORYCORE_COLD_BACKEND": "postgres", "MEMORYCORE_COLD_URL": url}
    clock = Skipping()
    with ExitStack() as stack:
        service = stack.enter_context(
            running_cold_server(tmp_path, *AUTHORS, "--shared", environment=environment)
        )
        kill, start = (
            (service.kill, service.start)
            if dying == "cold server"
            else (own_server.kill, own_server.start)
        )
        cores = {
            name: stack.enter_context(
                open_core(
                    machine(tmp_path / name, ColdBackend.MCP, service.url, cold_token=token),
                    clock=clock,
                )
            )
            for name, token in (("one", ANNA), ("second", BEN))
        }
        statuses = _write_while(cores, lambda: len(live(url)) >= 4, kill)
        start()
        assert {*statuses.values()} == {StoreStatus.COLD_STORED, StoreStatus.COLD_QUEUED}
        for core in cores.values():
            clock.skip(300)
            core.jobs.run_due("outbox")
            assert core.usage().cold.queued == 0
        assert live(url) == sorted(statuses)
        for core in cores.values():
            assert core.recall(reading("one", 7)).hits[0].content == reading("one", 7)


def _write_while(
    cores: dict[str, MemoryCore], ready: Callable[[], bool], kill: Callable[[], None]
) -> dict[str, StoreStatus]:
    with ThreadPoolExecutor(len(cores)) as pool:
        told = [pool.submit(write, name, core) for name, core in cores.items()]
        while not ready():
            time.sleep(0.01)
        kill()
        return {text: status for one in told for text, status in one.result().items()}


def test_machines_on_one_database_govern_it_together(postgres_url: str, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "second"]
    one, second = (open_core(machine(at, ColdBackend.POSTGRES, postgres_url)) for at in folders)
    told = "Decision of 2026-03-02: the invoices of project heron moved to host crane-3, done."
    kept = one.store_fact(told)
    assert kept.status is StoreStatus.COLD_STORED
    assert second.store_fact(told).status is StoreStatus.COLD_DUPLICATE
    assert [hit.content for hit in second.recall("invoices of project heron").hits] == [told]
    assert kept.memory_id is not None
    assert second.maintain().to_dict()
    assert second.usage().cold.backend == "postgres"
    second.purge(kept.memory_id)
    assert one.recall("invoices of project heron").hits == ()
    here = [file.read_bytes() for file in folders[1].rglob("*") if file.is_file()]
    assert b"crane-3" not in b"".join(here)
    for core in (one, second):
        core.close()


def test_a_pass_runs_on_one_machine_of_many_at_a_time(postgres_url: str, tmp_path: Path) -> None:
    from memorycore.bootstrap.databases import with_postgres  # noqa: PLC0415

    here, there = (with_postgres(tmp_path / f"{n}.db", postgres_url, timeout=5) for n in range(2))
    now = SystemClock().now()
    until = now.replace(year=now.year + 1)
    lasting = min(until, now + (until - now) / 1000)
    assert here.leases.acquire("maintenance", owner="here", now=now, until=lasting)
    assert not there.leases.acquire("maintenance", owner="there", now=now, until=lasting)
    here.leases.release("maintenance", owner="here")
    assert there.leases.acquire("maintenance", owner="there", now=now, until=lasting)
    here.close()
    there.close()


@pytest.mark.slow
def test_a_store_in_postgres_keeps_the_whole_contract(postgres_url: str, tmp_path: Path) -> None:
    service = open_cold_service(machine(tmp_path, ColdBackend.POSTGRES, postgres_url))
    tools = ContractTools(service.served)
    around = Surroundings(other=StoreWire(tools, author="ben"))
    wire = StoreWire(tools, author="anna")
    report = ColdStoreContract(wire, tag="efgh", around=around).run()
    service.close()
    told = "\n".join(f"{one.name}: {one.saw}" for one in report.failed)
    assert report.conforming, told
