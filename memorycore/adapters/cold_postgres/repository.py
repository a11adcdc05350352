"""The rows of the cold store in PostgreSQL."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import LiteralString

import numpy as np

from memorycore.adapters.cold_postgres.changes import ChangeWriter
from memorycore.adapters.cold_postgres.connection import Pool
from memorycore.adapters.cold_postgres.history import KeptHistory
from memorycore.adapters.cold_postgres.past import search_past
from memorycore.adapters.cold_postgres.rows import (
    MEMORY_COLUMNS,
    TRASH_COLUMNS,
    to_memory,
    to_trashed,
    to_vector,
)
from memorycore.adapters.cold_postgres.search import EXACT_ROWS, Searcher
from memorycore.adapters.cold_postgres.staging import StoredVectors
from memorycore.adapters.cold_postgres.upkeep import check_integrity, scrub, tidy
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

_LIVE: LiteralString = f"SELECT {MEMORY_COLUMNS} FROM memories AS m"
_TRASHED: LiteralString = (
    f"SELECT {MEMORY_COLUMNS}, {TRASH_COLUMNS} FROM trash AS t JOIN memories AS m ON m.seq = t.seq"
)


class PostgresRepository(StoredVectors, KeptHistory):
    """`ColdRepository` over one PostgreSQL database; thread-safe.

    Args:
        pool: The connections.
        exact_rows: Live rows of one author beyond which the HNSW index picks what is scored.
    """

    def __init__(self, pool: Pool, *, exact_rows: int = EXACT_ROWS) -> None:
        self._pool = pool
        self._searcher = Searcher(exact_rows=exact_rows)

    def apply(
        self, changes: Sequence[Change], *, provenance: Provenance, at: datetime
    ) -> Sequence[str]:
        """Make all changes in one transaction; after an erasure the dead row versions are vacuumed away."""
        with self._pool.write() as connection:
            writer = ChangeWriter(connection, provenance, at)
            ids = [writer.apply(change) for change in changes]
            writer.finish()
        if any(isinstance(change, Erase) for change in changes):
            scrub(self._pool)
        return ids

    def find(self, content_hash: str, *, author: str, scope: str) -> Memory | None:
        """Return the live memory with that text."""
        with self._pool.read() as connection:
            row = connection.execute(
                f"{_LIVE} WHERE m.hash = %s AND m.author = %s AND m.scope = %s AND m.live",
                (bytes.fromhex(content_hash), author, scope),
            ).fetchone()
        return to_memory(row) if row else None

    def find_trashed(self, content_hash: str, *, author: str, scope: str) -> TrashedMemory | None:
        """Return the memory with that text that was trashed last."""
        with self._pool.read() as connection:
            row = connection.execute(
                f"{_TRASHED} WHERE t.hash = %s AND t.author = %s AND t.scope = %s "
                "ORDER BY t.trashed_at DESC LIMIT 1",
                (bytes.fromhex(content_hash), author, scope),
            ).fetchone()
        return to_trashed(row) if row else None

    def get(self, memory_ids: Collection[str]) -> Mapping[str, Memory]:
        """Return the live memories among `memory_ids`."""
        with self._pool.read() as connection:
            rows = connection.execute(
                f"{_LIVE} WHERE m.live AND m.id = ANY(%s)", (list(memory_ids),)
            ).fetchall()
        return {row[0]: to_memory(row) for row in rows}

    def vectors(self, memory_ids: Collection[str]) -> Mapping[str, Vector]:
        """Return the raw vectors of live memories."""
        with self._pool.read() as connection:
            rows = connection.execute(
                "SELECT id, vector FROM memories WHERE live AND vector IS NOT NULL AND id = ANY(%s)",
                (list(memory_ids),),
                binary=True,
            ).fetchall()
        return {memory_id: to_vector(value) for memory_id, value in rows}

    def search(self, request: SearchRequest) -> Sequence[Candidate]:
        """Return candidates with dense and keyword evidence, unranked."""
        with self._pool.read() as connection:
            if request.as_of is not None:
                return search_past(connection, request)
            return self._searcher.search(connection, request)

    def token_statistics(self, tokens: Collection[str]) -> TokenStatistics:
        """Return how common the tokens are; a count may lag by a twentieth of the store."""
        with self._pool.read() as connection:
            return self._searcher.statistics(connection, tokens)

    def sample_vectors(self, limit: int) -> tuple[VectorMatrix, Sequence[str]]:
        """Return up to `limit` raw vectors spread evenly over the live rows, and their texts."""
        with self._pool.read() as connection:
            rows = connection.execute(
                "SELECT vector, content FROM memories WHERE seq IN (SELECT seq FROM (SELECT seq, "
                "row_number() OVER (ORDER BY seq) AS place, count(*) OVER () AS total FROM memories "
                "WHERE live AND vector IS NOT NULL) AS numbered "
                "WHERE place %% greatest(1, total / %s) = 0 ORDER BY place LIMIT %s) ORDER BY seq",
                (max(1, limit), limit),
                binary=True,
            ).fetchall()
        made = [(to_vector(value), content) for value, content in rows]
        fitting = [(vector, text) for vector, text in made if len(vector) == len(made[0][0])]
        if not fitting:
            return np.zeros((0, 0), np.float32), ()
        return np.stack([vector for vector, _ in fitting]), [text for _, text in fitting]

    def scan(
        self, *, after: str | None = None, limit: int = 500, changed_since: int | None = None
    ) -> Sequence[Memory]:
        """Return live memories in id order after `after`, all or those changed since."""
        with self._pool.read() as connection:
            rows = connection.execute(
                f"{_LIVE} WHERE m.live AND m.id > %(after)s "
                "AND (%(since)s::bigint IS NULL OR m.change > %(since)s) ORDER BY m.id LIMIT %(limit)s",
                {"after": after or "", "since": changed_since, "limit": limit},
            ).fetchall()
        return [to_memory(row) for row in rows]

    def change_number(self) -> int:
        """Return the number of the last change of any row."""
        with self._pool.read() as connection:
            row = connection.execute("SELECT last FROM changes").fetchone()
        number: int = row[0] if row else 0
        return number

    def trash(
        self, *, author: str | None = None, expired_at: datetime | None = None
    ) -> Sequence[TrashedMemory]:
        """Return the trash, newest first."""
        with self._pool.read() as connection:
            rows = connection.execute(
                f"{_TRASHED} WHERE (%(author)s::text IS NULL OR m.author = %(author)s) "
                "AND (%(expired)s::timestamptz IS NULL OR t.expires_at <= %(expired)s) "
                "ORDER BY t.trashed_at DESC, t.seq DESC",
                {"author": author, "expired": expired_at},
            ).fetchall()
        return [to_trashed(row) for row in rows]

    def trashed(self, memory_id: str) -> TrashedMemory | None:
        """Return one trashed memory."""
        with self._pool.read() as connection:
            row = connection.execute(f"{_TRASHED} WHERE m.id = %s", (memory_id,)).fetchone()
        return to_trashed(row) if row else None

    def note_recalled(self, memory_ids: Collection[str], *, at: datetime) -> None:
        """Count a recall; rows that another writer holds are not waited for."""
        with self._pool.write_lightly() as connection:
            connection.execute(
                "UPDATE memories SET last_recalled = %s, recall_count = recall_count + 1 "
                "WHERE seq IN (SELECT seq FROM memories WHERE live AND id = ANY(%s) "
                "ORDER BY seq FOR UPDATE SKIP LOCKED)",
                (at, list(memory_ids)),
            )

    def counts(self, *, author: str | None = None) -> StoreCounts:
        """Return counts of the store or of one author in it."""
        with self._pool.read() as connection:
            row = connection.execute(
                "SELECT coalesce(sum(live), 0)::bigint, coalesce(sum(trashed), 0)::bigint, "
                "(SELECT count(*) FROM memories WHERE live AND vector IS NULL "
                "AND (%(author)s::text IS NULL OR author = %(author)s)), "
                "coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('memories')), "
                "pg_total_relation_size('memories'))::bigint + pg_total_relation_size('revisions') "
                "FROM tallies WHERE (%(author)s::text IS NULL OR author = %(author)s)",
                {"author": author},
            ).fetchone()
        return StoreCounts(*row) if row else StoreCounts(0, 0, 0, 0)

    def optimise(self) -> None:
        """Make the vector index once the store is large, refresh statistics, finish what an erasure left."""
        tidy(self._pool, exact_rows=self._searcher.exact_rows)

    def integrity(self) -> str | None:
        """Return what is damaged, or None."""
        return check_integrity(self._pool)

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()
