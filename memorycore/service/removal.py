"""Soft removal: a text leaves its tier for the trash, whole, and what is not meant of it stays."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memorycore.model.limits import Retention
from memorycore.model.memory import (
    Event,
    EventKind,
    Memory,
    Provenance,
    TrashedMemory,
    TrashReason,
)
from memorycore.model.routing import Target
from memorycore.policy.text import content_hash, entry_key
from memorycore.ports import (
    Change,
    Clock,
    ColdRepository,
    ColdStore,
    Confirm,
    Discard,
    Draft,
    IdFactory,
    Insert,
    Revive,
    Vector,
)
from memorycore.service.holdings import Holdings, Place
from memorycore.service.hot_tier import HotTier
from memorycore.service.store_model import StoreModel
from memorycore.service.targets import Meant
from memorycore.service.vectors import Vectors


@dataclass(frozen=True, slots=True)
class Order:
    """Why texts leave, on whose word, and what took their place (None: nothing)."""

    reason: TrashReason
    provenance: Provenance
    at: datetime
    successor_id: str | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """Moves texts to the trash, cold side first, so that a fault leaves a text twice and never nowhere."""

    repository: ColdRepository
    hot: HotTier
    holdings: Holdings
    vectors: Vectors
    model: StoreModel
    retention: Retention
    clock: Clock
    ids: IdFactory
    remote: ColdStore | None = None

    def to_trash(
        self, meant: Sequence[Meant], order: Order, *, before: Sequence[Change] = ()
    ) -> tuple[Memory, ...]:
        """Move the texts to the trash in one transaction, then take them out of the hot files.

        Args:
            meant: The texts, and what of each stays.
            order: Why and on whose word.
            before: Changes made first in the same transaction (the text that takes their place).

        Returns:
            The memories as they now lie in the trash.
        """
        changes: list[Change] = list(before)
        moved: list[Memory] = []
        for item in meant:
            if item.held.place is Place.REMOTE:
                moved.append(self.from_remote(item, order))
                continue
            memory, steps = self._steps(item, order)
            changes += steps
            moved.append(memory)
        if changes:
            self.repository.apply(changes, provenance=order.provenance, at=order.at)
        self.out_of_hot(meant)
        self._tell(meant, moved, order)
        self.drop_pointers({memory.id for memory in moved})
        return tuple(moved)

    def _tell(self, meant: Sequence[Meant], moved: Sequence[Memory], order: Order) -> None:
        """Record which hot entries left, by their keys, and where each is now."""
        kind = EventKind.SUPERSEDED if order.reason is TrashReason.SUPERSEDED else EventKind.REMOVED
        events = [
            Event(
                order.at,
                kind,
                order.provenance,
                entry_key=item.held.memory.id,
                related_id=memory.id,
            )
            for item, memory in zip(meant, moved, strict=True)
            if item.held.place is Place.HOT
        ]
        if events:
            self.repository.record(events)

    def from_remote(self, item: Meant, order: Order) -> Memory:
        """Have the remote cold tier forget a text, after it has kept what is not meant of it."""
        memory, by = item.held.memory, order.provenance
        if self.remote is not None:
            if item.rest is not None:
                self.remote.remember(Draft(item.rest, by, author=memory.author))
            self.remote.forget(memory.id, reason=order.reason, provenance=by)
        return memory

    def out_of_hot(self, meant: Sequence[Meant]) -> None:
        """Take entries out of the hot files; what is not meant of an entry stays in its place."""
        for target in Target:
            rests = {
                item.held.memory.id: item.rest
                for item in meant
                if item.held.place is Place.HOT and item.held.target is target
            }
            if rests:
                self._rewrite(target, rests)

    def drop_pointers(self, memory_ids: set[str]) -> None:
        """Take the pointers to memories that are gone out of the hot files."""
        for target, entries in self.holdings.pointers().items():
            gone = [e.key for e in entries if e.meta and e.meta.memory_id in memory_ids]
            if gone:
                self.hot.remove(target, gone)

    def rest_of(self, item: Meant, at: datetime, *, leaving: Collection[str] = ()) -> list[Change]:
        """Return the changes that keep what is not meant of a cold text; `leaving` are ids that are gone by then."""
        if item.rest is None or item.held.place is Place.HOT:
            return []
        old = item.held.memory
        rest = replace(
            old,
            id=self.ids.new_id(),
            content=item.rest,
            revision=1,
            supersedes=old.id,
            confirmed_at=at,
        )
        return self.keep(rest, leaving=leaving)

    def keep(self, memory: Memory, *, leaving: Collection[str] = ()) -> list[Change]:
        """Return the changes that make a text live, whether it is new, live already or in the trash."""
        digest = content_hash(memory.content)
        twin = self.repository.find(digest, author=memory.author, scope=memory.scope)
        if twin is not None and twin.id not in leaving:
            return [Confirm(twin.id, memory.importance)]
        return [Insert(memory, self.vector(memory.content))]

    def vector(self, text: str) -> Vector | None:
        """Return the vector to store with `text`, or None when it has to wait."""
        return self.model.accept(self.vectors.passage(text))

    def _steps(self, item: Meant, order: Order) -> tuple[Memory, list[Change]]:
        held = item.held
        if held.place is Place.HOT:
            return self._from_hot(held.memory, order)
        discard = Discard(
            held.memory.id,
            order.reason,
            order.at + self.retention.trash,
            order.provenance.reason,
            order.successor_id,
        )
        rest = self.rest_of(item, order.at)
        if held.place is Place.TRASH:
            return held.memory, [Revive(held.memory.id), discard, *rest]
        return held.memory, [replace(discard, expected_revision=held.memory.revision), *rest]

    def _from_hot(self, entry: Memory, order: Order) -> tuple[Memory, list[Change]]:
        """Return the changes that put a hot entry into the trash, which may know its text already."""
        digest = content_hash(entry.content)
        twin = self.repository.find(digest, author=entry.author, scope=entry.scope)
        binned = self._binned(digest, entry)
        expires = order.at + self.retention.trash
        note, successor = order.provenance.reason, order.successor_id
        if twin is not None:
            return twin, [Discard(twin.id, order.reason, expires, note, successor)]
        if binned is not None:
            again = Discard(binned.memory.id, order.reason, expires, note, successor)
            return binned.memory, [Revive(binned.memory.id), again]
        memory = replace(entry, id=self.ids.new_id())
        discard = Discard(memory.id, order.reason, expires, note, successor)
        return memory, [Insert(memory, self.vector(memory.content)), discard]

    def _binned(self, digest: str, entry: Memory) -> TrashedMemory | None:
        return self.repository.find_trashed(digest, author=entry.author, scope=entry.scope)

    def _rewrite(self, target: Target, rests: dict[str, str | None]) -> None:
        snapshot = self.hot.reconcile(target)
        metas = {entry.key: entry.meta for entry in snapshot.entries}
        whole = [key for key, rest in rests.items() if rest is None]
        for key, rest in rests.items():
            meta = metas.get(key)
            if rest is not None and meta is not None and entry_key(rest) not in metas:
                self.hot.replace(target, key, rest, meta=meta)
            elif rest is not None:
                whole.append(key)
        if whole:
            self.hot.remove(target, whole)
