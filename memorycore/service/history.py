"""What happened to a memory or a hot entry."""

import re
from collections.abc import Callable, Sequence

from memorycore.errors import UnknownMemoryError
from memorycore.model.memory import LOCAL_AUTHOR, Event, TextRevision
from memorycore.ports import ColdRepository

EVENTS = 1000
"""Events read of one memory at a time."""

ENTRY_EVENTS = 20_000
"""Latest events of the store among which those of a hot entry are looked for."""

KEY = re.compile(r"[0-9a-f]{64}")
"""The form of a hot entry's key."""


Far = Callable[[str], Sequence[Event]]
"""Returns what a remote cold tier tells of a memory."""


class History:
    """Reads events and old texts; `far` is asked about what is not known here."""

    def __init__(self, repository: ColdRepository, *, far: Far | None = None) -> None:
        self._repository = repository
        self._far = far

    def of(self, memory_id: str, *, author: str | None = None) -> list[Event]:
        """Return who did what to a memory or a hot entry, when, with which tool and why, oldest first.

        Args:
            memory_id: A memory's id, or the key of a hot entry.
            author: Whose memory it must be; None is every author.

        Raises:
            UnknownMemoryError: Nothing of the author is known under that id.
        """
        if author is not None and self._author(memory_id) != author:
            message = f"no memory has the id {memory_id}"
            raise UnknownMemoryError(message)
        if KEY.fullmatch(memory_id):
            events = [
                e for e in self._repository.events(limit=ENTRY_EVENTS) if e.entry_key == memory_id
            ]
        else:
            events = list(self._repository.events(memory_id=memory_id, limit=EVENTS))
        if not events and self._far is not None and not self._known(memory_id):
            events = list(self._far(memory_id))
        if not events and not self._known(memory_id):
            message = f"no memory has the id {memory_id}"
            raise UnknownMemoryError(message)
        return events

    def texts(self, memory_id: str) -> list[TextRevision]:
        """Return the texts a memory had, oldest first."""
        return list(self._repository.revisions(memory_id))

    def recent(self, limit: int = 200) -> list[Event]:
        """Return the latest events of both tiers, oldest first."""
        return list(self._repository.events(limit=limit))

    def _author(self, memory_id: str) -> str:
        """Return whose memory it is; what is not a row here (a hot entry, a remote memory) is the local user's."""
        live = self._repository.get([memory_id]).get(memory_id)
        trashed = self._repository.trashed(memory_id) if live is None else None
        known = live or (trashed.memory if trashed else None)
        return known.author if known else LOCAL_AUTHOR

    def _known(self, memory_id: str) -> bool:
        if memory_id in self._repository.get([memory_id]):
            return True
        return self._repository.trashed(memory_id) is not None
