"""The hot tier: entries of a Markdown file and what the sidecar knows of them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memorycore.model.record import Record
from memorycore.model.routing import EntryType, Target


class Origin(StrEnum):
    """Who put an entry into the file."""

    STORE = "store"
    HOST = "host"
    ADOPTED = "adopted"
    PROMOTED = "promoted"


@dataclass(frozen=True, slots=True)
class EntryMeta(Record):
    """Sidecar record of one hot entry; `memory_id` is set for stubs and for entries with a cold copy."""

    type: EntryType
    written_at: datetime
    updated_at: datetime
    origin: Origin
    importance: float = 0.5
    protected: bool = False
    memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class HotEntry(Record):
    """One entry of a hot file. `key` is the SHA-256 (hex) of the stripped text; `meta` is None before reconcile."""

    key: str
    text: str
    meta: EntryMeta | None


@dataclass(frozen=True, slots=True)
class HotSnapshot(Record):
    """A hot file as read at one moment.

    `revision` names the bytes read (compare-and-swap), `characters` counts code points of the joined text,
    `limit` is the budget in the same unit. `free_form` marks Markdown without the host's separator: it is
    read as entries but never rewritten into them.
    """

    target: Target
    entries: tuple[HotEntry, ...]
    revision: str
    characters: int
    limit: int
    free_form: bool = False

    @property
    def pressure(self) -> float:
        """Share of the budget in use; 1.0 is full."""
        return self.characters / self.limit if self.limit else 1.0


@dataclass(frozen=True, slots=True)
class NewEntry(Record):
    """An entry as it shall stand in the file; `meta` None lets the next reconcile type it."""

    text: str
    meta: EntryMeta | None
