"""The word-embedding table: Q4 blocks on disk, mapped into memory, rows made on demand.

A row is `dimension / 32` blocks; a block is a half-float scale and sixteen bytes whose low nibbles
are its first sixteen values and whose high nibbles are the next sixteen: `(nibble - 8) * scale`.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", (16,))])
_VALUES_PER_BLOCK = 32


class WordTable:
    """Rows of the table as float32.

    Args:
        path: the file of blocks.
        dimension: values in a row.

    Raises:
        OSError: the file cannot be mapped.
        ValueError: its size is not a whole number of rows.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        blocks = np.memmap(path, dtype=_BLOCK, mode="r")
        self._rows = blocks.reshape(-1, dimension // _VALUES_PER_BLOCK)

    def __len__(self) -> int:
        """How many words have a row."""
        return len(self._rows)

    def rows(self, ids: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        """The embeddings of `ids`, of any shape, with the dimension as an added last axis."""
        blocks = self._rows[ids]
        nibbles = blocks["nibbles"]
        values = np.empty((*nibbles.shape[:-1], _VALUES_PER_BLOCK), dtype=np.float32)
        np.bitwise_and(nibbles, 0x0F, out=values[..., :16], casting="unsafe")
        np.right_shift(nibbles, 4, out=values[..., 16:], casting="unsafe")
        values -= 8
        values *= blocks["scale"].astype(np.float32)[..., np.newaxis]
        return values.reshape(*ids.shape, -1)
