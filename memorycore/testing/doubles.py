"""Fakes that behave, not mocks."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from memorycore.errors import EmbedderError, HotConflictError, InvalidInputError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, NewEntry
from memorycore.model.routing import Target
from memorycore.policy.text import entry_key, fold
from memorycore.policy.validation import splits_hot_file

FIRST_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
"""Where a `FakeClock` starts unless told otherwise."""

SEPARATOR = "\n§\n"


class FakeClock:
    """A clock that moves only when told."""

    def __init__(self, start: datetime = FIRST_MOMENT) -> None:
        self._now = start
        self._elapsed = 0.0

    def now(self) -> datetime:
        """Return the moment the clock stands at."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds the clock was moved on, never backwards."""
        return self._elapsed

    def advance(self, **duration: float) -> datetime:
        """Move on by a `timedelta` given in its keywords, e.g. `days=8`; return the new moment."""
        step = timedelta(**duration)
        self._now += step
        self._elapsed += max(0.0, step.total_seconds())
        return self._now

    def jump(self, moment: datetime) -> None:
        """Set the wall clock, forwards or backwards, as a user or NTP may."""
        self._now = moment


class CountingIds:
    """Identifiers that count up: `prefix-000001` and so on."""

    def __init__(self, prefix: str = "m") -> None:
        self._prefix = prefix
        self._last = 0

    def new_id(self) -> str:
        """Return the next identifier."""
        self._last += 1
        return f"{self._prefix}-{self._last:06d}"


class HashEmbedder:
    """Vectors from hashed character trigrams: deterministic, fast, and alike for texts that share words.

    `fail` makes every call raise `EmbedderError` until it is set back.
    """

    def __init__(self, dimension: int = 64, model: str = "hash-trigrams/1") -> None:
        self._dimension = dimension
        self._model = model
        self.fail = False
        self.calls = 0

    @property
    def model(self) -> str:
        """Return the model's name."""
        return self._model

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._dimension

    def probe(self) -> str | None:
        """Return why no vector can be made, or None."""
        return None

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one unit vector a text."""
        self.calls += 1
        if self.fail:
            message = "the embedder was told to fail"
            raise EmbedderError(message)
        rows = [self._vector(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._dimension), dtype=np.float32)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the unit vector of a search text."""
        vector: npt.NDArray[np.float32] = self.embed_passages([text])[0]
        return vector

    def _vector(self, text: str) -> npt.NDArray[np.float32]:
        padded = f" {fold(text)} "
        vector = np.full(self._dimension, 1e-3, dtype=np.float32)
        for start in range(max(1, len(padded) - 2)):
            piece = padded[start : start + 3].encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(piece, digest_size=8).digest()
            sign = 1.0 if digest[4] % 2 else -1.0
            vector[int.from_bytes(digest[:4], "little") % self._dimension] += sign
        unit: npt.NDArray[np.float32] = vector / np.linalg.norm(vector)
        return unit


class InMemoryHotStore:
    """The two hot files in memory, with the compare-and-swap of the real ones.

    `before_commit` is called just before a commit looks at the revision; a test lets another writer in there.
    """

    def __init__(self, *, limits: Mapping[Target, int] | None = None) -> None:
        self._limits = dict(limits or {})
        self._texts: dict[Target, tuple[str, ...]] = dict.fromkeys(Target, ())
        self._metas: dict[Target, dict[str, EntryMeta]] = {target: {} for target in Target}
        self._taken: dict[Target, frozenset[str]] = dict.fromkeys(Target, frozenset())
        self.before_commit: Callable[[], None] | None = None

    def read(self, target: Target) -> HotSnapshot:
        """Return the file as it stands."""
        texts = self._texts[target]
        joined = SEPARATOR.join(texts)
        metas = self._metas[target]
        return HotSnapshot(
            target=target,
            entries=tuple(
                HotEntry(entry_key(text), text, metas.get(entry_key(text))) for text in texts
            ),
            revision=hashlib.sha256(joined.encode("utf-8")).hexdigest(),
            characters=len(joined),
            limit=self._limits.get(target, 5000),
        )

    def commit(self, target: Target, entries: Sequence[NewEntry], *, expected: str) -> HotSnapshot:
        """Replace the file if it is still as read."""
        if self.before_commit:
            hook, self.before_commit = self.before_commit, None
            hook()
        if self.read(target).revision != expected:
            message = f"{target.value} changed since it was read"
            raise HotConflictError(message)
        for entry in entries:
            if not entry.text.strip() or splits_hot_file(entry.text):
                message = "an entry must have text and no line that is only §"
                raise InvalidInputError(message)
        before = {entry_key(text) for text in self._texts[target]}
        self.write_by_hand(target, *(entry.text for entry in entries))
        now = {entry_key(text) for text in self._texts[target]}
        self._taken[target] = self._taken[target] - now | (before - now)
        self._metas[target] |= {
            entry_key(entry.text): entry.meta for entry in entries if entry.meta is not None
        }
        return self.read(target)

    def annotate(self, target: Target, metas: Mapping[str, EntryMeta]) -> None:
        """Merge sidecar records and drop those of entries that are gone."""
        known = {entry_key(text) for text in self._texts[target]}
        merged = self._metas[target] | dict(metas)
        self._metas[target] = {key: meta for key, meta in merged.items() if key in known}
        self._taken[target] -= known

    def taken(self, target: Target) -> frozenset[str]:
        """Return keys of entries that commits took out."""
        return self._taken[target]

    def write_by_hand(self, target: Target, *texts: str) -> None:
        """Set the file's entries as another program would: no revision, no metadata."""
        self._texts[target] = tuple(dict.fromkeys(text.strip() for text in texts))

    def age(self, target: Target, days: float) -> None:
        """Make every known entry older by `days`."""
        step = timedelta(days=days)
        self._metas[target] = {
            key: replace(meta, written_at=meta.written_at - step, updated_at=meta.updated_at - step)
            for key, meta in self._metas[target].items()
        }


class FaultyStore:
    """Wraps any store and raises `fault` at the n-th call of a method (1: the first), then works again.

    With `lasting` it goes on failing. Unnamed methods pass through.
    """

    def __init__(
        self, store: object, *, method: str, fault: Exception, at: int = 1, lasting: bool = False
    ) -> None:
        self._store = store
        self._method = method
        self._fault = fault
        self._at = at
        self._lasting = lasting
        self._calls = 0

    def __getattr__(self, name: str) -> Any:
        """Return the wrapped store's attribute, made to fail when its time has come."""
        found = getattr(self._store, name)
        if name != self._method:
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            self._calls += 1
            due = self._calls >= self._at if self._lasting else self._calls == self._at
            if due:
                raise self._fault
            return found(*args, **kwargs)

        return call
