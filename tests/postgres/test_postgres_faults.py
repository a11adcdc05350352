"""What a server does to its clients: it dies, hangs, refuses, is newer, has no pgvector, is written to by many."""

from __future__ import annotations

import logging
import multiprocessing
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from cold_rows import DAY, NOW, do, found, kinds, look, put, unit

from memorycore.errors import (
    ColdBusyError,
    ColdConflictError,
    ColdUnavailableError,
    ConfigurationError,
    InvalidInputError,
    SchemaTooNewError,
)
from memorycore.model.memory import EventKind, TrashReason
from memorycore.ports import Discard, Erase, Revise

if TYPE_CHECKING:
    from postgres_server import PostgresServer

    from memorycore.adapters.cold_postgres import PostgresDatabase

pytest_plugins = ["cold_backends"]

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed", exc_type=ImportError)


def opened(url: str, timeout: float = 5.0) -> PostgresDatabase:
    from memorycore.adapters.cold_postgres import open_postgres  # noqa: PLC0415 - needs the driver

    return open_postgres(url, timeout=timeout)


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresDatabase]:
    database = opened(postgres_url)
    yield database
    database.close()


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    """A server that tests may kill and configure."""
    from postgres_server import binaries, remove_server, start_server  # noqa: PLC0415

    if binaries() is None:
        pytest.skip("pgserver has no wheel for this Python")
    server = start_server(wal_recycle="off", min_wal_size="32MB", autovacuum="off")
    yield server
    remove_server(server)


def _write_some(url: str, name: str, count: int) -> None:
    database = opened(url, timeout=60)
    try:
        for number in range(count):
            put(database, f"{name}-{number}", f"fact {number} of {name}", unit(1, number))
    finally:
        database.close()


def test_writers_in_threads_and_processes_lose_nothing_and_no_change_number_is_skipped(
    postgres_url: str, store: PostgresDatabase
) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=_write_some, args=(postgres_url, f"process{n}", 20))
        for n in range(4)
    ]
    for process in processes:
        process.start()
    marks: list[int] = []
    seen: set[str] = set()
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            since = marks[-1] if marks else 0
            marks.append(store.repository.change_number())
            seen.update(one.id for one in store.repository.scan(limit=9999, changed_since=since))

    watcher = threading.Thread(target=watch)
    watcher.start()
    with ThreadPoolExecutor(16) as pool:
        done = [
            pool.submit(put, store, f"thread{n}", f"fact of thread {n}", unit(1, n))
            for n in range(64)
        ]
        assert {one.result() for one in done} == {f"thread{n}" for n in range(64)}
    for process in processes:
        process.join(60)
    stop.set()
    watcher.join()
    assert [process.exitcode for process in processes] == [0] * 4
    wanted = {f"thread{n}" for n in range(64)} | {
        f"process{p}-{n}" for p in range(4) for n in range(20)
    }
    assert store.repository.change_number() == len(wanted)
    seen.update(one.id for one in store.repository.scan(limit=9999, changed_since=marks[-1]))
    assert seen == wanted
    assert store.repository.integrity() is None


def test_one_text_told_by_many_at_once_is_kept_once(store: PostgresDatabase) -> None:
    def tell(number: int) -> bool:
        try:
            put(store, f"m{number}", "the same text")
        except ColdConflictError:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(tell, range(16))) == 1
    assert store.repository.counts().live == 1


def test_many_may_open_an_empty_database_at_once(postgres_url: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: opened(postgres_url, timeout=60), range(6)))
    put(stores[0], "a", "told to the first")
    assert all(one.repository.get(["a"]) for one in stores)
    for one in stores:
        one.close()


def test_a_schema_of_a_newer_release_is_refused_and_left_alone(
    postgres_url: str, store: PostgresDatabase
) -> None:
    with store.pool.write() as connection:
        connection.execute("INSERT INTO migrations VALUES (999, now())")
    with pytest.raises(SchemaTooNewError, match="upgrade memorycore"):
        opened(postgres_url)


def test_a_migration_that_fails_leaves_the_version_before_it(store: PostgresDatabase) -> None:
    from memorycore.adapters.cold_postgres.schema import MIGRATIONS, migrate  # noqa: PLC0415

    put(store, "a", "the kettle is blue")
    with pytest.raises(Exception, match="nonsense"):
        migrate(store.pool, [*MIGRATIONS, "CREATE TABLE half (a int); SELECT nonsense"])
    migrate(store.pool, [*MIGRATIONS, "CREATE TABLE whole (a int)"])
    with store.pool.read() as connection:
        known = connection.execute(
            "SELECT max(version), to_regclass('half'), to_regclass('whole') IS NULL FROM migrations"
        ).fetchone()
    assert known == (2, None, False)
    assert store.repository.get(["a"])


