"""Vectors on demand: each text is embedded once, and a failing embedder degrades instead of failing a write."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence

from memorycore.errors import EmbedderError
from memorycore.ports import Clock, Embedder, Vector

log = logging.getLogger(__name__)

REMEMBERED = 512
"""Texts whose vectors are kept: a write needs the same vector for routing and for storing."""

PAUSE = 30.0
"""Seconds an embedder that failed is left alone, so that a dead endpoint costs one timeout and not one a write."""


class Vectors:
    """Wraps an embedder, or none. A vector that cannot be made is None and `degraded` says why."""

    def __init__(self, embedder: Embedder | None, *, clock: Clock) -> None:
        self._embedder = embedder
        self._clock = clock
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()
        self._failed: str | None = None
        self._paused_until = float("-inf")

    @property
    def embedder(self) -> Embedder | None:
        """Return the embedder behind, for its model's name."""
        return self._embedder

    @property
    def degraded(self) -> str | None:
        """Return why vectors are missing now, or None."""
        if self._embedder is None:
            return "no embedder is configured"
        return self._failed or self._embedder.probe()

    def passage(self, text: str) -> Vector | None:
        """Return the vector under which `text` is stored and classified."""
        return self.passages([text])[0]

    def passages(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return one vector, or None, for each text."""
        with self._lock:
            known = {text: self._cache[text] for text in texts if text in self._cache}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing and self._ready():
            known |= self._embed(missing)
        return [known.get(text) for text in texts]

    def query(self, text: str) -> Vector | None:
        """Return the vector of a search text."""
        if not self._ready() or self._embedder is None:
            return None
        try:
            vector = self._embedder.embed_query(text)
        except EmbedderError as fault:
            self._fail(fault)
            return None
        self._failed = None
        return vector

    def _ready(self) -> bool:
        if self._embedder is None or self._clock.monotonic() < self._paused_until:
            return False
        return self._embedder.probe() is None

    def _embed(self, texts: Sequence[str]) -> dict[str, Vector]:
        if self._embedder is None:
            return {}
        try:
            rows = self._embedder.embed_passages(texts)
        except EmbedderError as fault:
            self._fail(fault)
            return {}
        self._failed = None
        made = dict(zip(texts, rows, strict=True))
        with self._lock:
            self._cache.update(made)
            while len(self._cache) > REMEMBERED:
                self._cache.popitem(last=False)
        return made

    def _fail(self, fault: EmbedderError) -> None:
        self._failed = str(fault)
        self._paused_until = self._clock.monotonic() + PAUSE
        log.warning("embedder.failed pause_seconds=%s cause=%s", PAUSE, fault)
