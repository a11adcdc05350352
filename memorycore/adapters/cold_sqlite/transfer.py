"""The whole content of the file, read and written as it is."""

# ruff: noqa: S608 - the statements interpolate column lists of this package, never a caller's text

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import apsw

from memorycore.adapters.cold_sqlite.connection import Connections
from memorycore.adapters.cold_sqlite.rows import (
    MEMORY_COLUMNS,
    MEMORY_WIDTH,
    Row,
    fetch,
    from_blob,
    from_micros,
    to_blob,
    to_event,
    to_memory,
    to_micros,
)
from memorycore.model.memory import Event, TrashReason
from memorycore.policy.text import content_hash
from memorycore.policy.tokens import index_tokens
from memorycore.ports.transfer import InTrash, NumberedEvent, PastText, WholeMemory

_PAGE = (
    f"SELECT {MEMORY_COLUMNS}, m.seq, m.valid_from, v.vector, t.reason, t.note, t.trashed_at, "
    "t.expires_at, t.successor_id FROM memories AS m LEFT JOIN trash AS t ON t.seq = m.seq "
    "LEFT JOIN vectors AS v ON v.seq = m.seq WHERE m.id > ? ORDER BY m.id LIMIT ?"
)
_PAST = (
    "SELECT seq, revision, content, valid_from, valid_to, vector FROM revisions "
    "WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq, revision"
)
_EVENT_COLUMNS = "at, kind, actor, tool, reason, memory_id, entry_key, related_id"
_ADD_MEMORY = (
    "INSERT INTO memories (id, live, change, hash, content, author, scope, importance, type, "
    "protected, source, created_at, updated_at, confirmed_at, last_recalled, recall_count, "
    "revision, supersedes, valid_from) VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_COUNT_ANEW = (
    "DELETE FROM tallies",
    (
        "INSERT INTO tallies (author, live, trashed) SELECT author, sum(live = 1), sum(live = 0) "
        "FROM memories GROUP BY author"
    ),
)


class SqliteTransfer:
    """Implements `Transfer`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def memories(self, *, after: str | None = None, limit: int = 200) -> Sequence[WholeMemory]:
        """Return memories, live and trashed, by id after `after`."""
        with self._connections.read() as connection:
            rows = fetch(connection, _PAGE, (after or "", limit))
            past = _past_of(connection, [row[MEMORY_WIDTH] for row in rows])
        return [_whole(row, past.get(row[MEMORY_WIDTH], ())) for row in rows]

    def events(self, *, after: int = 0, limit: int = 1000) -> Sequence[NumberedEvent]:
        """Return events, oldest first, after a number."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                f"SELECT {_EVENT_COLUMNS}, number FROM events WHERE number > ? ORDER BY number LIMIT ?",
                (after, limit),
            )
        return [NumberedEvent(row[8], to_event(row)) for row in rows]

    def named_state(self) -> Mapping[str, str]:
        """Return every named string."""
        with self._connections.read() as connection:
            return {row[0]: row[1] for row in fetch(connection, "SELECT name, value FROM state")}

    def load(self, memories: Sequence[WholeMemory], *, gone: Collection[str] = ()) -> None:
        """Write memories as they are, each in place of what stands under its id; drop those that are gone."""
        with self._connections.write() as connection:
            for memory_id in (*gone, *(whole.memory.id for whole in memories)):
                _drop(connection, memory_id)
            for whole in memories:
                _add(connection, whole)
            for statement in _COUNT_ANEW:
                connection.execute(statement)

    def load_events(self, events: Sequence[Event], *, name: str, value: str) -> None:
        """Append events and set a named string, in one transaction."""
        lines = [
            (
                to_micros(event.at),
                event.kind.value,
                event.provenance.actor,
                event.provenance.tool,
                event.provenance.reason,
                event.memory_id,
                event.entry_key,
                event.related_id,
            )
            for event in events
        ]
        with self._connections.write() as connection:
            connection.executemany(
                f"INSERT INTO events ({_EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", lines
            )
            connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