def test_a_killed_server_is_unavailable_at_once_and_usable_when_it_is_back(
    own_server: PostgresServer,
) -> None:
    from postgres_server import make_database  # noqa: PLC0415

    store = opened(make_database(own_server.url(), "killed"), timeout=2)
    put(store, "a", "told before")
    own_server.kill()
    with pytest.raises(ColdUnavailableError):
        put(store, "b", "told while it was dead")
    begun = time.monotonic()
    for _ in range(3):
        with pytest.raises(ColdUnavailableError):
            store.repository.counts()
    assert time.monotonic() - begun < 2
    assert "PostgreSQL" in str(store.repository.integrity())
    own_server.start()
    assert put(store, "b", "told while it was dead") == "b"
    assert store.repository.get(["a", "b"]).keys() == {"a", "b"}
    assert store.repository.integrity() is None
    store.close()


def test_a_killed_session_breaks_one_call_and_no_more(
    postgres_url: str, store: PostgresDatabase
) -> None:
    put(store, "a", "told before")
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'memorycore' AND datname = current_database()"
        )
    assert store.repository.get(["a"])


def test_a_write_that_waits_too_long_for_another_is_busy_and_reads_never_wait(
    postgres_url: str, store: PostgresDatabase
) -> None:
    put(store, "a", "the kettle is blue", unit(1, 0))
    impatient = opened(postgres_url, timeout=0.2)
    with store.pool.write() as holder:
        holder.execute("UPDATE memories SET importance = 0.9 WHERE id = 'a'")
        with pytest.raises(ColdBusyError, match="try again"):
            put(impatient, "b", "the kettle is red")
        assert found(impatient, "kettle", unit(1, 0)) == {"a"}
        impatient.repository.note_recalled(["a"], at=NOW)
    impatient.repository.note_recalled(["a"], at=NOW + DAY)
    memory = impatient.repository.get(["a"])["a"]
    assert (memory.recall_count, memory.last_recalled) == (1, NOW + DAY)
    impatient.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://heron:s3cr3t-word@127.0.0.1:1/none",
        "host=127.0.0.1 port=1 user=heron password=s3cr3t-word dbname=none",
        "postgresql://heron:s3cr3t-word@127.0.0.1:badport/none",
        "postgresql://heron:s3cr3t-word@@127.0.0.1:1/none?sslmode=wrong",
        "s3cr3t-word",
    ],
)
def test_no_message_and_no_log_line_holds_the_password(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises((ColdUnavailableError, ConfigurationError)) as caught:
        opened(url, timeout=2)
    fault: BaseException | None = caught.value
    told = caplog.text
    while fault is not None:
        told += str(fault) + repr(fault)
        fault = fault.__cause__
    assert "s3cr3t" not in told


@pytest.mark.parametrize(
    ("text", "source"), [("a fact", "half a pair \ud800"), ("cut\x00off", None)]
)
def test_text_that_the_server_cannot_hold_is_refused_whole(
    store: PostgresDatabase, text: str, source: str | None
) -> None:
    with pytest.raises(InvalidInputError):
        put(store, "a", text, source=source)
    assert look(store, f"{text} {source}") == []
    assert store.repository.counts().live == 0
    put(store, "b", "a whole text")
    assert found(store, "whole") == {"b"}


def test_a_purged_text_stands_nowhere_in_the_folder_of_the_server(
    own_server: PostgresServer,
) -> None:
    from postgres_server import make_database  # noqa: PLC0415

    store = opened(make_database(own_server.url(), "purged"), timeout=20)
    for number in range(40):
        put(store, f"m{number}", f"ordinary fact {number}")
    put(store, "a", "the passphrase hint is zanzibarquokka", unit(1, 0))
    do(store, Revise("a", "the hint is zanzibarquokka2", unit(0, 1), 0.5, 1))
    put(store, "b", "an unrelated wombatfjord text " * 300)
    do(store, Discard("b", TrashReason.USER, NOW + DAY, "wombatfjord"))
    store.repository.optimise()
    do(store, Erase(("a", "b")))
    left = [
        path.name
        for path in own_server.data.rglob("*")
        if path.is_file() and any(piece in path.read_bytes() for piece in (b"zanzibar", b"wombat"))
    ]
    assert left == []
    assert store.repository.revisions("a") == []
    assert kinds(store, "a")[-1] is EventKind.PURGED
    assert store.repository.integrity() is None
    store.close()


def test_an_erasure_in_a_table_in_use_is_finished_by_maintenance(
    postgres_url: str, store: PostgresDatabase
) -> None:
    impatient = opened(postgres_url, timeout=0.2)
    put(store, "a", "the kettle is blue")
    with store.pool.read() as reader:
        reader.execute("SELECT count(*) FROM memories")
        do(impatient, Erase(("a",)))
        assert impatient.repository.state("unscrubbed") == "yes"
    impatient.repository.optimise()
    assert impatient.repository.state("unscrubbed") is None
    impatient.close()
