"""A memory of the cold tier and everything that may happen to it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memorycore.model.record import Record
from memorycore.model.routing import EntryType

GLOBAL_SCOPE = "global"
"""The scope every recall sees."""

SESSION_PREFIX = "session:"
"""Scopes that start so are trashed some days after their last write."""

LOCAL_AUTHOR = ""
"""The author of a store that one person uses; the default everywhere."""


@dataclass(frozen=True, slots=True)
class Memory(Record):
    """One live memory of the cold tier.

    `importance` is 0 to 1. `revision` starts at 1 and grows with every change of the text.
    `created_at` is when the fact was first told, `updated_at` when its text last changed,
    `confirmed_at` when it was last said again. Moments are aware and in UTC.
    """

    id: str
    content: str
    author: str
    scope: str
    importance: float
    type: EntryType
    protected: bool
    source: str | None
    created_at: datetime
    updated_at: datetime
    confirmed_at: datetime
    last_recalled: datetime | None = None
    recall_count: int = 0
    revision: int = 1
    supersedes: str | None = None


class TrashReason(StrEnum):
    """Why a memory left the live store."""

    STALE = "stale"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    REVERSAL = "reversal"
    DECAYED = "decayed"
    EVICTED = "evicted"
    RELEASED = "released"
    USER = "user"


REVIVED_BY_RECALL = frozenset({TrashReason.STALE, TrashReason.DECAYED, TrashReason.EVICTED})
"""Reasons that recall may undo; everything else comes back only by an explicit revive."""


@dataclass(frozen=True, slots=True)
class TrashedMemory(Record):
    """A memory in the trash, whole; after `expires_at` maintenance may purge it."""

    memory: Memory
    reason: TrashReason
    note: str
    trashed_at: datetime
    expires_at: datetime
    successor_id: str | None = None


@dataclass(frozen=True, slots=True)
class TextRevision(Record):
    """The text a memory had from `valid_from` until `valid_to` (None: still valid)."""

    memory_id: str
    revision: int
    content: str
    valid_from: datetime
    valid_to: datetime | None


class EventKind(StrEnum):
    """What happened to a memory or a hot entry."""

    STORED = "stored"
    CONFIRMED = "confirmed"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    TRASHED = "trashed"
    REVIVED = "revived"
    PURGED = "purged"
    DEMOTED = "demoted"
    PROMOTED = "promoted"
    STUBBED = "stubbed"
    ADOPTED = "adopted"
    REMOVED = "removed"
    RETYPED = "retyped"
    SPLIT = "split"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Provenance(Record):
    """Who did something, with which tool, and why in words."""

    actor: str
    tool: str
    reason: str


@dataclass(frozen=True, slots=True)
class Event(Record):
    """One line of history; `memory_id` or `entry_key` names what it happened to. Never holds a memory's text."""

    at: datetime
    kind: EventKind
    provenance: Provenance
    memory_id: str | None = None
    entry_key: str | None = None
    related_id: str | None = None
