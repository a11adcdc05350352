"""Texts that somebody took out of a hot file by hand, or with the host's tool: kept whole in the trash."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memorycore.errors import ColdTierError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot
from memorycore.model.limits import Retention
from memorycore.model.memory import (
    GLOBAL_SCOPE,
    LOCAL_AUTHOR,
    REVIVED_BY_RECALL,
    EventKind,
    Memory,
    Provenance,
    TrashReason,
)
from memorycore.model.routing import EntryType, Screening, Verdict
from memorycore.policy.overflow.stubs import is_stub
from memorycore.policy.text import content_hash
from memorycore.ports import Change, ColdRepository, Discard, Insert, Revive
from memorycore.ports.ambient import Clock, IdFactory

log = logging.getLogger(__name__)

EVENTS = 1000
"""Latest events among which a purge is looked for."""

MOST_OWED = 500
"""Texts that wait in memory for a store that cannot be written."""

_NOTES = {
    TrashReason.USER: "taken out of the hot file by hand or by the host",
    TrashReason.SUPERSEDED: "rewritten in the hot file by hand or by the host",
}


@dataclass(frozen=True, slots=True)
class Lost:
    """An entry that is gone, when it was last seen, and whether it was removed or rewritten."""

    entry: HotEntry
    seen_at: datetime
    reason: TrashReason


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry as a file last showed it, and when."""

    text: str
    meta: EntryMeta
    at: datetime


def lost_from(
    snapshot: HotSnapshot,
    gone: Mapping[str, Seen],
    *,
    removed: Collection[str],
    taken: Collection[str],
) -> list[Lost]:
    """Return what others took out of a file: no pointers, nothing that stands inside another entry now.

    Args:
        snapshot: The file as it is.
        gone: What it held before, by key.
        removed: Keys of `gone` that no entry is an edit of.
        taken: Keys of what this program itself took out.
    """
    return [
        Lost(
            HotEntry(key, seen.text, seen.meta),
            seen.at,
            TrashReason.USER if key in removed else TrashReason.SUPERSEDED,
        )
        for key, seen in gone.items()
        if key not in taken
        and not is_stub(seen.text)
        and not any(seen.text in entry.text for entry in snapshot.entries)
    ]


class LostEntries:
    """Puts what is gone from a hot file into the trash, from where only an explicit revive brings it back.

    A text whose like is kept anyway is passed over, and so is a secret. After a purge nothing is kept that was
    last seen before it: a purge leaves no trace of its texts by which they could be told from others.
    """

    def __init__(
        self,
        repository: ColdRepository,
        *,
        screen: Callable[[str], Screening],
        retention: Retention,
        clock: Clock,
        ids: IdFactory,
    ) -> None:
        self._repository = repository
        self._screen = screen
        self._retention = retention
        self._clock = clock
        self._ids = ids
        self._owed: tuple[Lost, ...] = ()

    def keep(self, lost: Sequence[Lost]) -> None:
        """Keep the texts; those a store cannot take now are tried again with the next ones."""
        waiting = (*self._owed, *lost)
        if not waiting:
            return
        try:
            self._keep(waiting)
            self._owed = ()
        except ColdTierError as fault:
            self._owed = waiting[-MOST_OWED:]
            log.warning("lost_entries.waiting count=%s reason=%s", len(self._owed), fault)

    def _keep(self, lost: Sequence[Lost]) -> None:
        purged = max(
            (e.at for e in self._repository.events(limit=EVENTS) if e.kind is EventKind.PURGED),
            default=None,
        )
        by_text: Mapping[str, Lost] = {
            content_hash(item.entry.text): item
            for item in lost
            if (purged is None or item.seen_at > purged)
            and self._screen(item.entry.text).verdict is not Verdict.SECRET
        }
        for digest, item in by_text.items():
            changes = self._changes(digest, item)
            if changes:
                by = Provenance("file", "reconcile", _NOTES[item.reason])
                self._repository.apply(changes, provenance=by, at=self._clock.now())

    def _changes(self, digest: str, lost: Lost) -> list[Change]:
        now = self._clock.now()
        expires = now + self._retention.trash
        if self._repository.find(digest, author=LOCAL_AUTHOR, scope=GLOBAL_SCOPE) is not None:
            return []
        binned = self._repository.find_trashed(digest, author=LOCAL_AUTHOR, scope=GLOBAL_SCOPE)
        if binned is not None and binned.reason not in REVIVED_BY_RECALL:
            return []
        if binned is not None:
            again = Discard(binned.memory.id, lost.reason, expires, _NOTES[lost.reason])
            return [Revive(binned.memory.id), again]
        memory = self._memory(lost.entry, now)
        return [Insert(memory, None), Discard(memory.id, lost.reason, expires, _NOTES[lost.reason])]

    def _memory(self, entry: HotEntry, now: datetime) -> Memory:
        meta = entry.meta
        return Memory(
            id=self._ids.new_id(),
            content=entry.text,
            author=LOCAL_AUTHOR,
            scope=GLOBAL_SCOPE,
            importance=meta.importance if meta else 0.5,
            type=meta.type if meta else EntryType.RULE,
            protected=meta.protected if meta else False,
            source=None,
            created_at=meta.written_at if meta else now,
            updated_at=now,
            confirmed_at=now,
        )
