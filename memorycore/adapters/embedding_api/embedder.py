"""Requests to an embedding endpoint: their size, their repeats and their faults."""

import importlib.util
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from memorycore.adapters.embedding_api.answer import vectors_in
from memorycore.adapters.embedding_api.prefixes import prefixes_of
from memorycore.errors import EmbedderError

if TYPE_CHECKING:
    import openai

_SPLITTING_STATUSES = frozenset({400, 413, 422})
_HINTS: Mapping[int, str] = {
    401: "the key was refused",
    403: "the key may not use this model",
    404: "no such model or path there",
    429: "too many requests, or no credit left",
}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SHORTEST = 256
_FIRST_PAUSE = 0.25
# Servers without authentication ignore it; the client insists on having one.
_NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class EndpointLimits:
    """How much one request may hold and how long it may take.

    Attributes:
        timeout: seconds to connect, and between two parts of the answer.
        query_timeout: the same for a query, where somebody waits; too short for a server that
            first has to load the model, which then answers the next one.
        retries: repeats after a dropped connection, a 429 or a 5xx; a timeout is not repeated.
        batch_size: texts in one request; 32 is the most that text-embeddings-inference takes.
        max_chars: characters of a text that are sent; the rest is cut off.
    """

    timeout: float = 30.0
    query_timeout: float = 8.0
    retries: int = 2
    batch_size: int = 32
    max_chars: int = 8000


