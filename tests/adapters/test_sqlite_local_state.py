"""Journal, outbox, activity log, leases and staged vectors in the database file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cold_rows import DAY, NOW

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.ports import (
    Activity,
    Intent,
    OutboxItem,
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
