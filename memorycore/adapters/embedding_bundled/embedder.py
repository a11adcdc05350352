"""The bundled embedder: lazy, thread-safe, and honest about what is missing."""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memorycore.adapters.embedding_bundled.encoder import Encoder
from memorycore.adapters.embedding_bundled.manifest import DIMENSION, MODEL, defect
from memorycore.adapters.onnx_session import missing_package
from memorycore.errors import EmbedderError


class BundledEmbedder:
    """Texts to vectors with multilingual-e5-small, int8, on the processor.

    Nothing is read or imported before the first embedding; that one pays for loading (under a
    second, about 120 MB). One instance serves any number of threads. The vector of a text depends
    on the text alone, never on what it was embedded with.

    Args:
        directory: where the model files are; by default those inside the package.
        threads: processor threads a session may use for one call.
    """

    def __init__(self, directory: Path | None = None, *, threads: int = 1) -> None:
        self._directory = directory or Path(__file__).parent / "model"
        self._threads = threads
        self._encoder: Encoder | None = None
        self._loading = threading.Lock()

    @property
    def model(self) -> str:
        """Identity of the vectors: those of another identity are not comparable."""
        return MODEL

    @property
    def dimension(self) -> int:
        """Values in a vector."""
        return DIMENSION

    def probe(self) -> str | None:
        """Why embedding cannot work here, or None; looks at files and packages, loads nothing."""
        if self._encoder is not None:
            return None
        return missing_package("onnxruntime", "sentencepiece") or defect(self._directory)

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of texts to be found, float32 (texts, dimension), each of length one.

        A text above 510 tokens is read in windows of 510 and gets the mean over all its tokens;
        what lies beyond eight windows is not read.

        Raises:
            EmbedderError: a file or package is missing or damaged; the message says what to do.
        """
        return self._ready().encode([f"passage: {text}" for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a question or search words, float32 (dimension,), of length one.

        Raises:
            EmbedderError: as for `embed_passages`.
        """
        vector: npt.NDArray[np.float32] = self._ready().encode([f"query: {text}"])[0]
        return vector

    def _ready(self) -> Encoder:
        encoder = self._encoder
        if encoder is None:
            with self._loading:
                encoder = self._encoder = self._encoder or self._load()
        return encoder

    def _load(self) -> Encoder:
        reason = self.probe()
        if reason is not None:
            raise EmbedderError(f"the bundled embedding model cannot be used: {reason}")
        return Encoder(self._directory, threads=self._threads)
