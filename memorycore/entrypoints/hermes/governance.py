"""What is done about the hot files of one home, off the turn or just before the host writes."""

import logging
import threading
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.entrypoints.hermes.governor import Governor
from memorycore.entrypoints.hermes.host_writes import HostWrite, matches
from memorycore.entrypoints.hermes.watching import Change, HotWatch
from memorycore.errors import HotConflictError, UnknownMemoryError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, NewEntry, Origin
from memorycore.model.memory import TrashReason
from memorycore.model.relation import Relation
from memorycore.model.results import StoreStatus
from memorycore.model.routing import EntryType, Route, Target
from memorycore.policy.text import content_hash, sentences
from memorycore.ports.ambient import Clock

_log = logging.getLogger(__name__)

_ATTEMPTS = 8
_TWINS = 20
"""Memories looked at for the one a text names or repeats."""

_PATIENCE = 2.0
"""Seconds the host's tool call waits for the store to find an entry that went cold."""

_SOURCE = "hermes"

_DROPPED = {TrashReason.STALE, TrashReason.DECAYED, TrashReason.EVICTED}
"""Why memories lie in the trash without anybody having wanted it."""

_LEFT_THE_FILE = {
    StoreStatus.COLD_STORED,
    StoreStatus.COLD_DUPLICATE,
    StoreStatus.COLD_UPDATED,
    StoreStatus.COLD_SUPERSEDED,
    StoreStatus.COLD_STORED_FALLBACK,
    StoreStatus.STALE,
}
"""Outcomes after which a text is kept elsewhere for certain, so that its hot entry may go."""


