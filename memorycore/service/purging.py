"""Hard removal: no byte of a text stays in anything MemoryCore wrote."""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from memorycore.model.memory import Event, EventKind, Memory, Provenance, TrashReason
from memorycore.model.routing import Target
from memorycore.policy.erasure import holds_text, without_text
from memorycore.policy.text import entry_key, fold
from memorycore.ports import ActivityLog, Change, Erase, Journal, Outbox
from memorycore.service.holdings import Held, Place
from memorycore.service.removal import Order, Removal
from memorycore.service.targets import Meant

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
"""Before anything was logged, whatever the clock said."""

ROWS = (Place.LIVE, Place.TRASH)
"""Places that are rows of the local database."""

log = logging.getLogger(__name__)


class Residue(Protocol):
    """Files beside the stores that may hold copies of texts: backups, exports in the data folder, logs."""

    def scrub(self, texts: Sequence[str]) -> Sequence[str]:
        """Take every copy of the texts out of these files; return in words what could not be mended."""
        ...


@dataclass(frozen=True, slots=True)
class Purging:
    """Erases texts from both tiers, the trash, history, outbox, journal and our own backups."""

    removal: Removal
    journal: Journal
    outbox: Outbox
    activity: ActivityLog
    residue: Residue

    def purge(
        self,
        meant: Sequence[Meant],
        *,
        author: str,
        provenance: Provenance,
        names: Callable[[str], bool],
    ) -> tuple[str, ...]:
        """Erase the texts; return in words what could not be reached.

        `names` tells whether a logged query names what is purged: such a line goes too.

        The hot files come first, so that nothing copies an entry back while the rows go. Running it again after a
        fault finishes what was left.
        """
        every = [*meant, *self._copies(meant, author)]
        texts = self._texts(meant)
        longer = [item.held.memory.id for item in every if item.held.place is Place.HOT]
        keys = tuple(dict.fromkeys([*map(entry_key, texts), *longer]))
        self.removal.out_of_hot(every)
        self._forget_queued(texts)
        self._forget_activity(texts, names)
        self._erase_rows(every, keys, provenance)
        self.removal.drop_pointers({item.held.memory.id for item in every})
        for target in Target:
            self.removal.hot.annotate(target, {})
        left = (*self._from_remote(every, provenance), *self.residue.scrub(texts))
        log.info("purged texts=%s left=%s", len(every), len(left))
        return left

    def _forget_activity(self, texts: Sequence[str], names: Callable[[str], bool]) -> None:
        """Drop the logged lines that hold one of the texts, are a part of one, or name what is purged."""
        lines = [line.text for line in self.activity.since(LONG_AGO)]
        folded = [fold(text) for text in texts]
        told = [
            line
            for line in lines
            if names(line) or any(fold(line) in text or text in fold(line) for text in folded)
        ]
        if told:
            self.activity.erase(told)

    def _from_remote(self, meant: Sequence[Meant], provenance: Provenance) -> Sequence[str]:
        """Have a remote cold tier forget its texts; what it keeps of them is in its own hands."""
        far = [item for item in meant if item.held.place is Place.REMOTE]
        order = Order(TrashReason.USER, provenance, self.removal.clock.now())
        for item in far:
            self.removal.from_remote(item, order)
        told = "forgotten by the remote cold tier, whose trash and copies are its own to erase"
        return [f"{len(far)} {told}"] if far else []

    def _texts(self, meant: Sequence[Meant]) -> tuple[str, ...]:
        """Return every wording that must go: the texts and what they were before."""
        found = [item.held.memory.content for item in meant]
        for item in meant:
            if item.held.place in ROWS:
                old = self.removal.repository.revisions(item.held.memory.id)
                found += [revision.content for revision in old]
        return tuple(text for text in dict.fromkeys(found) if text.strip())

    def _copies(self, meant: Sequence[Meant], author: str) -> list[Meant]:
        """Return what else holds one of the texts: merged wordings, older revisions, longer entries."""
        taken = {item.held.memory.id for item in meant}
        texts = [item.held.memory.content for item in meant]
        copies: list[Meant] = []
        for held in self.removal.holdings.of(author, reasons=tuple(TrashReason)):
            if held.memory.id in taken:
                continue
            if held.trashed is not None and self._is_wording(held, taken):
                copies.append(Meant(held))
            elif any(holds_text(held.memory.content, text) for text in texts):
                copies.append(Meant(held, without_text(held.memory.content, texts)))
            elif held.place is not Place.HOT and self._held_before(held.memory, texts):
                copies.append(Meant(held, held.memory.content))
        return copies

    def _is_wording(self, held: Held, taken: set[str]) -> bool:
        trashed = held.trashed
        return (
            trashed is not None
            and trashed.reason is TrashReason.MERGED
            and trashed.successor_id in taken
        )

    def _held_before(self, memory: Memory, texts: Sequence[str]) -> bool:
        if memory.revision == 1:
            return False
        old = self.removal.repository.revisions(memory.id)
        return any(holds_text(revision.content, text) for revision in old for text in texts)

    def _erase_rows(
        self, meant: Sequence[Meant], keys: tuple[str, ...], provenance: Provenance
    ) -> None:
        now = self.removal.clock.now()
        rows = [i.held.memory.id for i in meant if i.held.place in ROWS]
        changes: list[Change] = [Erase(tuple(rows), keys)]
        for item in meant:
            if item.held.place is Place.LIVE:
                changes += self.removal.rest_of(item, now, leaving=rows)
        self.removal.repository.apply(changes, provenance=provenance, at=now)
        event = Event(now, EventKind.PURGED, provenance)
        self.removal.repository.record([event])

    def _forget_queued(self, texts: Sequence[str]) -> None:
        for item in self.outbox.pending(limit=10_000):
            if _in_payload(item.payload, texts):
                self.outbox.delivered(item.id)
        for intent in self.journal.open_intents():
            if _in_payload(intent.payload, texts):
                self.journal.done(intent.id)


def _in_payload(payload: object, texts: Sequence[str]) -> bool:
    told = json.dumps(payload, ensure_ascii=False, default=str)
    return any(json.dumps(text, ensure_ascii=False)[1:-1] in told for text in texts)
