"""The cold tier as the service sees it: five verbs that any backend can keep."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from memorycore.model.memory import GLOBAL_SCOPE, LOCAL_AUTHOR, Memory, Provenance, TrashReason
from memorycore.model.record import Record
from memorycore.model.results import ColdUsage, RecallResult
from memorycore.model.routing import EntryType


@dataclass(frozen=True, slots=True)
class Draft(Record):
    """A text to be remembered. `created_at` None means now; `importance` is 0 to 1."""

    content: str
    provenance: Provenance
    author: str = LOCAL_AUTHOR
    scope: str = GLOBAL_SCOPE
    importance: float = 0.5
    type: EntryType = EntryType.STATE
    protected: bool = False
    source: str | None = None
    created_at: datetime | None = None

    def as_memory(self, memory_id: str, *, at: datetime) -> Memory:
        """Return the live row of this text, told at its own moment, or at `at` where it has none."""
        told = self.created_at or at
        return Memory(
            id=memory_id,
            content=self.content,
            author=self.author,
            scope=self.scope,
            importance=self.importance,
            type=self.type,
            protected=self.protected,
            source=self.source,
            created_at=told,
            updated_at=told,
            confirmed_at=told,
        )


class Outcome(StrEnum):
    """What remembering did."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    OUTDATED = "outdated"
    QUEUED = "queued"


@dataclass(frozen=True, slots=True)
class Remembered(Record):
    """Where a draft is now; `content` is the text under `memory_id` and says all that the draft said.

    `related_id` is the memory that was replaced (superseded) or that is newer (outdated: the draft went to the
    trash). A queued draft has the outbox item's id.
    """

    outcome: Outcome
    memory_id: str
    content: str
    reason: str
    related_id: str | None = None


@dataclass(frozen=True, slots=True)
class RecallQuery(Record):
    """A search. `scope` None sees global only, a name sees that scope and global.

    `count` False leaves usage statistics alone (maintenance, prefetch); `budget` is seconds to answer in, or None.
    """

    text: str
    top_k: int = 5
    author: str = LOCAL_AUTHOR
    scope: str | None = None
    as_of: datetime | None = None
    about: str | None = None
    explain: bool = False
    count: bool = True
    revive: bool = True
    budget: float | None = None


class ColdStore(Protocol):
    """Five verbs. A write returns only when it is durable, here or (queued) in the outbox."""

    def remember(self, draft: Draft) -> Remembered:
        """Keep a text under governance: insert, recognise, merge or supersede."""
        ...

    def recall(self, query: RecallQuery) -> RecallResult:
        """Find what is relevant; nothing when nothing is."""
        ...

    def update(self, memory_id: str, content: str, *, provenance: Provenance) -> Remembered:
        """Replace the text of a memory; the old one stays in history. Raises `UnknownMemoryError`."""
        ...

    def forget(self, memory_id: str, *, reason: TrashReason, provenance: Provenance) -> bool:
        """Move a memory to the trash; False when there was none."""
        ...

    def read(self, memory_id: str) -> str | None:
        """Return the live text under an id, or None; for reading back what was written."""
        ...

    def stats(self) -> ColdUsage:
        """Return counts and health."""
        ...
