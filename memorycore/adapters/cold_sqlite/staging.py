"""Vectors of another model, prepared beside the current ones."""

from collections.abc import Mapping, Sequence

from memorycore.adapters.cold_sqlite.connection import Connections
from memorycore.adapters.cold_sqlite.rows import MEMORY_COLUMNS, fetch, to_blob, to_memory
from memorycore.model.memory import Memory
from memorycore.ports.cold import STATE_DIMENSION, STATE_MODEL, Vector

_UNSTAGED = (
    f"SELECT {MEMORY_COLUMNS} FROM memories AS m "  # noqa: S608 - fixed columns
    "LEFT JOIN staged AS s ON s.seq = m.seq AND s.model = ? AND s.revision = m.revision "
    "WHERE s.seq IS NULL ORDER BY m.seq LIMIT ?"
)
_ADOPT = (
    "DELETE FROM vectors",
    (
        "INSERT INTO vectors (seq, vector) SELECT s.seq, s.vector FROM staged AS s "
        "JOIN memories AS m ON m.seq = s.seq WHERE s.model = :model AND s.revision = m.revision"
    ),
    "DELETE FROM staged",
    "DELETE FROM pending",
    "INSERT INTO pending (seq) SELECT seq FROM memories WHERE seq NOT IN (SELECT seq FROM vectors)",
    "UPDATE revisions SET vector = NULL",
    "INSERT OR REPLACE INTO state VALUES (:model_name, :model)",
    "INSERT OR REPLACE INTO state VALUES (:dimension_name, :dimension)",
    "INSERT INTO changes (seq) SELECT seq FROM memories",
)


class StagedVectors:
    """The part of the repository that moves the store to another model."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def unstaged(self, model: str, *, limit: int = 256) -> Sequence[Memory]:
        """Return memories, live or trashed, with no staged vector of `model` for their current text."""
        with self._connections.read() as connection:
            rows = fetch(connection, _UNSTAGED, (model, limit))
        return [to_memory(row) for row in rows]

    def stage_vectors(self, model: str, vectors: Mapping[str, tuple[int, Vector]]) -> int:
        """Keep vectors of another model beside the current ones; return how many."""
        kept = 0
        with self._connections.write() as connection:
            for memory_id, (revision, vector) in vectors.items():
                connection.execute(
                    "INSERT OR REPLACE INTO staged (seq, model, revision, vector) "
                    "SELECT seq, ?, ?, ? FROM memories WHERE id = ?",
                    (model, revision, to_blob(vector), memory_id),
                )
                kept += connection.changes()
        return kept

    def adopt_staged(self, model: str, *, dimension: int) -> int:
        """Make the staged vectors of `model` the current ones; return how many memories carry them."""
        values = {
            "model": model,
            "dimension": str(dimension),
            "model_name": STATE_MODEL,
            "dimension_name": STATE_DIMENSION,
        }
        with self._connections.write() as connection:
            for statement in _ADOPT:
                connection.execute(statement, values)
            adopted: int = fetch(connection, "SELECT count(*) FROM vectors")[0][0]
        return adopted