def _past_of(connection: apsw.Connection, sequences: list[int]) -> Mapping[int, list[PastText]]:
    found: dict[int, list[PastText]] = defaultdict(list)
    for seq, revision, content, since, until, blob in fetch(
        connection, _PAST, (json.dumps(sequences),)
    ):
        vector = from_blob(blob) if blob else None
        found[seq].append(
            PastText(revision, content, from_micros(since), from_micros(until), vector)
        )
    return found


def _whole(row: Row, past: Sequence[PastText]) -> WholeMemory:
    valid_from, blob, reason, note, trashed_at, expires_at, successor = row[MEMORY_WIDTH + 1 :]
    trash = None
    if reason is not None:
        times = from_micros(trashed_at), from_micros(expires_at)
        trash = InTrash(TrashReason(reason), note, *times, successor)
    return WholeMemory(
        memory=to_memory(row),
        valid_from=from_micros(valid_from),
        vector=from_blob(blob) if blob else None,
        trash=trash,
        past=tuple(past),
    )


def _drop(connection: apsw.Connection, memory_id: str) -> None:
    for (seq,) in fetch(connection, "SELECT seq FROM memories WHERE id = ?", (memory_id,)):
        connection.execute("DELETE FROM memories WHERE seq = ?", (seq,))
        connection.execute("DELETE FROM live_index WHERE rowid = ?", (seq,))
        connection.execute("DELETE FROM trash_index WHERE rowid = ?", (seq,))
        connection.execute("INSERT INTO changes (seq) VALUES (?)", (seq,))


def _add(connection: apsw.Connection, whole: WholeMemory) -> None:
    memory, trash = whole.memory, whole.trash
    digest = bytes.fromhex(content_hash(memory.content))
    connection.execute(
        _ADD_MEMORY,
        (
            memory.id,
            int(trash is None),
            digest,
            memory.content,
            memory.author,
            memory.scope,
            memory.importance,
            memory.type.value,
            memory.protected,
            memory.source,
            to_micros(memory.created_at),
            to_micros(memory.updated_at),
            to_micros(memory.confirmed_at),
            None if memory.last_recalled is None else to_micros(memory.last_recalled),
            memory.recall_count,
            memory.revision,
            memory.supersedes,
            to_micros(whole.valid_from),
        ),
    )
    seq = connection.last_insert_rowid()
    connection.execute("INSERT INTO changes (seq) VALUES (?)", (seq,))
    connection.execute("UPDATE memories SET change = last_insert_rowid() WHERE seq = ?", (seq,))
    index = "live_index" if trash is None else "trash_index"
    tokens = " ".join(index_tokens(memory.content))
    connection.execute(f"INSERT INTO {index} (rowid, tokens) VALUES (?, ?)", (seq, tokens))
    _add_vectors(connection, seq, whole)
    if trash is not None:
        connection.execute(
            "INSERT INTO trash (seq, hash, reason, note, trashed_at, expires_at, successor_id) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                seq,
                digest,
                trash.reason.value,
                trash.note,
                to_micros(trash.trashed_at),
                to_micros(trash.expires_at),
                trash.successor_id,
            ),
        )


def _add_vectors(connection: apsw.Connection, seq: int, whole: WholeMemory) -> None:
    if whole.vector is None:
        connection.execute("INSERT INTO pending (seq) VALUES (?)", (seq,))
    else:
        values = (seq, to_blob(whole.vector))
        connection.execute("INSERT INTO vectors (seq, vector) VALUES (?, ?)", values)
    for past in whole.past:
        connection.execute(
            "INSERT INTO revisions (seq, revision, content, valid_from, valid_to, vector) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                seq,
                past.revision,
                past.content,
                to_micros(past.valid_from),
                to_micros(past.valid_to),
                None if past.vector is None else to_blob(past.vector),
            ),
        )