class ApiEmbedder:
    """Embeds through `POST {base_url}/embeddings`.

    Constructing it opens no connection. One instance serves any number of threads. Models that
    want a prefix on queries or passages get the one their authors name (`prefixes_of`).

    Args:
        base_url: up to and including the version, such as `http://localhost:11434/v1`.
        model: the name by which the endpoint knows the model.
        api_key: bearer token, when the endpoint wants one.
        limits: sizes and times.
        pause: waits that many seconds between two tries.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        limits: EndpointLimits | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base_url = base_url
        self._model = model
        self._api_key = api_key or _NO_KEY
        self._limits = limits or EndpointLimits()
        self._pause = pause
        self._query_prefix, self._passage_prefix = prefixes_of(model)
        self._lock = threading.Lock()
        self._client: openai.OpenAI | None = None
        self._dimension: int | None = None

    @property
    def model(self) -> str:
        """The name the endpoint knows the model by."""
        return self._model

    @property
    def dimension(self) -> int:
        """Values in a vector; asks the endpoint when nothing was embedded yet.

        Raises:
            EmbedderError: it does not answer.
        """
        if self._dimension is None:
            return len(self.embed_query("dimension"))
        return self._dimension

    def probe(self) -> str | None:
        """Why no request can even be made, or None; asks no network."""
        if self._client is not None:
            return None
        if importlib.util.find_spec("openai") is None:
            return "the package openai is not installed: pip install openai"
        if not self._model:
            return "no embedding model is named"
        return None if _host(self._base_url) else "the embedding URL is not an http(s) address"

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of texts to be found, float32 (texts, dimension), each of length one.

        Raises:
            EmbedderError: no usable answer came; the cause is attached.
        """
        return self._embed(
            [self._passage_prefix + text for text in texts], timeout=self._limits.timeout
        )

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a question or search words, float32 (dimension,), of length one.

        Raises:
            EmbedderError: as for `embed_passages`.
        """
        limit = min(self._limits.query_timeout, self._limits.timeout)
        vector: npt.NDArray[np.float32] = self._embed([self._query_prefix + text], timeout=limit)[0]
        return vector

    def _embed(self, texts: Sequence[str], *, timeout: float) -> npt.NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        ready = [_sendable(text, self._limits.max_chars) for text in texts]
        size = self._limits.batch_size
        starts = range(0, len(ready), size)
        return np.concatenate([self._batch(ready[at : at + size], timeout) for at in starts])

    def _batch(self, texts: Sequence[str], timeout: float) -> npt.NDArray[np.float32]:
        """Embed one request's worth; what the endpoint finds too large is split, then shortened."""
        try:
            return self._vectors(self._request(texts, timeout), count=len(texts))
        except _RequestRefusedError:
            if len(texts) > 1:
                half = len(texts) // 2
                parts = (texts[:half], texts[half:])
                return np.concatenate([self._batch(part, timeout) for part in parts])
            if len(texts[0]) <= _SHORTEST:
                raise
            return self._batch([texts[0][: len(texts[0]) // 2]], timeout)

    def _request(self, texts: Sequence[str], timeout: float) -> bytes:
        for attempt in range(self._limits.retries + 1):
            try:
                return self._request_once(texts, timeout)
            except _PassingError:
                if attempt == self._limits.retries:
                    raise
                self._pause(_FIRST_PAUSE * 2**attempt)
        raise EmbedderError("the number of retries is negative")

    def _request_once(self, texts: Sequence[str], timeout: float) -> bytes:
        with self._faults(timeout):
            answer = self._connected().embeddings.with_raw_response.create(
                input=list(texts), model=self._model, encoding_format="float", timeout=timeout
            )
            content: bytes = answer.http_response.content
            return content

    def _vectors(self, body: bytes, *, count: int) -> npt.NDArray[np.float32]:
        matrix = vectors_in(body)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        if len(matrix) != count:
            raise EmbedderError(f"the endpoint gave {len(matrix)} vectors for {count} texts")
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise EmbedderError("the endpoint gave a vector that is zero or not finite")
        with self._lock:
            expected = self._dimension = self._dimension or matrix.shape[1]
        if matrix.shape[1] != expected:
            raise EmbedderError(
                f"the endpoint gave {matrix.shape[1]} values a vector where it gave {expected} before"
            )
        vectors: npt.NDArray[np.float32] = (matrix / lengths).astype(np.float32)
        return vectors

    def _connected(self) -> "openai.OpenAI":
        with self._lock:
            if self._client is None:
                reason = self.probe()
                if reason is not None:
                    raise EmbedderError(reason)
                self._client = self._connect()
            return self._client

    def _connect(self) -> "openai.OpenAI":
        # Half a second: paid by the first embedding, not by every start.
        import openai  # noqa: PLC0415

        # A proxy from the environment cannot reach this machine's own ports.
        remote = _host(self._base_url) not in _LOOPBACK
        return openai.OpenAI(
            base_url=self._base_url,
            api_key=self._api_key,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(trust_env=remote),
        )

    @contextmanager
    def _faults(self, timeout: float) -> Iterator[None]:
        """Turn what the client raises into `EmbedderError`; no text, key or body in the message."""
        import openai  # noqa: PLC0415 (half a second, see `_connect`)

        where = f"the embedding endpoint at {_host(self._base_url)}"
        try:
            yield
        except openai.APITimeoutError as fault:
            raise EmbedderError(f"{where} did not answer within {timeout:g} s") from fault
        except openai.APIConnectionError as fault:
            raise _PassingError(f"{where} cannot be reached or broke off") from fault
        except openai.APIStatusError as fault:
            raise _status_error(where, fault.status_code, self._model) from fault
        except (openai.OpenAIError, ValueError) as fault:
            raise EmbedderError(f"no request to {where} was possible: {fault}") from fault


class _PassingError(EmbedderError):
    """May be gone at the next try."""


class _RequestRefusedError(EmbedderError):
    """The request itself is not liked: too many texts, or one that is too long."""


def _host(url: str) -> str:
    """The host that an http or https address names, or nothing when it is none."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and parts.port != 0
        host = (parts.hostname or "") if usable else ""
        host.encode("idna")
    except ValueError:
        return ""
    return "" if any(character.isspace() for character in url) else host


def _status_error(where: str, status: int, model: str) -> EmbedderError:
    hint = _HINTS.get(status, "")
    message = f"{where} answered {status} for model {model}{': ' if hint else ''}{hint}"
    if status in _SPLITTING_STATUSES:
        return _RequestRefusedError(message)
    if status == 429 or status >= 500:
        return _PassingError(message)
    return EmbedderError(message)


def _sendable(text: str, max_chars: int) -> str:
    """Cut to size, without lone surrogates (no JSON) and never empty (OpenAI refuses that)."""
    return text[:max_chars].encode("utf-8", "replace").decode() or " "
