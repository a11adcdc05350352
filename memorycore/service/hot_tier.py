"""The hot files with types, ages and provenance: every read is reconciled, every write is compare-and-swap."""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memorycore.errors import HotConflictError, HotTierError, InvalidInputError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, NewEntry, Origin
from memorycore.model.memory import Event, EventKind, Provenance
from memorycore.model.results import TierUsage
from memorycore.model.routing import Classification, EntryType, Target
from memorycore.policy.edits import edited_from
from memorycore.policy.overflow.facts import PROTECTED_IMPORTANCE, SEPARATOR_LENGTH
from memorycore.policy.overflow.stubs import is_stub
from memorycore.policy.text import entry_key
from memorycore.ports.ambient import Clock
from memorycore.ports.hot import HotStore
from memorycore.service.lost_entries import Lost, Seen, lost_from

_log = logging.getLogger(__name__)

Classify = Callable[[str, Target], Classification]
"""Types and routes one text meant for one file."""

Recorder = Callable[[Sequence[Event]], None]
"""Appends events to the history."""

Keeper = Callable[[Sequence[Lost]], None]
"""Keeps what others took out of a file."""

Build = Callable[[HotSnapshot], Sequence[NewEntry] | None]
"""Says how the file shall look from how it looks; None leaves it."""

ATTEMPTS = 12
"""How often a write that met another writer starts again, from a fresh read."""

REMEMBERED = 2048
"""Texts whose classification is kept."""


class HotTier:
    """Reads and writes the two hot files.

    Args:
        hot: The files.
        classify: Decides type, route and protection of a text; may embed, so it is never called under a lock.
        clock: Tells when an entry was adopted or changed.
        record: Takes the events of entries that came or went.
        keep: Takes the entries that somebody else removed or rewrote, so that they can be had back.
    """

    def __init__(
        self,
        hot: HotStore,
        *,
        classify: Classify,
        clock: Clock,
        record: Recorder | None = None,
        keep: Keeper | None = None,
    ) -> None:
        self._hot = hot
        self._classify = classify
        self._clock = clock
        self._record = record
        self._keep = keep
        self._seen: dict[Target, Mapping[str, Seen]] = {}
        self._classified: dict[tuple[Target, str], Classification] = {}

    def classification(self, text: str, target: Target) -> Classification:
        """Return the classification of `text`, kept for texts met before."""
        key = (target, entry_key(text))
        known = self._classified.get(key)
        if known is None:
            if len(self._classified) >= REMEMBERED:
                self._classified.clear()
            known = self._classified[key] = self._classify(text, target)
        return known

    def reconcile(self, target: Target) -> HotSnapshot:
        """Read a file so that every entry has its metadata.

        An entry never seen is typed and counts as written now, unless it is plainly an edit of one that is gone:
        then it keeps that one's age. Records of entries that are gone are collected. A sidecar that cannot be
        written, or was lost while this process runs, makes nothing new again.
        """
        snapshot = self._hot.read(target)
        seen = self._seen.get(target, {})
        untyped = [entry for entry in snapshot.entries if entry.meta is None]
        known = {entry.key: seen[entry.key].meta for entry in untyped if entry.key in seen}
        gone = self._gone(target, snapshot)
        origins = {key: seen.text for key, seen in gone.items()}
        fresh = self._typed([e for e in untyped if e.key not in known], gone, origins, target)
        metas = {**known, **fresh}
        if metas or gone:
            self._keep_lost(snapshot, gone, origins)
            self._annotate(target, metas)
            self._tell(fresh, gone)
        return self._remember(_with_metas(snapshot, metas))

    def usage(self, target: Target) -> TierUsage:
        """Return how full a file is."""
        return usage_of(self.reconcile(target))

    def add(
        self, target: Target, text: str, *, meta: EntryMeta, cap: int | None = None
    ) -> HotSnapshot:
        """Append an entry; a text that already stands in the file changes nothing.

        Args:
            target: The file.
            text: The entry.
            meta: Its sidecar record.
            cap: Characters the file may hold afterwards. An entry that does not fit is not written, which
                the caller sees by its key missing from the snapshot.
        """
        wanted = NewEntry(text.strip(), meta)

        def build(snapshot: HotSnapshot) -> Sequence[NewEntry] | None:
            present = {entry.key for entry in snapshot.entries}
            room = cap is None or grown(snapshot, wanted.text) <= cap
            return [*kept(snapshot), wanted] if room and entry_key(text) not in present else None

        return self.rebuild(target, build)

    def replace(self, target: Target, key: str, text: str, *, meta: EntryMeta) -> HotSnapshot:
        """Put `text` in the place of the entry `key`.

        Raises:
            InvalidInputError: The file holds no such entry.
        """

        def build(snapshot: HotSnapshot) -> Sequence[NewEntry] | None:
            if all(entry.key != key for entry in snapshot.entries):
                raise InvalidInputError("the entry to replace is no longer in the file")
            fresh = NewEntry(text.strip(), meta)
            return _unique(
                fresh if entry.key == key else NewEntry(entry.text, entry.meta)
                for entry in snapshot.entries
            )

        return self.rebuild(target, build)

    def remove(self, target: Target, keys: Collection[str]) -> HotSnapshot:
        """Take entries out of the file; keys that are not there are passed over."""

        def build(snapshot: HotSnapshot) -> Sequence[NewEntry] | None:
            left = kept(snapshot, without=keys)
            return left if len(left) < len(snapshot.entries) else None

        return self.rebuild(target, build)

    def rebuild(self, target: Target, build: Build) -> HotSnapshot:
        """Write what `build` makes of the file as it is now; called again after each lost race.

        Raises:
            HotConflictError: Other writers won every attempt.
        """
        for _ in range(ATTEMPTS - 1):
            try:
                return self._rebuild_once(target, build)
            except HotConflictError:
                _log.info("hot_conflict target=%s", target.value)
        return self._rebuild_once(target, build)

    def annotate(self, target: Target, metas: Mapping[str, EntryMeta]) -> None:
        """Change sidecar records; the file is not touched."""
        self._hot.annotate(target, metas)

    def _rebuild_once(self, target: Target, build: Build) -> HotSnapshot:
        snapshot = self._hot.read(target)
        if self._keep is not None and self._gone(target, snapshot):
            snapshot = self.reconcile(target)
        entries = build(snapshot)
        if entries is None:
            return self._remember(snapshot)
        return self._remember(self._hot.commit(target, entries, expected=snapshot.revision))

    def _gone(self, target: Target, snapshot: HotSnapshot) -> dict[str, Seen]:
        present = {entry.key for entry in snapshot.entries}
        before = self._seen.get(target, {})
        return {key: seen for key, seen in before.items() if key not in present}

    def _typed(
        self, new: Sequence[HotEntry], gone: Mapping[str, Seen], origins: dict[str, str], at: Target
    ) -> dict[str, EntryMeta]:
        """Type new entries of a file; what one of them is an edit of leaves `origins`."""
        now = self._clock.now()
        metas: dict[str, EntryMeta] = {}
        for entry in new:
            meta = self.new_meta(entry.text, at, origin=Origin.ADOPTED, at=now)
            source = edited_from(entry.text, origins)
            if source is not None:
                del origins[source]
                meta = _inherited(meta, gone[source].meta)
            metas[entry.key] = meta
        return metas

    def _keep_lost(
        self, snapshot: HotSnapshot, gone: Mapping[str, Seen], removed: Collection[str]
    ) -> None:
        if self._keep is not None:
            taken = self._hot.taken(snapshot.target) if gone else ()
            self._keep(lost_from(snapshot, gone, removed=removed, taken=taken))

    def new_meta(
        self, text: str, target: Target, *, origin: Origin, at: datetime, importance: float = 0.5
    ) -> EntryMeta:
        """Return the sidecar record of an entry that was never seen."""
        if is_stub(text):
            return EntryMeta(EntryType.STUB, at, at, origin, importance)
        found = self.classification(text, target)
        protected = found.protected or importance >= PROTECTED_IMPORTANCE
        return EntryMeta(found.type, at, at, origin, importance, protected)

    def _annotate(self, target: Target, metas: Mapping[str, EntryMeta]) -> None:
        try:
            self._hot.annotate(target, metas)
        except HotTierError as error:
            _log.warning("sidecar_not_written target=%s reason=%s", target.value, error)

    def _tell(self, metas: Mapping[str, EntryMeta], gone: Mapping[str, Seen]) -> None:
        if self._record is None:
            return
        now = self._clock.now()
        found = Provenance("file", "reconcile", "the entry was found in the file")
        lost = Provenance("file", "reconcile", "the entry is no longer in the file")
        events = [Event(now, EventKind.ADOPTED, found, entry_key=key) for key in metas]
        events += [Event(now, EventKind.REMOVED, lost, entry_key=key) for key in gone]
        self._record(events)

    def _remember(self, snapshot: HotSnapshot) -> HotSnapshot:
        now = self._clock.now()
        self._seen[snapshot.target] = {
            entry.key: Seen(entry.text, entry.meta, now) for entry in snapshot.entries if entry.meta
        }
        return snapshot


