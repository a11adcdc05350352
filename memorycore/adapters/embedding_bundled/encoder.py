"""Tokens, batches and the ONNX session: everything that needs the model in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memorycore.adapters.embedding_bundled.manifest import (
    DIMENSION,
    ENCODER,
    REPAIR,
    TOKENIZER,
    WORDS,
)
from memorycore.adapters.embedding_bundled.words import WordTable
from memorycore.adapters.onnx_session import OnnxSession, onnx_faults
from memorycore.errors import EmbedderError

_BOS, _PAD, _EOS = 0, 1, 2
_WINDOW_TOKENS = 510
_MAX_WINDOWS = 8
# No script packs more than this many characters into a token on average; what is cut off here
# would not have been read anyway.
_MAX_CHARS = _MAX_WINDOWS * _WINDOW_TOKENS * 16
# Rows of one matrix product: enough to be efficient, small enough for the processor's cache.
_BATCH_TOKENS = 512


@dataclass(frozen=True, slots=True)
class _Window:
    """Up to 510 tokens of the text with number `text`, the two marks around them included."""

    text: int
    ids: tuple[int, ...]


class Encoder:
    """The loaded model.

    Raises:
        EmbedderError: a file is damaged or a package does not load.
    """

    def __init__(self, directory: Path, *, threads: int) -> None:
        self._session = OnnxSession(directory / ENCODER, threads=threads, fuse=False)
        with onnx_faults():
            # With the runtime half a second and 50 MB: paid by the first embedding only.
            import sentencepiece  # noqa: PLC0415

            self._tokenizer = sentencepiece.SentencePieceProcessor(
                model_file=str(directory / TOKENIZER)
            )
            self._words = WordTable(directory / WORDS, DIMENSION)
        if len(self._words) != self._tokenizer.vocab_size():
            raise EmbedderError(f"vocabulary and word table in {directory} differ: {REPAIR}")

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of texts that already carry their prefix, float32 (texts, dimension)."""
        totals = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        with onnx_faults():
            for batch in _batches(self._windows(texts)):
                weights = np.array([len(window.ids) - 2 for window in batch], dtype=np.float32)
                owners = [window.text for window in batch]
                np.add.at(totals, owners, self._run(batch) * weights[:, np.newaxis])
        lengths = np.linalg.norm(totals, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise EmbedderError(f"the embedding model gave no usable vector: {REPAIR}")
        vectors: npt.NDArray[np.float32] = totals / lengths
        return vectors

    def _windows(self, texts: Sequence[str]) -> list[_Window]:
        readable = [text[:_MAX_CHARS].encode("utf-8", "replace").decode() for text in texts]
        windows = []
        for number, ids in enumerate(self._tokenizer.encode(readable)):
            for start in range(0, min(len(ids), _MAX_WINDOWS * _WINDOW_TOKENS), _WINDOW_TOKENS):
                part = ids[start : start + _WINDOW_TOKENS]
                windows.append(_Window(number, (_BOS, *part, _EOS)))
        return windows

    def _run(self, batch: Sequence[_Window]) -> npt.NDArray[np.float32]:
        ids = np.full((len(batch), max(len(window.ids) for window in batch)), _PAD, dtype=np.intp)
        mask = np.zeros(ids.shape, dtype=np.int32)
        for row, window in enumerate(batch):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        inputs = {"word_embeddings": self._words.rows(ids), "mask": mask}
        return self._session.run(inputs)


def _batches(windows: Sequence[_Window]) -> Iterator[list[_Window]]:
    """Windows of nearly equal length together, within the token budget."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda window: len(window.ids)):
        if batch and (len(batch) + 1) * len(window.ids) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch
