"""Vectors of texts."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt


class Embedder(Protocol):
    """Turns texts into L2-normalised vectors; loads nothing before it is first asked."""

    @property
    def model(self) -> str:
        """Name and version of the model; vectors of different names never meet."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector. An endpoint that must be asked for it raises `EmbedderError` when it is down."""
        ...

    def probe(self) -> str | None:
        """Return why no vector can be made, or None; cheap, loads nothing, asks no network."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one row a text, shape (n, dimension). Raises `EmbedderError`."""
        ...

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the vector of a search text, shape (dimension,). Raises `EmbedderError`."""
        ...