def kept(snapshot: HotSnapshot, *, without: Collection[str] = ()) -> list[NewEntry]:
    """Return the entries of a snapshot as they stand, less those whose key is in `without`."""
    return [
        NewEntry(entry.text, entry.meta) for entry in snapshot.entries if entry.key not in without
    ]


def grown(snapshot: HotSnapshot, text: str) -> int:
    """Return how many characters the file would have with `text` appended."""
    glue = SEPARATOR_LENGTH if snapshot.entries else 0
    return snapshot.characters + glue + len(text.strip())


def usage_of(snapshot: HotSnapshot) -> TierUsage:
    """Return the usage a snapshot shows."""
    protected = sum(
        len(entry.text) for entry in snapshot.entries if entry.meta and entry.meta.protected
    )
    return TierUsage(
        target=snapshot.target,
        entries=len(snapshot.entries),
        characters=snapshot.characters,
        limit=snapshot.limit,
        pressure=snapshot.pressure,
        protected_characters=protected,
    )


def _unique(entries: Iterable[NewEntry]) -> list[NewEntry]:
    found: dict[str, NewEntry] = {}
    for entry in entries:
        found.setdefault(entry_key(entry.text), entry)
    return list(found.values())


def _with_metas(snapshot: HotSnapshot, metas: Mapping[str, EntryMeta]) -> HotSnapshot:
    if not metas:
        return snapshot
    entries = tuple(
        replace(entry, meta=entry.meta or metas.get(entry.key)) for entry in snapshot.entries
    )
    return replace(snapshot, entries=entries)


def _inherited(meta: EntryMeta, old: EntryMeta) -> EntryMeta:
    return replace(
        meta,
        written_at=old.written_at,
        importance=max(meta.importance, old.importance),
        protected=meta.protected or old.importance >= PROTECTED_IMPORTANCE,
    )
