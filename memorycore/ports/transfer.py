"""Moving a store elsewhere: whole memories with all that hangs on them, events and named state."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np

from memorycore.model.memory import Event, Memory, TrashReason
from memorycore.model.record import plain
from memorycore.ports.cold import Vector


@dataclass(frozen=True, slots=True)
class InTrash:
    """Why and until when a memory lies in the trash."""

    reason: TrashReason
    note: str
    trashed_at: datetime
    expires_at: datetime
    successor_id: str | None


@dataclass(frozen=True, slots=True)
class PastText:
    """A text a memory had, with its vector if that was kept."""

    revision: int
    content: str
    valid_from: datetime
    valid_to: datetime
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class WholeMemory:
    """A memory, live or trashed, and everything a store keeps of it. `vector` None is pending."""

    memory: Memory
    valid_from: datetime
    vector: Vector | None
    trash: InTrash | None
    past: tuple[PastText, ...]

    def digest(self) -> bytes:
        """Return a hash of everything in it; vectors count in half precision, as the coarsest store keeps them."""
        trash, memory = self.trash, self.memory
        told = [
            memory.to_dict(),
            plain(self.valid_from),
            _rounded(self.vector),
            trash
            and [
                trash.reason.value,
                trash.note,
                plain(trash.trashed_at),
                plain(trash.expires_at),
                trash.successor_id,
            ],
            [
                [
                    past.revision,
                    past.content,
                    plain(past.valid_from),
                    plain(past.valid_to),
                    _rounded(past.vector),
                ]
                for past in self.past
            ],
        ]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).digest()


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event and its place in the order of the store it comes from."""

    number: int
    event: Event


class Transfer(Protocol):
    """A store whose whole content can be read and written as it is. Faults are those of the `ColdTierError` branch."""

    def memories(self, *, after: str | None = None, limit: int = 200) -> Sequence[WholeMemory]:
        """Return memories, live and trashed, of all authors, by id after `after`."""
        ...

    def events(self, *, after: int = 0, limit: int = 1000) -> Sequence[NumberedEvent]:
        """Return events, oldest first, after a number."""
        ...

    def named_state(self) -> Mapping[str, str]:
        """Return every named string of the store."""
        ...

    def load(self, memories: Sequence[WholeMemory], *, gone: Collection[str] = ()) -> None:
        """Write memories as they are, in one transaction, each in place of what stands under its id; no events.

        Those named in `gone` are dropped whole.

        Raises:
            ColdConflictError: The text of a live one is live already under another id.
        """
        ...

    def load_events(self, events: Sequence[Event], *, name: str, value: str) -> None:
        """Append events and set a named string, in one transaction: so a repeated call can be told from the first."""
        ...


def _rounded(vector: Vector | None) -> str | None:
    return None if vector is None else np.asarray(vector, dtype="<f2").tobytes().hex()
