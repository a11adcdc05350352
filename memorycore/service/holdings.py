"""Everything a request to forget may mean: live memories, hot entries, what lies in the trash."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memorycore.model.hot import HotEntry
from memorycore.model.memory import (
    GLOBAL_SCOPE,
    LOCAL_AUTHOR,
    REVIVED_BY_RECALL,
    Memory,
    TrashedMemory,
    TrashReason,
)
from memorycore.model.routing import EntryType, Target
from memorycore.policy.wording import Spoken
from memorycore.ports import Clock, ColdRepository, ColdStore, RecallQuery
from memorycore.service.hot_tier import HotTier

BATCH = 1000
"""Rows read at a time."""

REMOTE_HITS = 50
"""Memories a remote cold tier is asked for."""

LINEAGE = 4
"""How many replaced values back a memory is still recognised by."""

VALUES_REPLACED = frozenset({TrashReason.SUPERSEDED, TrashReason.REVERSAL})
"""Reasons whose successor holds the newer value of the same thing."""


class Place(StrEnum):
    """Where a text is kept."""

    LIVE = "live"
    HOT = "hot"
    TRASH = "trash"
    REMOTE = "remote"


@dataclass(frozen=True, slots=True)
class Held:
    """One kept text. A hot entry appears as a memory whose id is its key; `target` names its file."""

    place: Place
    memory: Memory
    target: Target | None = None
    trashed: TrashedMemory | None = None
    earlier: tuple[str, ...] = ()

    @property
    def spoken(self) -> Spoken:
        """Return the text as policy sees it."""
        return Spoken(self.memory.id, self.memory.content, self.earlier)


class Holdings:
    """Reads both tiers and the trash; `remote` is the cold tier when it is another service."""

    def __init__(
        self,
        repository: ColdRepository,
        hot: HotTier,
        *,
        clock: Clock,
        remote: ColdStore | None = None,
    ) -> None:
        self._repository = repository
        self._remote = remote
        self._hot = hot
        self._clock = clock

    def of(
        self, author: str, *, reasons: Collection[TrashReason] = REVIVED_BY_RECALL
    ) -> list[Held]:
        """Return what `author` has; of the trash only what left for one of `reasons`."""
        trash = self._repository.trash(author=author)
        replaced = _replaced_values(trash)
        live = [
            Held(Place.LIVE, memory, earlier=_earlier(memory.id, replaced))
            for memory in self.live(author)
        ]
        binned = [
            Held(Place.TRASH, item.memory, trashed=item) for item in trash if item.reason in reasons
        ]
        return [*live, *self.hot(author), *binned]

    def live(self, author: str) -> list[Memory]:
        """Return the live memories of `author`."""
        found: list[Memory] = []
        after: str | None = None
        while batch := self._repository.scan(after=after, limit=BATCH):
            found.extend(memory for memory in batch if memory.author == author)
            after = batch[-1].id
        return found

    def hot(self, author: str) -> list[Held]:
        """Return the hot entries, pointers left out; the hot files belong to the one local author."""
        if author != LOCAL_AUTHOR:
            return []
        return [
            Held(Place.HOT, self.as_memory(entry), target)
            for target in Target
            for entry in self._hot.reconcile(target).entries
            if not is_pointer(entry)
        ]

    def remote(self, query: str, author: str) -> list[Held]:
        """Return what a remote cold tier finds for a query: it cannot be read through.

        Raises:
            ColdTierError: It does not answer; a request that cannot be carried out must not look done.
        """
        if self._remote is None:
            return []
        asked = RecallQuery(query, top_k=REMOTE_HITS, author=author, count=False, revive=False)
        hits = self._remote.recall(asked).hits
        return [self._far(hit.id, hit.content, author, hit.importance) for hit in hits]

    def remote_by_id(self, memory_id: str, author: str = LOCAL_AUTHOR) -> Held | None:
        """Return the remote memory with that id."""
        if self._remote is None or not memory_id or " " in memory_id:
            return None
        content = self._remote.read(memory_id)
        return None if content is None else self._far(memory_id, content, author, 0.5)

    def pointers(self) -> Mapping[Target, list[HotEntry]]:
        """Return the hot entries that only point to a cold memory."""
        return {
            target: [entry for entry in self._hot.reconcile(target).entries if is_pointer(entry)]
            for target in Target
        }

    def as_memory(self, entry: HotEntry) -> Memory:
        """Return a hot entry in the shape of a memory."""
        meta, now = entry.meta, self._clock.now()
        return Memory(
            id=entry.key,
            content=entry.text,
            author=LOCAL_AUTHOR,
            scope=GLOBAL_SCOPE,
            importance=meta.importance if meta else 0.5,
            type=meta.type if meta else EntryType.RULE,
            protected=meta.protected if meta else False,
            source=None,
            created_at=meta.written_at if meta else now,
            updated_at=meta.updated_at if meta else now,
            confirmed_at=meta.updated_at if meta else now,
        )

    def _far(self, memory_id: str, content: str, author: str, importance: float) -> Held:
        now = self._clock.now()
        memory = Memory(
            id=memory_id,
            content=content,
            author=author,
            scope=GLOBAL_SCOPE,
            importance=importance,
            type=EntryType.STATE,
            protected=False,
            source=None,
            created_at=now,
            updated_at=now,
            confirmed_at=now,
        )
        return Held(Place.REMOTE, memory)


def is_pointer(entry: HotEntry) -> bool:
    """Tell whether a hot entry only points to a cold memory."""
    return entry.meta is not None and entry.meta.type is EntryType.STUB


def _replaced_values(trash: Collection[TrashedMemory]) -> Mapping[str, list[Memory]]:
    """Return by successor the memories whose value it replaced."""
    found: dict[str, list[Memory]] = defaultdict(list)
    for item in trash:
        if item.successor_id is not None and item.reason in VALUES_REPLACED:
            found[item.successor_id].append(item.memory)
    return found


def _earlier(memory_id: str, replaced: Mapping[str, list[Memory]]) -> tuple[str, ...]:
    texts: list[str] = []
    wave = [memory_id]
    for _ in range(LINEAGE):
        older = [memory for current in wave for memory in replaced.get(current, [])]
        texts += [memory.content for memory in older]
        wave = [memory.id for memory in older]
    return tuple(texts)
