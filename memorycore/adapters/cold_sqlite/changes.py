"""Writes of one transaction: rows, indexes, history and change numbers move together."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, assert_never

import apsw

from memorycore.adapters.cold_sqlite.rows import Row, fetch, to_blob, to_micros
from memorycore.errors import ColdConflictError, UnknownMemoryError
from memorycore.model.memory import EventKind, Provenance, TrashReason
from memorycore.policy.text import content_hash
from memorycore.policy.tokens import index_tokens
from memorycore.ports.cold import Change, Confirm, Discard, Erase, Insert, Revise, Revive, Vector

_KIND_OF_DISCARD = {
    TrashReason.MERGED: EventKind.MERGED,
    TrashReason.SUPERSEDED: EventKind.SUPERSEDED,
    TrashReason.REVERSAL: EventKind.SUPERSEDED,
}


@dataclass(slots=True)
class ChangeWriter:
    """Applies changes on one connection inside the caller's transaction."""

    connection: apsw.Connection
    provenance: Provenance
    at: datetime
    number: int = 0
    moved: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.number = _last_change(self.connection)

    def finish(self) -> None:
        """Write down how many memories of each author came, left or went to the trash."""
        for author, (live, trashed) in self.moved.items():
            self._run(
                "INSERT INTO tallies (author, live, trashed) VALUES (?1, ?2, ?3) "
                "ON CONFLICT (author) DO UPDATE SET live = live + ?2, trashed = trashed + ?3",
                (author, live, trashed),
            )
        self.moved.clear()

    def _tally(self, author: str, *, live: int = 0, trashed: int = 0) -> None:
        counted = self.moved.setdefault(author, [0, 0])
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

    def _run(self, statement: str, values: Any = ()) -> list[Row]:
        return fetch(self.connection, statement, values)

    def _next_number(self, seq: int) -> int:
        self.number += 1
        self._run("INSERT INTO changes (number, seq) VALUES (?, ?)", (self.number, seq))
        return self.number

    def _event(self, kind: EventKind, memory_id: str, related_id: str | None = None) -> None:
        by = self.provenance
        self._run(
            "INSERT INTO events (at, kind, actor, tool, reason, memory_id, related_id) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (to_micros(self.at), kind.value, by.actor, by.tool, by.reason, memory_id, related_id),
        )

    def _insert(self, change: Insert) -> str:
        memory = change.memory
        digest = bytes.fromhex(content_hash(memory.content))
        trashed = self._run(
            "SELECT m.id FROM trash AS t JOIN memories AS m ON m.seq = t.seq "
            "WHERE t.hash = ? AND m.author = ? AND m.scope = ? ORDER BY t.trashed_at DESC LIMIT 1",
            (digest, memory.author, memory.scope),
        )
        if trashed:
            revived: str = trashed[0][0]
            return self._revive(revived, importance=memory.importance)
        told = to_micros(memory.created_at)
        self._run(
            "INSERT INTO memories (id, live, change, hash, content, author, scope, importance, type, "
            "protected, source, created_at, updated_at, confirmed_at, last_recalled, recall_count, "
            "revision, supersedes, valid_from) "
            "VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                memory.id,
                self.number + 1,
                digest,
                memory.content,
                memory.author,
                memory.scope,
                memory.importance,
                memory.type.value,
                memory.protected,
                memory.source,
                told,
                to_micros(memory.updated_at),
                to_micros(memory.confirmed_at),
                None if memory.last_recalled is None else to_micros(memory.last_recalled),
                memory.recall_count,
                memory.revision,
                memory.supersedes,
                told,
            ),
        )
        seq = self.connection.last_insert_rowid()
        self._next_number(seq)
        self._index(seq, memory.content)
        self._vector(seq, change.vector)
        self._event(EventKind.STORED, memory.id, memory.supersedes)
        self._tally(memory.author, live=1)
        return memory.id

    def _confirm(self, change: Confirm) -> str:
        seq, _ = self._live(change.memory_id, None)
        self._run(
            "UPDATE memories SET confirmed_at = max(confirmed_at, ?), importance = max(importance, ?), "
            "change = ? WHERE seq = ?",
            (to_micros(self.at), change.importance, self._next_number(seq), seq),
        )
        self._event(EventKind.CONFIRMED, change.memory_id)
        return change.memory_id

    def _revise(self, change: Revise) -> str:
        seq, _ = self._live(change.memory_id, change.expected_revision)
        now = to_micros(self.at)
        self._end_revision(seq, now)
        self._run(
            "UPDATE memories SET content = ?, hash = ?, importance = ?, revision = revision + 1, "
            "updated_at = ?, confirmed_at = ?, valid_from = ?, change = ? WHERE seq = ?",
            (
                change.content,
                bytes.fromhex(content_hash(change.content)),
                change.importance,
                now,
                now,
                now,
                self._next_number(seq),
                seq,
            ),
        )
        self._run("DELETE FROM live_index WHERE rowid = ?", (seq,))
        self._index(seq, change.content)
        self._vector(seq, change.vector)
        self._event(change.kind, change.memory_id)
        return change.memory_id

    def _discard(self, change: Discard) -> str:
        seq, author = self._live(change.memory_id, change.expected_revision)
        self._tally(author, live=-1, trashed=1)
        self._run(
            "UPDATE memories SET live = 0, change = ? WHERE seq = ?", (self._next_number(seq), seq)
        )
        self._run(
            "INSERT INTO trash (seq, hash, reason, note, trashed_at, expires_at, successor_id) "
            "SELECT seq, hash, ?, ?, ?, ?, ? FROM memories WHERE seq = ?",
            (
                change.reason.value,
                change.note,
                to_micros(self.at),
                to_micros(change.expires_at),
                change.successor_id,
                seq,
            ),
        )
        self._run("DELETE FROM live_index WHERE rowid = ?", (seq,))
        self._index(seq, self._content(seq), live=False)
        kind = _KIND_OF_DISCARD.get(change.reason, EventKind.TRASHED)
        self._event(kind, change.memory_id, change.successor_id)
        return change.memory_id

    def _revive(self, memory_id: str, *, importance: float) -> str:
        found = self._run(
            "SELECT m.seq, t.trashed_at, m.author FROM memories AS m JOIN trash AS t ON t.seq = m.seq "
            "WHERE m.id = ?",
            (memory_id,),
        )
        if not found:
            raise UnknownMemoryError(f"no memory {memory_id} in the trash")
        seq, trashed_at, author = found[0]
        self._tally(author, live=1, trashed=-1)
        now = to_micros(self.at)
        self._end_revision(seq, trashed_at)
        self._run(
            "UPDATE memories SET live = 1, revision = revision + 1, valid_from = ?, confirmed_at = ?, "
            "importance = max(importance, ?), change = ? WHERE seq = ?",
            (now, now, importance, self._next_number(seq), seq),
        )
        self._run("DELETE FROM trash WHERE seq = ?", (seq,))
        self._run("DELETE FROM trash_index WHERE rowid = ?", (seq,))
        self._index(seq, self._content(seq))
        self._event(EventKind.REVIVED, memory_id)
        return memory_id

    def _erase(self, change: Erase) -> str:
        for memory_id in change.memory_ids:
            found = self._run(
                "SELECT seq, content, author, live FROM memories WHERE id = ? UNION ALL "
                "SELECT r.seq, r.content, m.author, m.live FROM revisions AS r JOIN memories AS m ON m.seq = r.seq "
                "WHERE m.id = ?",
                (memory_id, memory_id),
            )
            if not found:
                raise UnknownMemoryError(f"no memory {memory_id}")
            for _, content, _, _ in found:
                self._run(
                    "DELETE FROM activity WHERE instr(text, ?1) OR (text <> '' AND instr(?1, text))",
                    (content,),
                )
            seq, _, author, live = found[0]
            self._tally(author, live=-live, trashed=live - 1)
            self._next_number(seq)
            self._run("DELETE FROM memories WHERE seq = ?", (seq,))
            self._run("DELETE FROM live_index WHERE rowid = ?", (seq,))
            self._run("DELETE FROM trash_index WHERE rowid = ?", (seq,))
            self._run("UPDATE events SET reason = '' WHERE memory_id = ?", (memory_id,))
            self._event(EventKind.PURGED, memory_id)
        for key in change.entry_keys:
            self._run("UPDATE events SET entry_key = NULL, reason = '' WHERE entry_key = ?", (key,))
        if change.memory_ids:
            self._run("INSERT INTO live_index (live_index) VALUES ('optimize')")
            self._run("INSERT INTO trash_index (trash_index) VALUES ('optimize')")
        return change.memory_ids[0] if change.memory_ids else ""

    def _live(self, memory_id: str, expected_revision: int | None) -> tuple[int, str]:
        found = self._run(
            "SELECT seq, live, revision, author FROM memories WHERE id = ?", (memory_id,)
        )
        if not found or not found[0][1]:
            raise UnknownMemoryError(f"no live memory {memory_id}")
        if expected_revision not in (None, found[0][2]):
            raise ColdConflictError(
                f"memory {memory_id} is at revision {found[0][2]}, not {expected_revision}"
            )
        return found[0][0], found[0][3]

    def _content(self, seq: int) -> str:
        content: str = self._run("SELECT content FROM memories WHERE seq = ?", (seq,))[0][0]
        return content

    def _end_revision(self, seq: int, until: int) -> None:
        self._run(
            "INSERT INTO revisions (seq, revision, content, valid_from, valid_to, vector) "
            "SELECT m.seq, m.revision, m.content, m.valid_from, ?, v.vector "
            "FROM memories AS m LEFT JOIN vectors AS v ON v.seq = m.seq WHERE m.seq = ?",
            (until, seq),
        )

    def _index(self, seq: int, content: str, *, live: bool = True) -> None:
        tokens = " ".join(index_tokens(content))
        if live:
            self._run("INSERT INTO live_index (rowid, tokens) VALUES (?, ?)", (seq, tokens))
        else:
            self._run("INSERT INTO trash_index (rowid, tokens) VALUES (?, ?)", (seq, tokens))

    def _vector(self, seq: int, vector: Vector | None) -> None:
        if vector is None:
            self._run("DELETE FROM vectors WHERE seq = ?", (seq,))
            self._run("INSERT OR REPLACE INTO pending (seq) VALUES (?)", (seq,))
            return
        self._run(
            "INSERT OR REPLACE INTO vectors (seq, vector) VALUES (?, ?)", (seq, to_blob(vector))
        )
        self._run("DELETE FROM pending WHERE seq = ?", (seq,))


def _last_change(connection: apsw.Connection) -> int:
    found = fetch(connection, "SELECT seq FROM sqlite_sequence WHERE name = 'changes'")
    return found[0][0] if found else 0
