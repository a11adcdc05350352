"""Vectors: filling in what is pending, and those of another model prepared beside the current ones."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

from collections.abc import Mapping, Sequence
from typing import LiteralString

from memorycore.adapters.cold_postgres.connection import Pool
from memorycore.adapters.cold_postgres.rows import MEMORY_COLUMNS, to_memory
from memorycore.model.memory import Memory
from memorycore.ports.cold import STATE_DIMENSION, STATE_MODEL, Vector

_UNSTAGED: LiteralString = (
    f"SELECT {MEMORY_COLUMNS} FROM memories AS m "
    "LEFT JOIN staged AS s ON s.seq = m.seq AND s.model = %s AND s.revision = m.revision "
    "WHERE s.seq IS NULL ORDER BY m.seq LIMIT %s"
)
_ADOPT: tuple[LiteralString, ...] = (
    (
        "UPDATE memories AS m SET vector = (SELECT s.vector FROM staged AS s WHERE s.seq = m.seq "
        "AND s.model = %(model)s AND s.revision = m.revision)"
    ),
    "DELETE FROM staged",
    "UPDATE revisions SET vector = NULL",
    "UPDATE changes SET last = last + 1",
    (
        "INSERT INTO state VALUES (%(model_name)s, %(model)s), (%(dimension_name)s, %(dimension)s) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    ),
)


class StoredVectors:
    """The part of the repository that fills in vectors and moves the store to another model."""

    _pool: Pool

    def missing_vectors(self, limit: int = 256) -> Sequence[Memory]:
        """Return live memories whose vector is pending."""
        with self._pool.read() as connection:
            rows = connection.execute(
                f"SELECT {MEMORY_COLUMNS} FROM memories AS m WHERE m.live AND m.vector IS NULL "
                "ORDER BY m.seq LIMIT %s",
                (limit,),
            ).fetchall()
        return [to_memory(row) for row in rows]

    def set_vectors(self, vectors: Mapping[str, tuple[int, Vector]]) -> int:
        """Fill vectors where the revision given is still current; return how many were set."""
        filled = 0
        with self._pool.write() as connection:
            for memory_id, (revision, vector) in vectors.items():
                done = connection.execute(
                    "UPDATE memories SET vector = %s WHERE id = %s AND revision = %s",
                    (vector, memory_id, revision),
                )
                filled += done.rowcount
            connection.execute("UPDATE changes SET last = last + %s", (filled,))
        return filled

    def unstaged(self, model: str, *, limit: int = 256) -> Sequence[Memory]:
        """Return memories, live or trashed, with no staged vector of `model` for their current text."""
        with self._pool.read() as connection:
            rows = connection.execute(_UNSTAGED, (model, limit)).fetchall()
        return [to_memory(row) for row in rows]

    def stage_vectors(self, model: str, vectors: Mapping[str, tuple[int, Vector]]) -> int:
        """Keep vectors of another model beside the current ones; return how many."""
        kept = 0
        with self._pool.write() as connection:
            for memory_id, (revision, vector) in vectors.items():
                done = connection.execute(
                    "INSERT INTO staged (seq, model, revision, vector) "
                    "SELECT seq, %s, %s, %s FROM memories WHERE id = %s ON CONFLICT (seq) DO UPDATE "
                    "SET model = excluded.model, revision = excluded.revision, vector = excluded.vector",
                    (model, revision, vector, memory_id),
                )
                kept += done.rowcount
        return kept

    def adopt_staged(self, model: str, *, dimension: int) -> int:
        """Make the staged vectors of `model` the current ones; return how many memories carry them."""
        values = {
            "model": model,
            "dimension": str(dimension),
            "model_name": STATE_MODEL,
            "dimension_name": STATE_DIMENSION,
        }
        with self._pool.write() as connection:
            for statement in _ADOPT:
                connection.execute(statement, values)
            found = connection.execute(
                "SELECT count(*) FROM memories WHERE vector IS NOT NULL"
            ).fetchone()
        adopted: int = found[0] if found else 0
        return adopted