class _Notes:
    """What hooks told and the next settling takes into account; many threads add, one takes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_host: set[str] = set()
        self._arrived: dict[str, Target] = {}

    def by_host(self, key: str) -> None:
        with self._lock:
            self._by_host.add(key)

    def arrived(self, key: str, target: Target) -> None:
        with self._lock:
            self._arrived[key] = target

    def take(self) -> tuple[set[str], dict[str, Target]]:
        with self._lock:
            taken = self._by_host, self._arrived
            self._by_host, self._arrived = set(), {}
            return taken


class Governance:
    """Keeps the hot files of one home in order through its core. Safe for threads.

    `withdrawn` holds hashes of texts just removed from a file, which must not come back through recall until
    their cold copies are gone.
    """

    def __init__(
        self, core: Governor, *, store: MarkdownHotStore, watch: HotWatch, clock: Clock
    ) -> None:
        self._core = core
        self._store = store
        self._watch = watch
        self._clock = clock
        self._turn = threading.RLock()
        self._notes = _Notes()
        self._unsettled: deque[Change] = deque()
        self.withdrawn: set[str] = set()

    def observe(self) -> None:
        """Look at both files; cheap, and what was removed is withdrawn from recall at once."""
        for change in map(self._watch.look, Target):
            if change:
                self._unsettled.append(change)
            for entry in change.appeared:
                self.withdrawn.discard(content_hash(entry.text))
                self._notes.arrived(entry.key, change.target)
            gone = [*change.removed, *(old for old, _ in change.rewritten)]
            self.withdrawn.update(content_hash(entry.text) for entry in gone)

    def written_by_host(self, key: str) -> None:
        """Note that the entry `key` came through the host's tool."""
        self._notes.by_host(key)

    def settle(self) -> None:
        """Type what is new, move finished records to the cold store, relieve a full file.

        What somebody removed from a file, or rewrote there, leaves the cold store too, unless it is back by now:
        an editor may empty a file for a moment while it saves.
        """
        with self._turn:
            self._honour()
            usage = self._core.usage()
            by_host, arrived = self._notes.take()
            self._give_provenance(by_host)
            self._move_states(arrived)
            for tier in usage.hot:
                self._core.overflow(tier.target.value)
            self.observe()
            self._honour()

    def prepare(self, write: HostWrite) -> str | None:
        """Make a write of the host's tool succeed; return why it need not be tried, or None.

        Entries that went cold and are named in the call are put back first, then room is made. When even so a
        lone addition does not fit, the fact goes to the cold store and the host is told that it is kept.
        """
        with self._turn:
            for old_text in write.sought:
                self._put_back_if_cold(write.target, old_text)
            before = self._store.read(write.target)
            missing = self._missing(write, before)
            if missing > 0:
                self._core.make_room(write.target, missing, protected=self._must_fit(write))
                self._rewrite(write.target, add=_named(write, before))
            now = self._store.read(write.target)
            fact = write.lone_addition
            if fact is None or not self._missing(write, now):
                self.observe()
                return None
            return self._keep_elsewhere(fact, write.target)

    def _honour(self) -> None:
        while self._unsettled:
            change = self._unsettled[0]
            back = {entry.key for entry in self._store.read(change.target).entries}
            for entry in (*change.removed, *(old for old, _ in change.rewritten)):
                if entry.key not in back:
                    self._forget_copies(entry)
                self.withdrawn.discard(content_hash(entry.text))
            if change.evicted:
                kept = [{"content": entry.text, "source": _SOURCE} for entry in change.evicted]
                self._core.import_memories(kept)
            self._unsettled.popleft()

    def _missing(self, write: HostWrite, snapshot: HotSnapshot) -> int:
        """Return by how many characters the write makes the file grow, 0 when it fits as the file is."""
        after = write.outcome([entry.text for entry in snapshot.entries])
        return max(0, after - snapshot.characters) if after > snapshot.limit else 0

    def _must_fit(self, write: HostWrite) -> bool:
        """Tell whether other behaviour may leave for this write: there is nowhere else for it."""
        fact = write.lone_addition
        if fact is None:
            return True
        return self._core.classify(fact, target=write.target).route is Route.HOT

    def _keep_elsewhere(self, fact: str, target: Target) -> str | None:
        kept = self._core.store_fact(fact, target=target, source=_SOURCE)
        if kept.status not in {*_LEFT_THE_FILE, StoreStatus.COLD_QUEUED}:
            return None
        return (
            f"Saved. {target.value.upper()}.md has no room that may be freed, so this fact was kept in "
            f"long-term memory ({kept.status.value}) and comes back when it is relevant. Do not retry."
        )

    def _put_back_if_cold(self, target: Target, old_text: str) -> None:
        snapshot = self._store.read(target)
        if matches(old_text, [entry.text for entry in snapshot.entries]):
            return
        found = self._core.prefetch(old_text, top_k=_TWINS, budget=_PATIENCE).hits
        named = {hit.content: (hit.id, hit.created_at) for hit in found if old_text in hit.content}
        if not named:
            named = self._revived(old_text)
        if len(named) == 1:
            ((text, (memory_id, written_at)),) = named.items()
            now = self._clock.now()
            meta = EntryMeta(EntryType.RULE, written_at, now, Origin.PROMOTED, memory_id=memory_id)
            self._rewrite(target, add=[NewEntry(_part_with(old_text, text), meta)])

    def _revived(self, old_text: str) -> dict[str, tuple[str, datetime]]:
        """Bring back what `old_text` alone names in the trash, unless somebody chose that it goes."""
        dropped = [
            item.memory
            for item in self._core.trash()
            if item.reason in _DROPPED and old_text in item.memory.content
        ]
        if len(dropped) != 1:
            return {}
        revived = self._core.revive(dropped[0].id).memory
        return {revived.content: (revived.id, revived.created_at)} if revived else {}

    def _give_provenance(self, noted: Collection[str]) -> None:
        for target in Target if noted else ():
            metas = {
                entry.key: replace(entry.meta, origin=Origin.HOST)
                for entry in self._store.read(target).entries
                if entry.key in noted and entry.meta and entry.meta.origin is Origin.ADOPTED
            }
            if metas:
                self._store.annotate(target, metas)

    def _move_states(self, arrived: Mapping[str, Target]) -> None:
        for target in Target:
            keys = {key for key, where in arrived.items() if where is target}
            entries = self._store.read(target).entries if keys else ()
            moved = [entry for entry in entries if entry.key in keys and self._moves(entry, target)]
            if moved:
                self._rewrite(target, drop={entry.key for entry in moved})

    def _moves(self, entry: HotEntry, target: Target) -> bool:
        """Store a finished record in the cold tier; True when it is safe there."""
        meta = entry.meta
        if meta is None or meta.type is not EntryType.STATE or meta.protected:
            return False
        kept = self._core.store_fact(entry.text, target=target, source=_SOURCE)
        return kept.status in _LEFT_THE_FILE

    def _forget_copies(self, entry: HotEntry) -> None:
        """Trash the cold memories that say the same; of one that says more, only what was removed goes."""
        known = entry.meta.memory_id if entry.meta else None
        found = {hit.id: hit.content for hit in self._core.prefetch(entry.text, top_k=_TWINS).hits}
        if known and known not in found:
            found[known] = entry.text
        for memory_id, text in found.items():
            rest = _without(entry.text, text) if memory_id == known else ""
            if rest:
                self._core.supersede(memory_id, rest)
            elif memory_id == known or self._same(text, entry.text):
                self._forget(memory_id)

    def _forget(self, memory_id: str) -> None:
        try:
            self._core.forget(memory_id)
        except UnknownMemoryError:
            _log.debug("copy already gone id=%s", memory_id)

    def _same(self, text: str, other: str) -> bool:
        if content_hash(text) == content_hash(other):
            return True
        return self._core.compare(text, other).relation is Relation.SAME

    def _rewrite(
        self, target: Target, *, add: Collection[NewEntry] = (), drop: Collection[str] = ()
    ) -> None:
        """Add and drop entries; nothing is written when the file stands as wanted."""
        for attempt in range(_ATTEMPTS):
            snapshot = self._store.read(target)
            kept = [
                NewEntry(entry.text, entry.meta)
                for entry in snapshot.entries
                if entry.key not in drop
            ]
            present = {entry.text for entry in kept}
            wanted = [*kept, *(entry for entry in add if entry.text not in present)]
            if len(wanted) == len(kept) == len(snapshot.entries):
                return
            try:
                self._store.commit(target, wanted, expected=snapshot.revision)
            except HotConflictError:
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                return


def _named(write: HostWrite, snapshot: HotSnapshot) -> list[NewEntry]:
    """Return the entries the call names, which must stand in the file when the host looks."""
    texts = [entry.text for entry in snapshot.entries]
    named = {text for old_text in write.sought for text in matches(old_text, texts)}
    return [NewEntry(entry.text, entry.meta) for entry in snapshot.entries if entry.text in named]


def _part_with(old_text: str, text: str) -> str:
    """Return the one sentence of `text` that holds `old_text`, else all of it: memories may be merged ones."""
    holding = [piece for piece in sentences(text) if old_text in piece]
    return holding[0] if len(holding) == 1 else text


def _without(part: str, text: str) -> str:
    """Return what is left of `text` when the sentence `part` is taken out; empty when nothing is."""
    pieces = sentences(text)
    return " ".join(piece for piece in pieces if piece != part) if part in pieces else ""
