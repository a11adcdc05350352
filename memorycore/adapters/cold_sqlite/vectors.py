"""The vectors of the store in memory: a first pass over sign bits, exact scores for what it leaves.

The rows follow the store by change number, so that a write here or in another process costs one row and not
a reload.
"""

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from memorycore.adapters.cold_sqlite.rows import fetch
from memorycore.model.memory import REVIVED_BY_RECALL
from memorycore.ports.cold import Projection, Vector, VectorMatrix

EXACT_ROWS = 16_384
"""Room for up to this many rows is kept in single precision and every row is scored: 0.4 ms for 10,000."""

FIRST_PASS_ROWS = 512
"""How many rows, at least, the first pass leaves for exact scoring."""

_BATCH = 4096
_ABSENT, _LIVE, _TRASHED = 0, 1, 2
_LOAD = (
    "SELECT m.seq, m.live, m.author, m.scope, t.reason, v.vector FROM {source} "
    "JOIN vectors AS v ON v.seq = m.seq LEFT JOIN trash AS t ON t.seq = m.seq"
)
_ALL = _LOAD.format(source="memories AS m")
_CHANGED = _LOAD.format(
    source="(SELECT DISTINCT seq FROM changes WHERE number > ?) AS c JOIN memories AS m ON m.seq = c.seq"
)
_Loaded = tuple[int, int, str, str, str | None, bytes]


@dataclass(frozen=True, slots=True)
class DenseFilter:
    """Which rows may answer."""

    author: str
    scopes: Collection[str] | None
    trashed: bool


