"""Journal, outbox, activity log, leases and staged vectors in the database file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_rows import BY, DAY, NOW, found, put, trash, unit

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.ports import (
    STATE_DIMENSION,
    STATE_MODEL,
    Activity,
    Intent,
    OutboxItem,
    Revise,
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    opened = open_database(tmp_path / "memorycore.db")
    yield opened
    opened.close()


def intent(key: str) -> Intent:
    return Intent(key, "demote", "begun", "one", NOW, {"text": "Ω", "keys": [1, 2]})


def test_an_intent_is_open_until_it_is_done(database: SqliteDatabase) -> None:
    database.journal.begin(intent("b"))
    database.journal.begin(intent("a"))
    database.journal.advance("b", step="written", lease_until=NOW + DAY, payload={"id": "m1"})
    first, second = database.journal.open_intents()
    assert (first.id, first.step, first.lease_until) == ("b", "written", NOW + DAY)
    assert first.payload == {"id": "m1"}
    assert second == intent("a")
    database.journal.done("b")
    assert [one.id for one in database.journal.open_intents()] == ["a"]


def test_only_one_process_takes_over_an_intent(database: SqliteDatabase) -> None:
    database.journal.begin(intent("a"))
    claims = [
        database.journal.claim("a", owner=owner, expected_owner="one", lease_until=NOW + DAY)
        for owner in ("two", "three")
    ]
    assert claims == [True, False]
    assert database.journal.open_intents()[0].owner == "two"


def test_the_outbox_keeps_order_and_takes_an_operation_once(database: SqliteDatabase) -> None:
    for key in ("b", "a", "b"):
        database.outbox.enqueue(OutboxItem(key, "remember", {"content": key}, NOW))
    assert [item.id for item in database.outbox.pending()] == ["b", "a"]
    assert [item.id for item in database.outbox.pending(limit=1)] == ["b"]
    database.outbox.failed("b", "no route")
    assert (database.outbox.pending()[0].attempts, database.outbox.pending()[0].last_error) == (
        1,
        "no route",
    )
    database.outbox.delivered("b")
    assert (database.outbox.count(), database.outbox.pending()[0].id) == (1, "a")


def test_the_activity_log_is_read_by_time_and_kind_and_trimmed(database: SqliteDatabase) -> None:
    for days in range(10):
        kind = "query" if days % 2 else "write"
        database.activity.note(Activity(NOW + days * DAY, kind, f"line {days}"))
    texts = [one.text for one in database.activity.since(NOW + 6 * DAY)]
    assert texts == ["line 6", "line 7", "line 8", "line 9"]
    assert len(database.activity.since(NOW, kind="query")) == 5
    assert database.activity.trim(NOW + 3 * DAY, keep=5) == 5
    assert database.activity.since(NOW)[0].text == "line 5"
    assert database.activity.trim(NOW, keep=100) == 0


def test_a_lease_is_held_by_one_owner_until_it_ends(database: SqliteDatabase) -> None:
    acquire = database.leases.acquire
    assert acquire("job", owner="one", now=NOW, until=NOW + DAY)
    assert not acquire("job", owner="two", now=NOW, until=NOW + DAY)
    assert acquire("job", owner="one", now=NOW, until=NOW + 2 * DAY)
    assert acquire("job", owner="two", now=NOW + 3 * DAY, until=NOW + 4 * DAY)
    database.leases.release("job", owner="one")
    assert not acquire("job", owner="one", now=NOW + 3 * DAY, until=NOW + 4 * DAY)
    database.leases.release("job", owner="two")
    assert acquire("job", owner="one", now=NOW + 3 * DAY, until=NOW + 4 * DAY)


def test_runs_of_jobs_are_remembered(database: SqliteDatabase) -> None:
    database.leases.record_run("tidy", at=NOW, error="disk full", due=NOW + DAY)
    database.leases.record_run("tidy", at=NOW + DAY, error=None, due=None)
    [job] = database.leases.jobs()
    assert (job.name, job.last_run, job.last_error, job.due) == ("tidy", NOW + DAY, None, None)


def test_staged_vectors_replace_the_old_ones_at_once_and_never_before(
    database: SqliteDatabase,
) -> None:
    put(database, "a", "the harbour opens at six", unit(1, 0))
    put(database, "b", "the boat is green", unit(0, 1))
    put(database, "c", "gone but kept", unit(1, 1))
    trash(database, "c")
    repository = database.repository
    assert [one.id for one in repository.unstaged("new")] == ["a", "b", "c"]
    staged = {"a": (1, unit(1, 0, 0)), "b": (1, unit(0, 1, 0)), "c": (1, unit(0, 0, 1))}
    assert repository.stage_vectors("new", staged) == 3
    assert repository.unstaged("new") == []
    assert len(repository.unstaged("third")) == 3
    assert found(database, "", unit(1, 0)) == {"a", "b"}
    change = Revise("b", "the boat is blue", unit(0, 1), 0.5, 1)
    repository.apply([change], provenance=BY, at=NOW)
    assert [one.id for one in repository.unstaged("new")] == ["b"]
    assert repository.adopt_staged("new", dimension=3) == 2
    assert (repository.state(STATE_MODEL), repository.state(STATE_DIMENSION)) == ("new", "3")
    assert found(database, "", unit(1, 0)) == set()
    assert found(database, "", unit(1, 0, 0)) == {"a"}
    assert found(database, "", unit(0, 0, 1), trashed=True) == {"a", "c"}
    assert [one.id for one in repository.missing_vectors()] == ["b"]
    assert repository.integrity() is None
