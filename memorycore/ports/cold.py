"""Rows of a cold store that this process governs: SQLite or PostgreSQL."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from memorycore.model.memory import (
    Event,
    EventKind,
    Memory,
    Provenance,
    TextRevision,
    TrashedMemory,
    TrashReason,
)

Vector = npt.NDArray[np.float32]
"""One L2-normalised vector, shape (dimension,)."""

VectorMatrix = npt.NDArray[np.float32]
"""One vector a row, shape (n, dimension)."""

STATE_MODEL = "embedding_model"
"""Named state: the model whose vectors the store holds."""

STATE_DIMENSION = "embedding_dimension"
"""Named state: the length of those vectors, in decimal."""


class Projection(Protocol):
    """A calibrated view of a model's vectors, in which a dot product means similarity."""

    @property
    def key(self) -> str:
        """Identity for caches: equal keys project equally."""
        ...

    def project(self, vectors: VectorMatrix) -> VectorMatrix:
        """Return one L2-normalised row for each raw row, shape (n, projected dimension)."""
        ...


@dataclass(frozen=True, slots=True)
class Insert:
    """A new live memory; `vector` None is filled in by maintenance. Revives the row if the text lies in the trash."""

    memory: Memory
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class Confirm:
    """The text was said again: `confirmed_at` moves on, importance never falls."""

    memory_id: str
    importance: float


@dataclass(frozen=True, slots=True)
class Revise:
    """The text changes in place; the old one ends as a revision. Fails when `expected_revision` is not current.

    `kind` is the event written: merged with more, or superseded by a newer value.
    """

    memory_id: str
    content: str
    vector: Vector | None
    importance: float
    expected_revision: int
    kind: EventKind = EventKind.MERGED


@dataclass(frozen=True, slots=True)
class Discard:
    """A live memory goes to the trash, whole. Fails when `expected_revision` is given and not current."""

    memory_id: str
    reason: TrashReason
    expires_at: datetime
    note: str = ""
    successor_id: str | None = None
    expected_revision: int | None = None


@dataclass(frozen=True, slots=True)
class Revive:
    """A trashed memory is live again."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class Erase:
    """Every byte of the memories goes: rows, revisions, trash, vectors, full text, event notes.

    `entry_keys` are hot entries whose keys, being hashes of their texts, leave the events too.
    """

    memory_ids: tuple[str, ...]
    entry_keys: tuple[str, ...] = ()


Change = Insert | Confirm | Revise | Discard | Revive | Erase


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search inside the store; filters apply before anything is cut off.

    `scopes` None means every scope; `as_of` reads the store as it was then. `trashed` adds memories from the
    trash whose reason recall may undo. `limit` is how many candidates each kind of evidence may give.
    `projection` is the space of the dense evidence (None: the raw cosine); a store may pick candidates by a
    cheaper measure but scores them in that space. Operators and quotes in `text` mean nothing: it is cut into
    tokens by `memorycore.policy.tokens`, as the stored texts are. `prominent` keeps only what stands out from
    the rest of the neighbourhood (`memorycore.policy.prominence`), which is what a text is compared with.
    """

    text: str
    vector: Vector | None
    author: str
    scopes: tuple[str, ...] | None
    limit: int
    as_of: datetime | None = None
    trashed: bool = False
    projection: Projection | None = None
    prominent: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """Raw evidence for one memory.

    `dense` is the similarity to the query in the store's calibrated space, `keyword` the BM25 score (greater is
    better); None where that kind of evidence has nothing to say. `memory.content` may be an old revision (as_of).
    `vector` is the raw vector of that content, where there is one: ranking looks at it from several sides.
    """

    memory: Memory
    dense: float | None
    keyword: float | None
    trashed: TrashReason | None = None
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class TokenStatistics:
    """How common tokens are: `frequencies` counts the live memories (of all authors) that hold each token."""

    rows: int
    frequencies: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """Counts of the store; `bytes` 0 where unknown."""

    live: int
    trashed: int
    pending_vectors: int
    bytes: int


