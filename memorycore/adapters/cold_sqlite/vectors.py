"""The vectors of the store in memory: a first pass over sign bits, exact scores for what it leaves.

The rows follow the store by change number, so that a write here or in another process costs one row and not
a reload.
"""

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import apsw
import numpy as np
import numpy.typing as npt

from memorycore.adapters.cold_sqlite.rows import fetch
from memorycore.adapters.cold_sqlite.vector_table import ABSENT, LIVE, TRASHED, VectorTable
from memorycore.model.memory import REVIVED_BY_RECALL
from memorycore.ports.cold import Projection, Vector, VectorMatrix

EXACT_ROWS = 512
"""Up to this many rows every one is scored exactly."""

FIRST_PASS_ROWS = 512
"""Fewest rows the first pass leaves."""

FIRST_PASS_SHARE = 36
"""Rows it leaves for each one wanted."""

FIRST_PASS_PART = 64
"""It leaves one row more for each of so many, so that a store ten times as large loses no more: of 10,000, 100,000 and
a million vectors it keeps 95, 94 and 97 % of the nearest 32, and 99, 98 and 98 % of the nearest five."""

_BATCH = 4096
_LOAD = (
    "SELECT m.seq, m.live, m.author, m.scope, t.reason, v.vector FROM {source} "
    "JOIN vectors AS v ON v.seq = m.seq LEFT JOIN trash AS t ON t.seq = m.seq"
)
_ALL = _LOAD.format(source="memories AS m")
_CHANGED = _LOAD.format(
    source="(SELECT DISTINCT seq FROM changes WHERE number > ?) AS c JOIN memories AS m ON m.seq = c.seq"
)
_Loaded = tuple[int, int, str, str, str | None, bytes]
_Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DenseFilter:
    """Which rows may answer."""

    author: str
    scopes: Collection[str] | None
    trashed: bool

    def admits(self, author: str, scope: str, state: int) -> bool:
        """Tell whether rows of a group may answer."""
        return (
            author == self.author
            and (self.scopes is None or scope in self.scopes)
            and (state == LIVE or (self.trashed and state == TRASHED))
        )


class VectorCache:
    """All vectors of one model under one projection."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[str, int] | None = None
        self._change = 0
        self._table = VectorTable(0, 0)

    def search(
        self,
        connection: apsw.Connection,
        query: Vector,
        projection: Projection | None,
        *,
        wanted: tuple[DenseFilter, int],
        also: Iterable[int] = (),
    ) -> dict[int, float]:
        """Return the similarity by row of the nearest rows, and of the rows `also`; filters come first."""
        with self._lock:
            self._follow(connection, projection, len(query))
            if not self._table.size:
                return {}
            asked = _projected(query[np.newaxis], projection)[0]
            others = self._table.places(also)
            return self._by_row(others, self._table.scores(others, asked)) | self._by_row(
                *self._nearest(asked, *wanted)
            )

    def _by_row(self, places: _Rows, scores: Vector) -> dict[int, float]:
        return dict(zip(self._table.seqs[places].tolist(), scores.tolist(), strict=True))

    def _nearest(self, asked: Vector, wanted: DenseFilter, limit: int) -> tuple[_Rows, Vector]:
        """Return the places of the nearest rows and their similarities."""
        rows = self._table.admitted(wanted.admits)
        if len(rows) > EXACT_ROWS:
            rows = self._table.likely(rows, asked, left_by_first_pass(len(rows), limit))
        scores = self._table.scores(rows, asked)
        if len(rows) <= limit:
            return rows, scores
        best = np.argpartition(-scores, limit)[:limit]
        return rows[best], scores[best]

    def _follow(
        self, connection: apsw.Connection, projection: Projection | None, dimension: int
    ) -> None:
        """Take in what changed in the store since the last look."""
        key = (projection.key if projection else "", dimension)
        newest, oldest = change_bounds(connection)
        if key != self._key or oldest > self._change + 1 or newest < self._change:
            self._reload(connection, projection, key)
        elif newest != self._change:
            self._catch_up(connection, projection, dimension)
        self._change = newest

    def _reload(
        self, connection: apsw.Connection, projection: Projection | None, key: tuple[str, int]
    ) -> None:
        total = fetch(connection, "SELECT count(*) FROM vectors")[0][0]
        width = len(_projected(np.ones((1, key[1]), np.float32), projection)[0])
        self._key = key
        self._table = VectorTable(int(total * 1.1) + 64, width)
        cursor = connection.execute(_ALL)
        while batch := _take(cursor, _BATCH):
            self._put(batch, projection, key[1])

    def _catch_up(
        self, connection: apsw.Connection, projection: Projection | None, dimension: int
    ) -> None:
        changed = fetch(
            connection, "SELECT DISTINCT seq FROM changes WHERE number > ?", (self._change,)
        )
        self._table.drop(seq for (seq,) in changed)
        cursor = connection.execute(_CHANGED, (self._change,))
        while batch := _take(cursor, _BATCH):
            self._put(batch, projection, dimension)

    def _put(
        self, loaded: Sequence[_Loaded], projection: Projection | None, dimension: int
    ) -> None:
        fitting = [row for row in loaded if len(row[5]) == 2 * dimension]
        if not fitting:
            return
        raw = np.frombuffer(b"".join(row[5] for row in fitting), "<f2").reshape(len(fitting), -1)
        self._table.put(
            [row[0] for row in fitting],
            [(row[2], row[3], _state(live=row[1], reason=row[4])) for row in fitting],
            _projected(raw.astype(np.float32), projection),
        )


def left_by_first_pass(rows: int, limit: int) -> int:
    """Return how many of `rows` are scored exactly to find `limit`."""
    return max(FIRST_PASS_ROWS, FIRST_PASS_SHARE * limit + rows // FIRST_PASS_PART)


def change_bounds(connection: apsw.Connection) -> tuple[int, int]:
    """Return the newest change number ever given and the oldest still logged (newest + 1 when none is)."""
    newest = fetch(connection, "SELECT seq FROM sqlite_sequence WHERE name = 'changes'")
    oldest = fetch(connection, "SELECT min(number) FROM changes")[0][0]
    last: int = newest[0][0] if newest else 0
    return last, last + 1 if oldest is None else oldest


def _take(cursor: apsw.Cursor, size: int) -> list[_Loaded]:
    batch: list[_Loaded] = list(islice(cursor, size))
    return batch


def _state(*, live: int, reason: str | None) -> int:
    if live:
        return LIVE
    return TRASHED if reason in REVIVED_BY_RECALL else ABSENT


def _projected(vectors: VectorMatrix, projection: Projection | None) -> VectorMatrix:
    return vectors if projection is None else projection.project(vectors)
