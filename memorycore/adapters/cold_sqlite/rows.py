"""Rows as values and back."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import apsw
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

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

MEMORY_COLUMNS = (
    "m.id, m.content, m.author, m.scope, m.importance, m.type, m.protected, m.source, m.created_at, "
    "m.updated_at, m.confirmed_at, m.last_recalled, m.recall_count, m.revision, m.supersedes"
)
"""Columns of `memories AS m` that make a `Memory`, in its order."""

MEMORY_WIDTH = 15
"""How many columns those are."""

TRASH_COLUMNS = "t.reason, t.note, t.trashed_at, t.expires_at, t.successor_id"
"""Columns of `trash AS t` that follow the memory's in a `TrashedMemory`."""


def fetch(connection: apsw.Connection, statement: str, values: Any = ()) -> list[Row]:
    """Return every row at once, so that no read transaction stays open behind the caller's back."""
    rows: list[Row] = [*connection.execute(statement, values).fetchall()]
    return rows


def to_micros(moment: datetime) -> int:
    """Return microseconds since 1970, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return the aware UTC moment."""
    return _EPOCH + timedelta(microseconds=micros)


def optional_moment(micros: int | None) -> datetime | None:
    """Return the moment, or None where there is none."""
    return None if micros is None else from_micros(micros)


def to_memory(row: Row) -> Memory:
    """Return the memory of a row that starts with `MEMORY_COLUMNS`."""
    return Memory(
        id=row[0],
        content=row[1],
        author=row[2],
        scope=row[3],
        importance=row[4],
        type=EntryType(row[5]),
        protected=bool(row[6]),
        source=row[7],
        created_at=from_micros(row[8]),
        updated_at=from_micros(row[9]),
        confirmed_at=from_micros(row[10]),
        last_recalled=optional_moment(row[11]),
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
        trashed_at=from_micros(trashed_at),
        expires_at=from_micros(expires_at),
        successor_id=successor_id,
    )


def to_event(row: Row) -> Event:
    """Return the event of a row (at, kind, actor, tool, reason, memory_id, entry_key, related_id)."""
    return Event(
        at=from_micros(row[0]),
        kind=EventKind(row[1]),
        provenance=Provenance(actor=row[2], tool=row[3], reason=row[4]),
        memory_id=row[5],
        entry_key=row[6],
        related_id=row[7],
    )


def to_blob(vector: Vector) -> bytes:
    """Return a vector as half-precision bytes: cosines keep three digits and the file is half as big."""
    return np.asarray(vector, dtype="<f2").tobytes()


def from_blobs(blobs: Sequence[bytes | None]) -> list[Vector | None]:
    """Return the vector of each blob, converted together; None for none."""
    present = [blob for blob in blobs if blob]
    values = np.frombuffer(b"".join(present), dtype="<f2").astype(np.float32)
    vectors: list[Vector | None] = []
    start = 0
    for blob in blobs:
        length = len(blob or b"") // 2
        vectors.append(values[start : start + length] if blob else None)
        start += length
    return vectors


def from_blob(blob: bytes) -> Vector:
    """Return the vector of the bytes, in single precision."""
    return np.frombuffer(blob, dtype="<f2").astype(np.float32)
