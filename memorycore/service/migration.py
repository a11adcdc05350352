"""Moving a whole store to another database, and proving that it arrived."""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from memorycore.errors import InvalidInputError
from memorycore.model.record import Record
from memorycore.ports.transfer import Transfer, WholeMemory
from memorycore.service.deduplication import CURSOR, WATERMARK
from memorycore.service.parts import Progress

log = logging.getLogger(__name__)

MARK = "migration"
"""Named state of a target: where its content comes from and how far that got."""

LEFT_BEHIND = frozenset({MARK, CURSOR, WATERMARK})
"""Named states that number the changes of one database and mean nothing in another."""

PAGE = 200
"""Memories moved in one transaction."""

EVENTS_PAGE = 1000
"""Events moved in one transaction."""


@dataclass(frozen=True, slots=True)
class Holding(Record):
    """What a store holds; `digest` is one hash over all of it, memories and events."""

    live: int = 0
    trashed: int = 0
    revisions: int = 0
    vectors: int = 0
    events: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class MigrationReport(Record):
    """What was moved. `verified` means: read back from both sides, counts and hashes agree."""

    to: str
    dry_run: bool
    source: Holding
    moved: int = 0
    unchanged: int = 0
    verified: bool = False
    notes: tuple[str, ...] = ()


class Named(Protocol):
    """The part of a store that keeps named strings."""

    def set_state(self, name: str, value: str | None) -> None:
        """Set or drop a named string of the store."""
        ...


def holding_of(store: Transfer) -> Holding:
    """Read the whole store and say what it holds."""
    found = Holding()
    everything = hashlib.sha256()
    for page in pages_of(store):
        for whole in page:
            everything.update(whole.digest())
            found = _counted(found, whole)
    after = events = 0
    while numbered := store.events(after=after, limit=EVENTS_PAGE):
        for item in numbered:
            told = json.dumps(item.event.to_dict(), sort_keys=True)
            everything.update(hashlib.sha256(told.encode()).digest())
        after, events = numbered[-1].number, events + len(numbered)
    return replace(found, events=events, digest=everything.hexdigest())


@dataclass(frozen=True, slots=True)
class Migration:
    """Copies one store into another that can hold all of it; the source is only read."""

    source: Transfer
    target: Transfer
    names: Named
    to: str

    def run(self, *, progress: Progress | None = None) -> MigrationReport:
        """Copy what the target does not hold yet, then read both sides and compare.

        Raises:
            InvalidInputError: The target holds memories that do not come from this store, or lived on since.
            ColdTierError: One of the stores fails; run it again to go on where it stopped.
        """
        tell = progress or silent
        held = holding_of(self.source)
        mark = self._mark()
        if mark.get("done"):
            return self._again(held)
        self._set_mark(mark)
        moved, unchanged = self._move_memories(held.live + held.trashed, tell)
        self._move_events(mark, held.events, tell)
        for name, value in self.source.named_state().items():
            if name not in LEFT_BEHIND:
                self.names.set_state(name, value)
        tell("verify", 0, 1)
        now, there = holding_of(self.source), holding_of(self.target)
        verified = now == there
        if verified:
            self._set_mark({**self._mark(), "done": there.digest})
        notes = () if verified else (_difference(now, there),)
        log.info("migration to=%s moved=%s verified=%s", self.to, moved, verified)
        return MigrationReport(
            self.to,
            dry_run=False,
            source=now,
            moved=moved,
            unchanged=unchanged,
            verified=verified,
            notes=notes,
        )

    def _mark(self) -> dict[str, object]:
        """Return how far an earlier run got, after making sure that the target may be written."""
        origin = _origin(self.source)
        told = self.target.named_state().get(MARK)
        if told is None:
            if self.target.memories(limit=1) or self.target.events(limit=1):
                message = "the target holds memories already: name an empty database"
                raise InvalidInputError(message)
            return {"origin": origin, "events": 0}
        mark: dict[str, object] = json.loads(told)
        if mark.get("origin") != origin:
            message = "the target was filled from another store: name an empty database"
            raise InvalidInputError(message)
        return mark

    def _set_mark(self, mark: Mapping[str, object]) -> None:
        self.names.set_state(MARK, json.dumps(mark))

    def _again(self, held: Holding) -> MigrationReport:
        there = holding_of(self.target)
        if there != held:
            message = (
                "this store was moved there before, and one of the two has changed since: "
                "moving again would undo what is newer"
            )
            raise InvalidInputError(message)
        total = held.live + held.trashed
        return MigrationReport(self.to, dry_run=False, source=held, unchanged=total, verified=True)

    def _move_memories(self, total: int, tell: Progress) -> tuple[int, int]:
        moved = seen = 0
        after: str | None = None
        for page in pages_of(self.source):
            there = self._there(after, page[-1].memory.id)
            fresh = [whole for whole in page if there.get(whole.memory.id) != whole.digest()]
            gone = there.keys() - {whole.memory.id for whole in page}
            if fresh or gone:
                self.target.load(fresh, gone=gone)
            moved, seen = moved + len(fresh), seen + len(page)
            after = page[-1].memory.id
            tell("memories", seen, total)
        self.target.load((), gone=self._there(after, None).keys())
        return moved, seen - moved

    def _there(self, after: str | None, last: str | None) -> dict[str, bytes]:
        """Return id and digest of what an earlier run left in the target after one id and up to another."""
        found: dict[str, bytes] = {}
        while page := self.target.memories(after=after, limit=PAGE):
            found |= {whole.memory.id: whole.digest() for whole in page}
            after = page[-1].memory.id
            if last is not None and after >= last:
                break
        return {key: digest for key, digest in found.items() if last is None or key <= last}

    def _move_events(self, mark: Mapping[str, object], total: int, tell: Progress) -> None:
        after = int(str(mark["events"]))
        done = 0
        while page := self.source.events(after=after, limit=EVENTS_PAGE):
            after = page[-1].number
            value = json.dumps({**mark, "events": after})
            self.target.load_events([item.event for item in page], name=MARK, value=value)
            done += len(page)
            tell("history", done, total)


def pages_of(store: Transfer) -> Iterator[list[WholeMemory]]:
    """Read a store page by page, in id order."""
    after: str | None = None
    while page := store.memories(after=after, limit=PAGE):
        yield list(page)
        after = page[-1].memory.id


def _counted(found: Holding, whole: WholeMemory) -> Holding:
    return replace(
        found,
        live=found.live + (whole.trash is None),
        trashed=found.trashed + (whole.trash is not None),
        revisions=found.revisions + len(whole.past),
        vectors=found.vectors + (whole.vector is not None),
    )


def _origin(store: Transfer) -> str:
    """Return what tells one store from another: its first event."""
    first = store.events(limit=1)
    told = json.dumps([item.event.to_dict() for item in first], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _difference(here: Holding, there: Holding) -> str:
    pairs = zip(here.to_dict().items(), there.to_dict().values(), strict=True)
    told = [f"{name} {a} here, {b} there" for (name, a), b in pairs if a != b and name != "digest"]
    what = "; ".join(told) or "as many of everything, with other content"
    return f"the two differ ({what}): the source was written meanwhile, so run it again"


def silent(_stage: str, _done: int, _total: int) -> None:
    """Tell nobody how far it is."""
    return
