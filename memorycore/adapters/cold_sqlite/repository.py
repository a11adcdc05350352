"""The rows of the cold store in SQLite."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from memorycore.adapters.cold_sqlite.changes import ChangeWriter
from memorycore.adapters.cold_sqlite.connection import Connections
from memorycore.adapters.cold_sqlite.history import KeptHistory
from memorycore.adapters.cold_sqlite.rows import (
    MEMORY_COLUMNS,
    TRASH_COLUMNS,
    fetch,
    from_blob,
    to_blob,
    to_memory,
    to_micros,
    to_trashed,
)
from memorycore.adapters.cold_sqlite.search import Searcher
from memorycore.adapters.cold_sqlite.staging import StagedVectors
from memorycore.adapters.cold_sqlite.upkeep import check_integrity, scrub, tidy
from memorycore.adapters.cold_sqlite.vectors import change_bounds
from memorycore.model.memory import Memory, Provenance, TrashedMemory
from memorycore.ports.cold import (
    Candidate,
    Change,
    Erase,
    SearchRequest,
    StoreCounts,
    TokenStatistics,
    Vector,
    VectorMatrix,
)

# ruff: noqa: S608 - the statements interpolate column lists of this package, never a caller's text

_TRASHED = (
    f"SELECT {MEMORY_COLUMNS}, {TRASH_COLUMNS} FROM trash AS t JOIN memories AS m ON m.seq = t.seq"
)
_LIVE = f"SELECT {MEMORY_COLUMNS} FROM memories AS m"
_IDS = "(SELECT value FROM json_each(?))"


class SqliteRepository(StagedVectors, KeptHistory):
    """`ColdRepository` over one SQLite file; thread-safe."""

    def __init__(self, connections: Connections) -> None:
        super().__init__(connections)
        self._searcher = Searcher()

    def apply(
        self, changes: Sequence[Change], *, provenance: Provenance, at: datetime
    ) -> Sequence[str]:
        """Make all changes in one transaction; erased bytes leave the write-ahead log too."""
        with self._connections.write() as connection:
            writer = ChangeWriter(connection, provenance, at)
            ids = [writer.apply(change) for change in changes]
            writer.finish()
        if any(isinstance(change, Erase) for change in changes):
            scrub(self._connections)
        return ids

    def find(self, content_hash: str, *, author: str, scope: str) -> Memory | None:
        """Return the live memory with that text."""
        statement = f"{_LIVE} WHERE m.hash = ? AND m.author = ? AND m.scope = ? AND m.live = 1"
        with self._connections.read() as connection:
            rows = fetch(connection, statement, (bytes.fromhex(content_hash), author, scope))
        return to_memory(rows[0]) if rows else None

    def find_trashed(self, content_hash: str, *, author: str, scope: str) -> TrashedMemory | None:
        """Return the memory with that text that was trashed last."""
        statement = (
            f"{_TRASHED} WHERE t.hash = ? AND m.author = ? AND m.scope = ? "
            "ORDER BY t.trashed_at DESC LIMIT 1"
        )
        with self._connections.read() as connection:
            rows = fetch(connection, statement, (bytes.fromhex(content_hash), author, scope))
        return to_trashed(rows[0]) if rows else None

    def get(self, memory_ids: Collection[str]) -> Mapping[str, Memory]:
        """Return the live memories among `memory_ids`."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                f"{_LIVE} WHERE m.live = 1 AND m.id IN {_IDS}",
                (json.dumps([*memory_ids]),),
            )
        return {row[0]: to_memory(row) for row in rows}

    def vectors(self, memory_ids: Collection[str]) -> Mapping[str, Vector]:
        """Return the raw vectors of live memories."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                "SELECT m.id, v.vector FROM memories AS m JOIN vectors AS v ON v.seq = m.seq "
                f"WHERE m.live = 1 AND m.id IN {_IDS}",
                (json.dumps([*memory_ids]),),
            )
        return {memory_id: from_blob(blob) for memory_id, blob in rows}

    def search(self, request: SearchRequest) -> Sequence[Candidate]:
        """Return candidates with dense and keyword evidence, unranked."""
        with self._connections.read() as connection:
            return self._searcher.search(connection, request)

    def token_statistics(self, tokens: Collection[str]) -> TokenStatistics:
        """Return how common the tokens are; a count may lag by a twentieth of the store."""
        with self._connections.read() as connection:
            return self._searcher.statistics(connection, tokens)

    def sample_vectors(self, limit: int) -> tuple[VectorMatrix, Sequence[str]]:
        """Return up to `limit` raw vectors spread evenly over the live rows, and their texts."""
        with self._connections.read() as connection:
            newest = fetch(connection, "SELECT max(seq) FROM memories")[0][0] or 0
            step = max(1, newest // max(1, limit))
            spread = json.dumps([*range(1, newest + 1, step)])
            rows = fetch(
                connection,
                "SELECT v.vector, m.content FROM vectors AS v JOIN memories AS m ON m.seq = v.seq "
                f"WHERE m.live = 1 AND v.seq IN {_IDS} LIMIT ?",
                (spread, limit),
            )
        if not rows:
            return np.zeros((0, 0), np.float32), ()
        length = len(rows[0][0])
        fitting = [row for row in rows if len(row[0]) == length]
        matrix: npt.NDArray[np.float32] = np.stack([from_blob(row[0]) for row in fitting])
        return matrix, [row[1] for row in fitting]

    def scan(
        self, *, after: str | None = None, limit: int = 500, changed_since: int | None = None
    ) -> Sequence[Memory]:
        """Return live memories in id order after `after`, all or those changed since."""
        changed = "" if changed_since is None else "AND m.change > :since"
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                f"{_LIVE} WHERE m.live = 1 AND m.id > :after {changed} ORDER BY m.id LIMIT :limit",
                {"after": after or "", "limit": limit, "since": changed_since},
            )
        return [to_memory(row) for row in rows]

    def change_number(self) -> int:
        """Return the number of the last change of any row."""
        with self._connections.read() as connection:
            return change_bounds(connection)[0]

    def trash(
        self, *, author: str | None = None, expired_at: datetime | None = None
    ) -> Sequence[TrashedMemory]:
        """Return the trash, newest first."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                f"{_TRASHED} WHERE (:author IS NULL OR m.author = :author) "
                "AND (:expired IS NULL OR t.expires_at <= :expired) ORDER BY t.trashed_at DESC, t.seq DESC",
                {
                    "author": author,
                    "expired": None if expired_at is None else to_micros(expired_at),
                },
            )
        return [to_trashed(row) for row in rows]

    def trashed(self, memory_id: str) -> TrashedMemory | None:
        """Return one trashed memory."""
        with self._connections.read() as connection:
            rows = fetch(connection, f"{_TRASHED} WHERE m.id = ?", (memory_id,))
        return to_trashed(rows[0]) if rows else None

    def note_recalled(self, memory_ids: Collection[str], *, at: datetime) -> None:
        """Count a recall. A store busy with another write is not waited for longer than a moment."""
        self._connections.write_lightly(
            "UPDATE memories SET last_recalled = ?, recall_count = recall_count + 1 "
            f"WHERE live = 1 AND id IN {_IDS}",
            (to_micros(at), json.dumps([*memory_ids])),
        )

    def missing_vectors(self, limit: int = 256) -> Sequence[Memory]:
        """Return live memories whose vector is pending."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                f"SELECT {MEMORY_COLUMNS} FROM pending AS p CROSS JOIN memories AS m ON m.seq = p.seq "
                "WHERE m.live = 1 ORDER BY p.seq LIMIT ?",
                (limit,),
            )
        return [to_memory(row) for row in rows]

    def set_vectors(self, vectors: Mapping[str, tuple[int, Vector]]) -> int:
        """Fill vectors where the revision given is still current; return how many were set."""
        filled = 0
        with self._connections.write() as connection:
            for memory_id, (revision, vector) in vectors.items():
                rows = fetch(
                    connection,
                    "SELECT seq FROM memories WHERE id = ? AND revision = ?",
                    (memory_id, revision),
                )
                for (seq,) in rows:
                    connection.execute(
                        "INSERT OR REPLACE INTO vectors (seq, vector) VALUES (?, ?)",
                        (seq, to_blob(vector)),
                    )
                    connection.execute("DELETE FROM pending WHERE seq = ?", (seq,))
                    connection.execute("INSERT INTO changes (seq) VALUES (?)", (seq,))
                    filled += 1
        return filled

    def state(self, name: str) -> str | None:
        """Return a named string of the store."""
        with self._connections.read() as connection:
            rows = fetch(connection, "SELECT value FROM state WHERE name = ?", (name,))
        return rows[0][0] if rows else None

    def set_state(self, name: str, value: str | None) -> None:
        """Set or drop a named string of the store."""
        with self._connections.write() as connection:
            if value is None:
                connection.execute("DELETE FROM state WHERE name = ?", (name,))
            else:
                connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))

    def counts(self, *, author: str | None = None) -> StoreCounts:
        """Return counts of the store or of one author in it."""
        mine = "(:author IS NULL OR author = :author)"
        with self._connections.read() as connection:
            counted = fetch(
                connection,
                f"SELECT (SELECT coalesce(sum(live), 0) FROM tallies WHERE {mine}), "
                f"(SELECT coalesce(sum(trashed), 0) FROM tallies WHERE {mine}), "
                "(SELECT count(*) FROM pending AS p CROSS JOIN memories AS m ON m.seq = p.seq "
                f"WHERE m.live = 1 AND {mine}), "
                "(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)",
                {"author": author},
            )[0]
        return StoreCounts(*counted)

    def optimise(self) -> None:
        """Refresh the planner's statistics, fold the log in and drop what no cache needs any more."""
        tidy(self._connections)

    def integrity(self) -> str | None:
        """Return what is damaged, or None."""
        return check_integrity(self._connections)

    def close(self) -> None:
        """Close every connection."""
        self._connections.close()
