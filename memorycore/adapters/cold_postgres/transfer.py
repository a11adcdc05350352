"""The whole content of the database, read and written as it is."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import LiteralString

from memorycore.adapters.cold_postgres.connection import Connection, Pool
from memorycore.adapters.cold_postgres.rows import (
    EVENT_COLUMNS,
    MEMORY_COLUMNS,
    MEMORY_WIDTH,
    Row,
    in_utc,
    to_event,
    to_memory,
    to_vector,
)
from memorycore.model.memory import Event, TrashReason
from memorycore.policy.text import content_hash
from memorycore.policy.tokens import index_tokens
from memorycore.ports.transfer import InTrash, NumberedEvent, PastText, WholeMemory

_PAGE: LiteralString = (
    f"SELECT {MEMORY_COLUMNS}, m.seq, m.valid_from, m.vector, t.reason, t.note, t.trashed_at, "
    "t.expires_at, t.successor_id FROM memories AS m LEFT JOIN trash AS t ON t.seq = m.seq "
    "WHERE m.id > %s ORDER BY m.id LIMIT %s"
)
_PAST: LiteralString = (
    "SELECT seq, revision, content, valid_from, valid_to, vector FROM revisions "
    "WHERE seq = ANY(%s) ORDER BY seq, revision"
)
_ADD_MEMORY: LiteralString = (
    "INSERT INTO memories (id, live, change, hash, content, tokens, author, scope, importance, type, "
    "protected, source, created_at, updated_at, confirmed_at, last_recalled, recall_count, revision, "
    "supersedes, valid_from, vector) VALUES "
    "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING seq"
)
_ADD_PAST: LiteralString = (
    "INSERT INTO revisions (seq, revision, content, valid_from, valid_to, vector) "
    "VALUES (%s, %s, %s, %s, %s, %s)"
)
_ADD_TRASH: LiteralString = (
    "INSERT INTO trash (seq, hash, author, scope, reason, note, trashed_at, expires_at, successor_id) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
)
_ADD_EVENT: LiteralString = (
    f"INSERT INTO events ({EVENT_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
)
_ADD_STATE: LiteralString = (
    "INSERT INTO state VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_COUNT_ANEW: tuple[LiteralString, ...] = (
    "DELETE FROM tallies WHERE author = ANY(%(authors)s)",
    (
        "INSERT INTO tallies (author, live, trashed) SELECT author, count(*) FILTER (WHERE live), "
        "count(*) FILTER (WHERE NOT live) FROM memories WHERE author = ANY(%(authors)s) GROUP BY author"
    ),
)


class PostgresTransfer:
    """Implements `Transfer`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def memories(self, *, after: str | None = None, limit: int = 200) -> Sequence[WholeMemory]:
        """Return memories, live and trashed, by id after `after`."""
        with self._pool.read() as connection:
            rows = connection.execute(_PAGE, (after or "", limit), binary=True).fetchall()
            past = _past_of(connection, [row[MEMORY_WIDTH] for row in rows])
        return [_whole(row, past.get(row[MEMORY_WIDTH], ())) for row in rows]

    def events(self, *, after: int = 0, limit: int = 1000) -> Sequence[NumberedEvent]:
        """Return events, oldest first, after a number."""
        with self._pool.read() as connection:
            rows = connection.execute(
                f"SELECT {EVENT_COLUMNS}, number FROM events WHERE number > %s ORDER BY number LIMIT %s",
                (after, limit),
            ).fetchall()
        return [NumberedEvent(row[8], to_event(row)) for row in rows]

    def named_state(self) -> Mapping[str, str]:
        """Return every named string."""
        with self._pool.read() as connection:
            rows = connection.execute("SELECT name, value FROM state").fetchall()
        return {row[0]: row[1] for row in rows}

    def load(self, memories: Sequence[WholeMemory], *, gone: Collection[str] = ()) -> None:
        """Write memories as they are, each in place of what stands under its id; drop those that are gone."""
        with self._pool.write() as connection:
            ids = [*gone, *(whole.memory.id for whole in memories)]
            dropped = connection.execute(
                "DELETE FROM memories WHERE id = ANY(%s) RETURNING author", (ids,)
            ).fetchall()
            counted = connection.execute(
                "UPDATE changes SET last = last + %s RETURNING last", (len(memories),)
            ).fetchone()
            last: int = counted[0] if counted else 0
            for place, whole in enumerate(memories):
                _add(connection, whole, change=last - len(memories) + place + 1)
            authors = sorted({row[0] for row in dropped} | {one.memory.author for one in memories})
            for statement in _COUNT_ANEW:
                connection.execute(statement, {"authors": authors})

    def load_events(self, events: Sequence[Event], *, name: str, value: str) -> None:
        """Append events and set a named string, in one transaction."""
        lines = [
            (
                event.at,
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
        with self._pool.write() as connection:
            with connection.cursor() as cursor:
                cursor.executemany(_ADD_EVENT, lines)
            connection.execute(_ADD_STATE, (name, value))


def _past_of(connection: Connection, sequences: list[int]) -> Mapping[int, Sequence[PastText]]:
    found: dict[int, list[PastText]] = defaultdict(list)
    for seq, revision, content, since, until, vector in connection.execute(
        _PAST, (sequences,), binary=True
    ):
        kept = None if vector is None else to_vector(vector)
        found[seq].append(PastText(revision, content, in_utc(since), in_utc(until), kept))
    return found


def _whole(row: Row, past: Sequence[PastText]) -> WholeMemory:
    valid_from, vector, reason, note, trashed_at, expires_at, successor = row[MEMORY_WIDTH + 1 :]
    trash = None
    if reason is not None:
        trash = InTrash(
            TrashReason(reason), note, in_utc(trashed_at), in_utc(expires_at), successor
        )
    return WholeMemory(
        memory=to_memory(row),
        valid_from=in_utc(valid_from),
        vector=None if vector is None else to_vector(vector),
        trash=trash,
        past=tuple(past),
    )


def _add(connection: Connection, whole: WholeMemory, *, change: int) -> None:
    memory, trash = whole.memory, whole.trash
    digest = bytes.fromhex(content_hash(memory.content))
    row = connection.execute(
        _ADD_MEMORY,
        (
            memory.id,
            trash is None,
            change,
            digest,
            memory.content,
            index_tokens(memory.content),
            memory.author,
            memory.scope,
            memory.importance,
            memory.type.value,
            memory.protected,
            memory.source,
            memory.created_at,
            memory.updated_at,
            memory.confirmed_at,
            memory.last_recalled,
            memory.recall_count,
            memory.revision,
            memory.supersedes,
            whole.valid_from,
            whole.vector,
        ),
    ).fetchone()
    seq: int = row[0] if row else 0
    for past in whole.past:
        values = (seq, past.revision, past.content, past.valid_from, past.valid_to, past.vector)
        connection.execute(_ADD_PAST, values)
    if trash is not None:
        where = (seq, digest, memory.author, memory.scope)
        why = (trash.reason.value, trash.note, trash.trashed_at, trash.expires_at)
        connection.execute(_ADD_TRASH, (*where, *why, trash.successor_id))
