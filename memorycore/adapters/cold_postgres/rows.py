"""Rows as values and back."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, LiteralString

import numpy as np

from memorycore.model.memory import (
    Event,
    EventKind,
    Memory,
    Provenance,
    TrashedMemory,
    TrashReason,
)
from memorycore.model.routing import EntryType
from memorycore.ports.cold import Vector

Row = Sequence[Any]

MEMORY_COLUMNS: LiteralString = (
    "m.id, m.content, m.author, m.scope, m.importance, m.type, m.protected, m.source, m.created_at, "
    "m.updated_at, m.confirmed_at, m.last_recalled, m.recall_count, m.revision, m.supersedes"
)
"""Columns of `memories AS m` that make a `Memory`, in its order."""

MEMORY_WIDTH = 15
"""How many columns those are."""

TRASH_COLUMNS: LiteralString = "t.reason, t.note, t.trashed_at, t.expires_at, t.successor_id"
"""Columns of `trash AS t` that follow the memory's in a `TrashedMemory`."""

EVENT_COLUMNS: LiteralString = "at, kind, actor, tool, reason, memory_id, entry_key, related_id"
"""Columns of `events` that make an `Event`."""


def to_memory(row: Row) -> Memory:
    """Return the memory of a row that starts with `MEMORY_COLUMNS`."""
    return Memory(
        id=row[0],
        content=row[1],
        author=row[2],
        scope=row[3],
        importance=row[4],
        type=EntryType(row[5]),
        protected=row[6],
        source=row[7],
        created_at=in_utc(row[8]),
        updated_at=in_utc(row[9]),
        confirmed_at=in_utc(row[10]),
        last_recalled=None if row[11] is None else in_utc(row[11]),
        recall_count=row[12],
        revision=row[13],
        supersedes=row[14],
    )


def to_trashed(row: Row) -> TrashedMemory:
    """Return the trashed memory of a row of `MEMORY_COLUMNS` and `TRASH_COLUMNS`."""
    reason, note, trashed_at, expires_at, successor_id = row[MEMORY_WIDTH : MEMORY_WIDTH + 5]
    return TrashedMemory(
        memory=to_memory(row),
        reason=TrashReason(reason),
        note=note,
        trashed_at=in_utc(trashed_at),
        expires_at=in_utc(expires_at),
        successor_id=successor_id,
    )


def to_event(row: Row) -> Event:
    """Return the event of a row of `EVENT_COLUMNS`."""
    return Event(
        at=in_utc(row[0]),
        kind=EventKind(row[1]),
        provenance=Provenance(actor=row[2], tool=row[3], reason=row[4]),
        memory_id=row[5],
        entry_key=row[6],
        related_id=row[7],
    )


def in_utc(moment: datetime) -> datetime:
    """Return the same moment in UTC, whatever zone the session is set to."""
    return moment.astimezone(UTC)


def to_vector(value: Any) -> Vector:
    """Return a vector as the driver gave it, in single precision."""
    array = value.to_numpy() if hasattr(value, "to_numpy") else value
    vector: Vector = np.asarray(array, dtype=np.float32)
    return vector
