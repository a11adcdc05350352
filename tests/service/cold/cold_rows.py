"""Rows and vectors to put into a real database."""

from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import numpy as np

from memorycore.model.memory import EventKind, Memory, Provenance, TrashReason
from memorycore.model.routing import EntryType
from memorycore.ports import (
    Candidate,
    Change,
    ColdRepository,
    Discard,
    Insert,
    SearchRequest,
    Vector,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
BY = Provenance("tester", "pytest", "asked to")


class Rows(Protocol):
    """Anything with a repository: one backend's database, or the whole of a machine's."""

    @property
    def repository(self) -> ColdRepository: ...


def row(key: str, content: str, **fields: Any) -> Memory:
    values: dict[str, Any] = {
        "author": "",
        "scope": "global",
        "importance": 0.5,
        "type": EntryType.STATE,
        "protected": False,
        "source": None,
        "created_at": NOW,
        "updated_at": NOW,
        "confirmed_at": NOW,
    }
    return Memory(id=key, content=content, **(values | fields))


def unit(*values: float) -> Vector:
    vector = np.array(values, np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def put(
    database: Rows,
    key: str,
    content: str,
    vector: Vector | None = None,
    *,
    at: datetime = NOW,
    **fields: Any,
) -> str:
    change = Insert(row(key, content, **fields), vector)
    return database.repository.apply([change], provenance=BY, at=at)[0]


def trash(
    database: Rows,
    key: str,
    reason: TrashReason = TrashReason.DECAYED,
    *,
    at: datetime = NOW,
) -> None:
    change = Discard(key, reason, at + 30 * DAY)
    database.repository.apply([change], provenance=BY, at=at)


def look(
    database: Rows, text: str = "", vector: Vector | None = None, **fields: Any
) -> list[Candidate]:
    values: dict[str, Any] = {"author": "", "scopes": ("global",), "limit": 10} | fields
    return list(database.repository.search(SearchRequest(text, vector, **values)))


def found(database: Rows, text: str = "", vector: Vector | None = None, **fields: Any) -> set[str]:
    return {one.memory.id for one in look(database, text, vector, **fields)}


def do(database: Rows, *changes: Change, days: float = 0) -> list[str]:
    at = NOW + timedelta(days=days)
    return list(database.repository.apply(changes, provenance=BY, at=at))


def kinds(database: Rows, key: str) -> list[EventKind]:
    return [event.kind for event in database.repository.events(memory_id=key)]