class ColdRepository(Protocol):
    """The rows. Every method maps the driver's faults to the `ColdTierError` branch."""

    def apply(
        self, changes: Sequence[Change], *, provenance: Provenance, at: datetime
    ) -> Sequence[str]:
        """Make all changes in one transaction, each with an event; return the memory id each ended at.

        The id differs from the one given only where an `Insert` revived a row of the trash (the row keeps its
        id, takes the new importance when that is higher, and counts as confirmed). An `Erase` gives its first id.

        Raises:
            ColdConflictError: A row changed since it was read, or the text of an `Insert` is live already.
            UnknownMemoryError: A change names no such memory.
        """
        ...

    def find(self, content_hash: str, *, author: str, scope: str) -> Memory | None:
        """Return the live memory with that text, by one index look-up."""
        ...

    def find_trashed(self, content_hash: str, *, author: str, scope: str) -> TrashedMemory | None:
        """Return the trashed memory with that text."""
        ...

    def get(self, memory_ids: Collection[str]) -> Mapping[str, Memory]:
        """Return the live memories among `memory_ids`."""
        ...

    def vectors(self, memory_ids: Collection[str]) -> Mapping[str, Vector]:
        """Return the raw vectors of live memories, where there are any."""
        ...

    def search(self, request: SearchRequest) -> Sequence[Candidate]:
        """Return candidates with dense and keyword evidence, unranked."""
        ...

    def token_statistics(self, tokens: Collection[str]) -> TokenStatistics:
        """Return how common the tokens are; counts may be a little old or capped, never far off."""
        ...

    def sample_vectors(self, limit: int) -> tuple[VectorMatrix, Sequence[str]]:
        """Return up to `limit` raw vectors of live memories spread over the store, and the text of each."""
        ...

    def scan(
        self, *, after: str | None = None, limit: int = 500, changed_since: int | None = None
    ) -> Sequence[Memory]:
        """Return live memories of all authors in id order after `after`, or those changed since a change number."""
        ...

    def change_number(self) -> int:
        """Return a number that grows with every change of a row, for watermarks."""
        ...

    def trash(
        self, *, author: str | None = None, expired_at: datetime | None = None
    ) -> Sequence[TrashedMemory]:
        """Return the trash, newest first; `expired_at` keeps only what is expired then."""
        ...

    def trashed(self, memory_id: str) -> TrashedMemory | None:
        """Return one trashed memory."""
        ...

    def note_recalled(self, memory_ids: Collection[str], *, at: datetime) -> None:
        """Count a recall; no revision, no event."""
        ...

    def events(self, *, memory_id: str | None = None, limit: int = 200) -> Sequence[Event]:
        """Return events, oldest first, of one memory or of the store."""
        ...

    def record(self, events: Sequence[Event]) -> None:
        """Append events that concern no row (hot entries, refusals, purges)."""
        ...

    def revisions(self, memory_id: str) -> Sequence[TextRevision]:
        """Return the texts a memory had, oldest first."""
        ...

    def missing_vectors(self, limit: int = 256) -> Sequence[Memory]:
        """Return live memories whose vector is pending."""
        ...

    def set_vectors(self, vectors: Mapping[str, tuple[int, Vector]]) -> int:
        """Fill vectors by memory id where the revision given is still current; return how many were set."""
        ...

    def unstaged(self, model: str, *, limit: int = 256) -> Sequence[Memory]:
        """Return memories, live or trashed, for which no vector of `model` is staged yet."""
        ...

    def stage_vectors(self, model: str, vectors: Mapping[str, tuple[int, Vector]]) -> int:
        """Keep vectors of another model beside the current ones, by memory id with the revision embedded."""
        ...

    def adopt_staged(self, model: str, *, dimension: int) -> int:
        """Make the staged vectors of `model` the current ones in one transaction; return how many.

        Sets `STATE_MODEL` and `STATE_DIMENSION`. A memory whose staged revision is not current becomes pending;
        vectors of old revisions and staged vectors of other models are dropped.
        """
        ...

    def state(self, name: str) -> str | None:
        """Return a named string of the store (embedding model, watermarks, calibration)."""
        ...

    def set_state(self, name: str, value: str | None) -> None:
        """Set or drop a named string of the store."""
        ...

    def counts(self, *, author: str | None = None) -> StoreCounts:
        """Return counts; cheap."""
        ...

    def optimise(self) -> None:
        """Let the database tidy up; short."""
        ...

    def integrity(self) -> str | None:
        """Return what is damaged, or None."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
