"""What the measurements share: remembered vectors, a clock that stands still, stores filled in one go."""

import hashlib
import itertools
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.model.memory import GLOBAL_SCOPE, LOCAL_AUTHOR, Memory, Provenance
from memorycore.model.routing import EntryType
from memorycore.policy.recall_prior import RecallPrior
from memorycore.ports import STATE_DIMENSION, STATE_MODEL, Embedder, Insert
from memorycore.service.recalling import Recaller
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors

NOW = datetime(2026, 11, 30, tzinfo=UTC)
BATCH = 500
BY_STRESS = Provenance("stress", "stress", "measurement")

Array = npt.NDArray[np.float32]


class StillClock:
    """A calendar that stands still and a stopwatch that does not."""

    def now(self) -> datetime:
        """Return always the same moment."""
        return NOW

    def monotonic(self) -> float:
        """Return seconds."""
        return time.monotonic()


class RememberingEmbedder:
    """Keeps the vectors of a model on disk between runs, so that a measurement of quality embeds once."""

    def __init__(self, inner: Embedder, folder: Path | None = None) -> None:
        self._inner = inner
        name = hashlib.sha256(inner.model.encode()).hexdigest()[:12]
        self._path = (folder or Path(tempfile.gettempdir())) / f"memorycore-vectors-{name}.npz"
        self._known: dict[str, Array] = {}
        if self._path.exists():
            with np.load(self._path) as stored:
                self._known = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))

    @property
    def model(self) -> str:
        """Return the inner model's name."""
        return self._inner.model

    @property
    def dimension(self) -> int:
        """Return the inner model's dimension."""
        return self._inner.dimension

    def probe(self) -> str | None:
        """Return the inner embedder's answer."""
        return self._inner.probe()

    def embed_passages(self, texts: Sequence[str]) -> Array:
        """Return remembered vectors, making those that are missing in one call."""
        missing = [text for text in dict.fromkeys(texts) if f"p:{text}" not in self._known]
        if missing:
            rows = self._inner.embed_passages(missing)
            self._known.update({f"p:{text}": row for text, row in zip(missing, rows, strict=True)})
        return np.stack([self._known[f"p:{text}"] for text in texts])

    def embed_query(self, text: str) -> Array:
        """Return the remembered vector of a query."""
        key = f"q:{text}"
        if key not in self._known:
            self._known[key] = self._inner.embed_query(text)
        return self._known[key]

    def save(self) -> None:
        """Write what is known."""
        np.savez(
            self._path, keys=np.array(list(self._known)), rows=np.stack([*self._known.values()])
        )


@dataclass(frozen=True, slots=True)
class Bench:
    """A store and what recalls from it."""

    database: SqliteDatabase
    recaller: Recaller
    path: Path


@contextmanager
def bench(texts: Sequence[str], embedder: Embedder | None, prior: RecallPrior) -> Iterator[Bench]:
    """Lend a store that holds each distinct text once."""
    distinct = list(dict.fromkeys(texts))
    vectors = embedder.embed_passages(distinct) if embedder else None
    with tempfile.TemporaryDirectory(prefix="memorycore-stress-") as folder:
        path = Path(folder) / "memorycore.db"
        database = open_database(path)
        fill(database, distinct, vectors)
        if embedder is not None:
            database.repository.set_state(STATE_MODEL, embedder.model)
            database.repository.set_state(STATE_DIMENSION, str(embedder.dimension))
        clock = StillClock()
        wrapped = Vectors(embedder, clock=clock)
        model = StoreModel(database.repository, wrapped)
        yield Bench(
            database,
            Recaller(database.repository, wrapped, model=model, clock=clock, prior=prior),
            path,
        )
        database.close()


def fill(database: SqliteDatabase, texts: Sequence[str], vectors: Array | None) -> None:
    """Insert texts with their vectors, a batch a transaction."""
    places = iter(range(len(texts)))
    while batch := list(itertools.islice(places, BATCH)):
        database.repository.apply(
            [
                Insert(memory(texts[place], place), None if vectors is None else vectors[place])
                for place in batch
            ],
            provenance=BY_STRESS,
            at=NOW,
        )


def memory(text: str, number: int) -> Memory:
    """Return a memory told now."""
    return Memory(
        id=f"m{number:08}",
        content=text,
        author=LOCAL_AUTHOR,
        scope=GLOBAL_SCOPE,
        importance=0.5,
        type=EntryType.STATE,
        protected=False,
        source=None,
        created_at=NOW,
        updated_at=NOW,
        confirmed_at=NOW,
    )
