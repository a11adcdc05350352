"""The database file: who may read it, what damages it, and what a newer or older release finds."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from cold_rows import BY, NOW, do, found, kinds, put, row, trash, unit

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.adapters.cold_sqlite.connection import Connections
from memorycore.adapters.cold_sqlite.schema import MIGRATIONS, current_version, migrate
from memorycore.errors import (
    ColdBusyError,
    ColdCorruptError,
    ColdTierError,
    ColdUnavailableError,
    SchemaTooNewError,
    UnknownMemoryError,
)
from memorycore.model.memory import EventKind, TrashReason
from memorycore.ports import Activity, Erase, Revise


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "memorycore.db"


@pytest.fixture
def database(path: Path) -> Iterator[SqliteDatabase]:
    opened = open_database(path)
    yield opened
    opened.close()


def test_every_file_is_readable_by_its_owner_only(path: Path, database: SqliteDatabase) -> None:
    put(database, "a", "the kettle is blue")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert set(modes) >= {"memorycore.db", "memorycore.db-wal"}
    assert set(modes.values()) == {0o600}


def test_what_was_written_is_there_after_a_restart(path: Path) -> None:
    first = open_database(path)
    put(first, "a", "the kettle is blue")
    first.close()
    second = open_database(path)
    assert second.repository.get(["a"])["a"] == row("a", "the kettle is blue")
    second.close()


def test_closing_twice_is_harmless(path: Path) -> None:
    database = open_database(path)
    database.close()
    database.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"this is no database at all, " * 300,
        lambda raw: raw[: len(raw) // 2 + 100],
        lambda raw: raw[:100] + b"\xff" * 4000 + raw[4100:],
        lambda raw: b"SQLite format 3\x00" + b"\x00" * 50,
    ],
    ids=["text", "cut in two", "first page overwritten", "a header alone"],
)
def test_a_damaged_file_is_refused_and_left_as_it_is(path: Path, damage: object) -> None:
    database = open_database(path)
    for number in range(50):
        put(database, f"m{number}", f"fact number {number} about the harbour")
    database.close()
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(ColdCorruptError, match="left as it is"):
        _read_everything(path)
    assert path.read_bytes() == before


def _read_everything(path: Path) -> None:
    database = open_database(path)
    try:
        list(database.repository.scan())
    finally:
        database.close()


def test_damage_inside_is_named_by_the_integrity_check(path: Path) -> None:
    database = open_database(path)
    put(database, "a", "the kettle is blue")
    assert database.repository.integrity() is None
    with database.connections.write() as connection:
        connection.execute("DELETE FROM live_index WHERE rowid = 1")
    assert "full-text index" in (database.repository.integrity() or "")
    database.close()


def test_a_schema_of_a_newer_release_is_refused(path: Path) -> None:
    open_database(path).close()
    newer = apsw.Connection(str(path))
    newer.execute("INSERT INTO migrations VALUES (99, 'tomorrow')")
    newer.close()
    with pytest.raises(SchemaTooNewError, match="upgrade memorycore"):
        open_database(path)


def test_migrations_run_once_each_and_a_failing_one_leaves_the_schema_before_it(path: Path) -> None:
    connections = Connections(path)
    migrate(connections)
    broken = (*MIGRATIONS, "CREATE TABLE half (a); CREATE TABLE half (a);")
    with pytest.raises(ColdTierError):
        migrate(connections, broken)
    with connections.read() as reader:
        assert current_version(reader) == len(MIGRATIONS)
        tables = reader.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchall()
    assert tables == [(0,)]
    migrate(connections, (*MIGRATIONS, "CREATE TABLE whole (a);"))
    migrate(connections, (*MIGRATIONS, "CREATE TABLE whole (a);"))
    with connections.read() as reader:
        assert current_version(reader) == len(MIGRATIONS) + 1
    connections.close()


def test_a_folder_or_a_file_in_the_way_is_told_with_advice(tmp_path: Path) -> None:
    with pytest.raises(ColdUnavailableError, match="is a folder"):
        open_database(tmp_path)
    (tmp_path / "occupied").write_text("a file", encoding="utf-8")
    with pytest.raises(ColdUnavailableError, match="data_dir"):
        open_database(tmp_path / "occupied" / "memorycore.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_told_with_advice(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ColdUnavailableError, match="writable"):
            open_database(tmp_path / "memorycore.db")
    finally:
        tmp_path.chmod(0o700)


def test_another_process_that_holds_the_lock_makes_a_write_fail_as_busy(
    path: Path, database: SqliteDatabase
) -> None:
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    with database.connections.alone() as writer:
        writer.set_busy_timeout(1)
    with pytest.raises(ColdBusyError):
        put(database, "a", "the kettle is blue")
    assert database.repository.get(["a"]) == {}
    holder.execute("ROLLBACK")
    put(database, "a", "the kettle is blue")
    holder.close()


def test_counting_a_recall_does_not_wait_for_a_busy_store(
    path: Path, database: SqliteDatabase
) -> None:
    put(database, "a", "the kettle is blue")
    database.repository.note_recalled(["a"], at=NOW)
    assert database.repository.get(["a"])["a"].recall_count == 1
    assert database.repository.get(["a"])["a"].last_recalled == NOW


def test_every_connection_waits_for_locks_and_wipes_what_it_deletes(
    database: SqliteDatabase,
) -> None:
    with database.connections.read() as reader, database.connections.alone() as writer:
        for connection in (reader, writer):
            assert connection.execute("PRAGMA busy_timeout").fetchall() == [(5000,)]
            assert connection.execute("PRAGMA secure_delete").fetchall() == [(1,)]
            assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
            assert connection.execute("PRAGMA synchronous").fetchall() == [(2,)]


def test_nothing_of_an_erased_text_stays_on_the_disk(path: Path, database: SqliteDatabase) -> None:
    for number in range(40):
        put(database, f"m{number}", f"ordinary fact {number}")
    put(database, "a", "the passphrase hint is zanzibarquokka", unit(1, 0))
    do(database, Revise("a", "the hint is zanzibarquokka2", unit(0, 1), 0.5, 1))
    put(database, "b", "an unrelated wombatfjord text")
    trash(database, "b", TrashReason.USER)
    database.activity.note(Activity(NOW, "write", "the hint is zanzibarquokka2"))
    found(database, "zanzibarquokka2")
    do(database, Erase(("a", "b")))
    everything = b"".join(file.read_bytes() for file in path.parent.iterdir())
    for piece in (b"zanzibar", b"wombatfjord"):
        assert piece not in everything
    assert database.repository.revisions("a") == []
    assert database.activity.since(NOW) == []
    assert kinds(database, "a")[-1] is EventKind.PURGED
    assert {event.provenance.reason for event in database.repository.events(memory_id="a")} == {
        "",
        BY.reason,
    }
    assert database.repository.integrity() is None
    with pytest.raises(UnknownMemoryError):
        do(database, Erase(("a",)))


def test_a_cache_too_far_behind_reads_the_store_anew(database: SqliteDatabase) -> None:
    put(database, "a", "the harbour opens at six", unit(1, 0))
    assert found(database, "", unit(1, 0)) == {"a"}
    put(database, "b", "the boat is green", unit(0, 1))
    with database.connections.write() as connection:
        connection.execute("DELETE FROM changes")
    assert found(database, "", unit(0, 1)) == {"a", "b"}


def test_a_file_cut_under_an_open_store_is_told_and_does_not_end_the_process(
    path: Path, database: SqliteDatabase
) -> None:
    for number in range(300):
        put(database, f"m{number}", f"fact number {number} about the harbour " * 10)
    with database.connections.alone() as writer:
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    assert database.repository.integrity() is not None
    with pytest.raises(ColdTierError), Connections(path).read() as reader:
        reader.execute("SELECT sum(length(content)) FROM memories").fetchall()