class VectorCache:
    """All vectors of one model under one projection."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[str, int] | None = None
        self._change = 0
        self._rows: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._size = 0
        self._allocate(0, 0)

    def _allocate(self, capacity: int, width: int) -> None:
        self._seqs = np.zeros(capacity, np.int64)
        self._state = np.zeros(capacity, np.uint8)
        self._authors = np.zeros(capacity, np.int32)
        self._scopes = np.zeros(capacity, np.int32)
        exact = capacity <= EXACT_ROWS
        self._matrix: npt.NDArray[np.floating] = np.zeros(
            (capacity, width), np.float32 if exact else np.float16
        )
        self._signs = np.zeros((capacity, -(-width // 64)), np.uint64)

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
            if not self._size:
                return {}
            asked = _projected(query[np.newaxis], projection)[0]
            chosen = self._nearest(asked, *wanted)
            extra = [self._rows[seq] for seq in also if seq in self._rows]
            rows = np.union1d(chosen, np.array(extra, np.int64))
            scores = self._scores(rows, asked)
            return dict(zip(self._seqs[rows].tolist(), scores.tolist(), strict=True))

    def _nearest(self, asked: Vector, wanted: DenseFilter, limit: int) -> npt.NDArray[np.int64]:
        visible = self._visible(wanted)
        if len(self._matrix) <= EXACT_ROWS:
            scores = np.where(visible, self._matrix[: self._size] @ asked, -np.inf)
            rows = np.arange(self._size)
        else:
            rows = self._first_pass(np.flatnonzero(visible), asked, max(FIRST_PASS_ROWS, 8 * limit))
            scores = self._scores(rows, asked)
        if len(rows) > limit:
            best = np.argpartition(-scores, limit)[:limit]
            rows, scores = rows[best], scores[best]
        return rows[np.isfinite(scores)]

    def _first_pass(
        self, rows: npt.NDArray[np.int64], asked: Vector, keep: int
    ) -> npt.NDArray[np.int64]:
        if keep >= len(rows):
            return rows
        signs = self._signs[: self._size]
        if len(rows) < self._size:
            signs = signs[rows]
        differing = np.bitwise_count(signs ^ _packed(asked[np.newaxis])).sum(
            axis=1, dtype=np.uint16
        )
        return rows[np.argpartition(differing, keep)[:keep]]

    def _scores(self, rows: npt.NDArray[np.int64], asked: Vector) -> Vector:
        scores: Vector = self._matrix[rows].astype(np.float32, copy=False) @ asked
        return scores

    def _visible(self, wanted: DenseFilter) -> npt.NDArray[np.bool_]:
        state = self._state[: self._size]
        mask: npt.NDArray[np.bool_] = state != _ABSENT if wanted.trashed else state == _LIVE
        mask &= self._authors[: self._size] == self._names.get(wanted.author, -1)
        if wanted.scopes is not None:
            codes = [self._names[name] for name in wanted.scopes if name in self._names]
            mask &= np.isin(self._scopes[: self._size], codes)
        return mask

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
        self._rows.clear()
        self._size = 0
        self._key = key
        self._allocate(
            int(total * 1.1) + 64, len(_projected(np.ones((1, key[1]), np.float32), projection)[0])
        )
        cursor = connection.execute(_ALL)
        while batch := _take(cursor, _BATCH):
            self._put(batch, projection, key[1])

    def _catch_up(
        self, connection: apsw.Connection, projection: Projection | None, dimension: int
    ) -> None:
        changed = fetch(
            connection, "SELECT DISTINCT seq FROM changes WHERE number > ?", (self._change,)
        )
        for (seq,) in changed:
            row = self._rows.get(seq)
            if row is not None:
                self._state[row] = _ABSENT
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
        vectors = _projected(raw.astype(np.float32), projection)
        places = np.array([self._place(row[0]) for row in fitting], np.int64)
        self._seqs[places] = [row[0] for row in fitting]
        self._state[places] = [_state(live=row[1], reason=row[4]) for row in fitting]
        self._authors[places] = [self._code(row[2]) for row in fitting]
        self._scopes[places] = [self._code(row[3]) for row in fitting]
        self._matrix[places] = vectors
        self._signs[places] = _packed(vectors)

    def _place(self, seq: int) -> int:
        row = self._rows.get(seq)
        if row is None:
            row = self._size
            if row == len(self._seqs):
                self._grow()
            self._rows[seq] = row
            self._size += 1
        return row

    def _grow(self) -> None:
        old = self._columns()
        self._allocate(max(64, int(len(self._seqs) * 1.5)), self._matrix.shape[1])
        for before, after in zip(old, self._columns(), strict=True):
            after[: len(before)] = before

    def _columns(self) -> tuple[npt.NDArray[Any], ...]:
        return (
            self._seqs,
            self._state,
            self._authors,
            self._scopes,
            self._matrix,
            self._signs,
        )

    def _code(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))


def change_bounds(connection: apsw.Connection) -> tuple[int, int]:
    """Return the newest change number ever given and the oldest still logged (newest + 1 when none is)."""
    newest = fetch(connection, "SELECT seq FROM sqlite_sequence WHERE name = 'changes'")
    oldest = fetch(connection, "SELECT min(number) FROM changes")[0][0]
    last: int = newest[0][0] if newest else 0
    return last, last + 1 if oldest is None else oldest


def _take(cursor: apsw.Cursor, size: int) -> list[_Loaded]:
    return [row for row, _ in zip(cursor, range(size), strict=False)]


def _state(*, live: int, reason: str | None) -> int:
    if live:
        return _LIVE
    return _TRASHED if reason in REVIVED_BY_RECALL else _ABSENT


def _projected(vectors: VectorMatrix, projection: Projection | None) -> VectorMatrix:
    return vectors if projection is None else projection.project(vectors)


def _packed(vectors: VectorMatrix) -> npt.NDArray[np.uint64]:
    """Return the signs of each row as 64-bit words."""
    signs = np.packbits(vectors > 0, axis=1)
    short = -signs.shape[1] % 8
    if short:
        signs = np.pad(signs, ((0, 0), (0, short)))
    return np.ascontiguousarray(signs).view(np.uint64)
