"""Writes of one transaction: rows, history and change numbers move together."""

from datetime import datetime
from typing import Any, LiteralString, assert_never

from memorycore.adapters.cold_postgres.connection import Connection
from memorycore.adapters.cold_postgres.rows import Row
from memorycore.errors import ColdConflictError, UnknownMemoryError
from memorycore.model.memory import EventKind, Provenance, TrashReason
from memorycore.policy.text import content_hash
from memorycore.policy.tokens import index_tokens
from memorycore.ports.cold import Change, Confirm, Discard, Erase, Insert, Revise, Revive

_KIND_OF_DISCARD = {
    TrashReason.MERGED: EventKind.MERGED,
    TrashReason.SUPERSEDED: EventKind.SUPERSEDED,
    TrashReason.REVERSAL: EventKind.SUPERSEDED,
}

_ADD_EVENT: LiteralString = (
    "INSERT INTO events (at, kind, actor, tool, reason, memory_id, related_id) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
_ADD_TALLY: LiteralString = (
    "INSERT INTO tallies (author, live, trashed) VALUES (%s, %s, %s) ON CONFLICT (author) DO UPDATE "
    "SET live = tallies.live + excluded.live, trashed = tallies.trashed + excluded.trashed"
)


class ChangeWriter:
    """Applies changes on one connection inside the caller's transaction, which holds the writers' turn.

    Change numbers, counts and events are gathered and written by `finish`: a row that one transaction updates
    again and again gets slower with each time.
    """

    def __init__(self, connection: Connection, provenance: Provenance, at: datetime) -> None:
        self._connection = connection
        self._by = provenance
        self._at = at
        self._number: int = self._run("SELECT last FROM changes")[0][0]
        self._moved: dict[str, list[int]] = {}
        self._events: list[tuple[object, ...]] = []

    def finish(self) -> None:
        """Write down the last change number, the counts of each author and the events."""
        self._run("UPDATE changes SET last = %s", (self._number,))
        with self._connection.cursor() as cursor:
            cursor.executemany(_ADD_EVENT, self._events)
            cursor.executemany(
                _ADD_TALLY, [(author, *moved) for author, moved in sorted(self._moved.items())]
            )
        self._moved.clear()
        self._events.clear()

    def _tally(self, author: str, *, live: int = 0, trashed: int = 0) -> None:
        counted = self._moved.setdefault(author, [0, 0])
        counted[0] += live
        counted[1] += trashed

    def apply(self, change: Change) -> str:
        """Make one change; return the id of the memory it ended at."""
        match change:
            case Insert():
                return self._insert(change)
            case Confirm():
                return self._confirm(change)
            case Revise():
                return self._revise(change)
            case Discard():
                return self._discard(change)
            case Revive():
                return self._revive(change.memory_id, importance=0.0)
            case Erase():
                return self._erase(change)
            case _:
                assert_never(change)

    def _run(self, statement: LiteralString, values: Any = ()) -> list[Row]:
        done = self._connection.execute(statement, values)
        return list(done.fetchall()) if done.description else []

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _event(self, kind: EventKind, memory_id: str, related_id: str | None = None) -> None:
        by = self._by
        self._events.append(
            (self._at, kind.value, by.actor, by.tool, by.reason, memory_id, related_id)
        )

    def _insert(self, change: Insert) -> str:
        memory = change.memory
        digest = bytes.fromhex(content_hash(memory.content))
        trashed = self._run(
            "SELECT id FROM memories WHERE seq = (SELECT seq FROM trash WHERE hash = %s "
            "AND author = %s AND scope = %s ORDER BY trashed_at DESC LIMIT 1)",
            (digest, memory.author, memory.scope),
        )
        if trashed:
            revived: str = trashed[0][0]
            return self._revive(revived, importance=memory.importance)
        self._run(
            "INSERT INTO memories (id, live, change, hash, content, tokens, author, scope, importance, "
            "type, protected, source, created_at, updated_at, confirmed_at, last_recalled, "
            "recall_count, revision, supersedes, valid_from, vector) VALUES "
            "(%s, true, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                memory.id,
                self._next_number(),
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
                memory.created_at,
                change.vector,
            ),
        )
        self._event(EventKind.STORED, memory.id, memory.supersedes)
        self._tally(memory.author, live=1)
        return memory.id

    def _confirm(self, change: Confirm) -> str:
        seq, _ = self._live(change.memory_id, None)
        self._run(
            "UPDATE memories SET confirmed_at = greatest(confirmed_at, %s), "
            "importance = greatest(importance, %s), change = %s WHERE seq = %s",
            (self._at, change.importance, self._next_number(), seq),
        )
        self._event(EventKind.CONFIRMED, change.memory_id)
        return change.memory_id

    def _revise(self, change: Revise) -> str:
        seq, _ = self._live(change.memory_id, change.expected_revision)
        self._end_revision(seq, self._at)
        self._run(
            "UPDATE memories SET content = %s, tokens = %s, hash = %s, importance = %s, "
            "revision = revision + 1, updated_at = %s, confirmed_at = %s, valid_from = %s, change = %s, "
            "vector = %s WHERE seq = %s",
            (
                change.content,
                index_tokens(change.content),
                bytes.fromhex(content_hash(change.content)),
                change.importance,
                self._at,
                self._at,
                self._at,
                self._next_number(),
                change.vector,
                seq,
            ),
        )
        self._event(change.kind, change.memory_id)
        return change.memory_id

    def _discard(self, change: Discard) -> str:
        seq, author = self._live(change.memory_id, change.expected_revision)
        self._tally(author, live=-1, trashed=1)
        self._run(
            "UPDATE memories SET live = false, change = %s WHERE seq = %s",
            (self._next_number(), seq),
        )
        self._run(
            "INSERT INTO trash (seq, hash, author, scope, reason, note, trashed_at, expires_at, "
            "successor_id) SELECT seq, hash, author, scope, %s, %s, %s, %s, %s FROM memories WHERE seq = %s",
            (
                change.reason.value,
                change.note,
                self._at,
                change.expires_at,
                change.successor_id,
                seq,
            ),
        )
        kind = _KIND_OF_DISCARD.get(change.reason, EventKind.TRASHED)
        self._event(kind, change.memory_id, change.successor_id)
        return change.memory_id

    def _revive(self, memory_id: str, *, importance: float) -> str:
        found = self._run(
            "SELECT m.seq, t.trashed_at, m.author FROM memories AS m JOIN trash AS t ON t.seq = m.seq "
            "WHERE m.id = %s",
            (memory_id,),
        )
        if not found:
            message = f"no memory {memory_id} in the trash"
            raise UnknownMemoryError(message)
        seq, trashed_at, author = found[0]
        self._tally(author, live=1, trashed=-1)
        self._end_revision(seq, trashed_at)
        self._run(
            "UPDATE memories SET live = true, revision = revision + 1, valid_from = %s, "
            "confirmed_at = %s, importance = greatest(importance, %s), change = %s WHERE seq = %s",
            (self._at, self._at, importance, self._next_number(), seq),
        )
        self._run("DELETE FROM trash WHERE seq = %s", (seq,))
        self._event(EventKind.REVIVED, memory_id)
        return memory_id

    def _erase(self, change: Erase) -> str:
        for memory_id in change.memory_ids:
            gone = self._run(
                "DELETE FROM memories WHERE id = %s RETURNING author, live", (memory_id,)
            )
            if not gone:
                message = f"no memory {memory_id}"
                raise UnknownMemoryError(message)
            author, live = gone[0]
            self._tally(author, live=-int(live), trashed=int(live) - 1)
            self._next_number()
            self._run("UPDATE events SET reason = '' WHERE memory_id = %s", (memory_id,))
            self._events = [
                (*event[:4], "", *event[5:]) if event[5] == memory_id else event
                for event in self._events
            ]
            self._event(EventKind.PURGED, memory_id)
        for key in change.entry_keys:
            self._run(
                "UPDATE events SET entry_key = NULL, reason = '' WHERE entry_key = %s", (key,)
            )
        return change.memory_ids[0] if change.memory_ids else ""

    def _live(self, memory_id: str, expected_revision: int | None) -> tuple[int, str]:
        found = self._run(
            "SELECT seq, live, revision, author FROM memories WHERE id = %s FOR UPDATE",
            (memory_id,),
        )
        if not found or not found[0][1]:
            message = f"no live memory {memory_id}"
            raise UnknownMemoryError(message)
        if expected_revision not in (None, found[0][2]):
            message = f"memory {memory_id} is at revision {found[0][2]}, not {expected_revision}"
            raise ColdConflictError(message)
        return found[0][0], found[0][3]

    def _end_revision(self, seq: int, until: datetime) -> None:
        self._run(
            "INSERT INTO revisions (seq, revision, content, valid_from, valid_to, vector) "
            "SELECT seq, revision, content, valid_from, %s, vector FROM memories WHERE seq = %s",
            (until, seq),
        )
