"""The word-embedding table: Q4 blocks on disk, rows read and expanded on demand.

A row is `dimension / 32` blocks; a block is a half-float scale and sixteen bytes whose low nibbles
are its first sixteen values and whose high nibbles are the next sixteen: `(nibble - 8) * scale`.
"""

import os
import sys
import weakref
from pathlib import Path

import numpy as np
import numpy.typing as npt

_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", (16,))])
_VALUES_PER_BLOCK = 32


class WordTable:
    """Rows of the table as float32.

    Rows are read one by one rather than through a memory map, of which the system would keep
    whole stretches in memory for each row: 50 MB more for the price of a millisecond in 500 words.
    The file stays open, so that an upgrade under a running process changes nothing for it.

    Args:
        path: the file of blocks.
        dimension: values in a row.

    Raises:
        OSError: the file cannot be opened.
        ValueError: its size is not a whole number of rows.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        self._blocks_per_row = dimension // _VALUES_PER_BLOCK
        self._row_bytes = self._blocks_per_row * _BLOCK.itemsize
        self._count, rest = divmod(path.stat().st_size, self._row_bytes)
        if rest:
            raise ValueError(f"{path} is not a whole number of rows of {dimension} values")
        if sys.platform == "win32":
            self._map = np.memmap(path, dtype=np.uint8, mode="r")
        else:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            weakref.finalize(self, os.close, self._file)

    def __len__(self) -> int:
        """How many words have a row."""
        return self._count

    def rows(self, ids: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        """The embeddings of `ids`, of any shape, with the dimension as an added last axis."""
        distinct, places = np.unique(ids, return_inverse=True)
        content = b"".join([self._read(number) for number in distinct.tolist()])
        blocks = np.frombuffer(content, dtype=_BLOCK).reshape(-1, self._blocks_per_row)
        values = np.empty((*blocks.shape, _VALUES_PER_BLOCK), dtype=np.float32)
        np.bitwise_and(blocks["nibbles"], 0x0F, out=values[..., :16], casting="unsafe")
        np.right_shift(blocks["nibbles"], 4, out=values[..., 16:], casting="unsafe")
        values -= 8
        values *= blocks["scale"].astype(np.float32)[..., np.newaxis]
        return values.reshape(len(distinct), -1)[places.reshape(ids.shape)]

    def _read(self, number: int) -> bytes:
        start = number * self._row_bytes
        if sys.platform == "win32":
            return self._map[start : start + self._row_bytes].tobytes()
        else:  # noqa: RET505 (so that type checkers see one branch of each platform)
            return os.pread(self._file, self._row_bytes, start)
