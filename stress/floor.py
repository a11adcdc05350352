"""A plain hybrid store, the floor that measurements stand beside: FTS5, a matrix, reciprocal ranks."""

from pathlib import Path

import apsw
import numpy as np

from memorycore.ports import Embedder


class Floor:
    """No governance, no history, no scopes; one process."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._db = apsw.Connection(str(path))
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("CREATE VIRTUAL TABLE texts USING fts5(content)")
        self._db.execute("CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB)")
        self._embedder = embedder
        self._rows = np.zeros((0, embedder.dimension), np.float32)

    def fill(self, texts: list[str], vectors: np.ndarray) -> None:
        """Insert many in one transaction."""
        with self._db:
            for text, vector in zip(texts, vectors, strict=True):
                self._insert(text, vector)
        self._rows = np.vstack([self._rows, vectors])

    def write(self, text: str) -> None:
        """Insert one."""
        vector = self._embedder.embed_passages([text])[0]
        with self._db:
            self._insert(text, vector)
        self._rows = np.vstack([self._rows, vector])

    def _insert(self, text: str, vector: np.ndarray) -> None:
        self._db.execute("INSERT INTO texts (content) VALUES (?)", (text,))
        row = self._db.last_insert_rowid()
        self._db.execute("INSERT INTO vectors VALUES (?, ?)", (row, vector.tobytes()))

    def recall(self, query: str, top: int = 5) -> list[int]:
        """Return the best rows."""
        near = np.argsort(-(self._rows @ self._embedder.embed_query(query)))[:50] + 1
        words = " OR ".join(f'"{word}"' for word in query.replace('"', " ").split())
        sql = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 50"
        said = [row[0] for row in self._db.execute(sql, (words,))]
        points: dict[int, float] = {}
        for found in (near.tolist(), said):
            for place, row in enumerate(found):
                points[row] = points.get(row, 0.0) + 1 / (60 + place)
        return sorted(points, key=lambda row: -points[row])[:top]
