"""Promotion: a pointer becomes its full text again when its topic is recalled and there is room."""

from collections.abc import Sequence

from memorycore.errors import HotTierError, InvalidInputError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, NewEntry, Origin
from memorycore.model.memory import Event, EventKind, Provenance, TrashReason
from memorycore.model.routing import EntryType, Target
from memorycore.policy.text import canonical, entry_key
from memorycore.policy.validation import splits_hot_file
from memorycore.ports.ambient import Clock
from memorycore.ports.cold_store import ColdStore
from memorycore.ports.local import Intent
from memorycore.service.hot_tier import HotTier, Recorder, grown
from memorycore.service.moving import ACTOR
from memorycore.service.overflow_turn import PROMOTION_KIND, Turns
from memorycore.service.recovery import Handler

_REASON = "its topic was recalled and there is room"


class Promotion:
    """Brings pointers back to full text: the hot file first, then the cold copy goes to the trash."""

    def __init__(
        self,
        tier: HotTier,
        cold: ColdStore,
        turns: Turns,
        *,
        clock: Clock,
        record: Recorder | None = None,
    ) -> None:
        self._tier = tier
        self._cold = cold
        self._turns = turns
        self._clock = clock
        self._record = record

    @property
    def handlers(self) -> dict[str, Handler]:
        """The handlers to give to `Recovery`."""
        return {PROMOTION_KIND: self.settle}

    def stub_of(self, memory_id: str) -> tuple[Target, HotEntry] | None:
        """Return the pointer to a memory, None when no file has one."""
        for target in Target:
            for entry in self._tier.reconcile(target).entries:
                if _points_to(entry, memory_id):
                    return target, entry
        return None

    def promote(self, memory_id: str, *, limit: float = 0.6) -> str | None:
        """Put the text of a memory in the place of its pointer; return the new entry's key.

        None when there is no pointer to it, no such memory, or the file would stand above `limit`, a share of
        its budget (by default the soft watermark).
        """
        found = self.stub_of(memory_id)
        text = self._cold.read(memory_id) if found else None
        if found is None or text is None or splits_hot_file(text):
            return None
        target, stub = found
        payload = {"key": stub.key, "memory_id": memory_id}
        intent_id = self._turns.enter(target, payload, kind=PROMOTION_KIND)
        if intent_id is None:
            return None
        try:
            key = self._swap(target, stub, text, limit=limit)
        except (HotTierError, InvalidInputError):
            self._turns.leave(intent_id)
            raise
        if key is not None:
            self._drop_copy(memory_id)
            self._tell(key, memory_id)
        self._turns.leave(intent_id)
        return key

    def settle(self, intent: Intent) -> str:
        """Finish an interrupted promotion: a memory whose text stands in the file needs no cold copy."""
        target = Target(intent.payload["target"])
        memory_id = str(intent.payload["memory_id"])
        text = self._cold.read(memory_id)
        standing = {canonical(entry.text) for entry in self._tier.reconcile(target).entries}
        if text is not None and canonical(text) in standing:
            self._drop_copy(memory_id)
            return f"an interrupted promotion to {target.value} was finished"
        return f"an interrupted promotion to {target.value} was taken back"

    def _swap(self, target: Target, stub: HotEntry, text: str, *, limit: float) -> str | None:
        now = self._clock.now()
        found = self._tier.classification(text, target)
        old = stub.meta
        meta = EntryMeta(
            type=found.type if found.type is not EntryType.STUB else EntryType.RULE,
            written_at=now,
            updated_at=now,
            origin=Origin.PROMOTED,
            importance=old.importance if old else 0.5,
            protected=found.protected,
        )
        key = entry_key(text)

        def build(snapshot: HotSnapshot) -> Sequence[NewEntry] | None:
            size = grown(snapshot, text) - len(stub.text)
            if size > limit * snapshot.limit or all(e.key != stub.key for e in snapshot.entries):
                return None
            return [
                NewEntry(text, meta) if entry.key == stub.key else NewEntry(entry.text, entry.meta)
                for entry in snapshot.entries
            ]

        snapshot = self._tier.rebuild(target, build)
        return key if any(entry.key == key for entry in snapshot.entries) else None

    def _drop_copy(self, memory_id: str) -> None:
        provenance = Provenance(ACTOR, "promotion", _REASON)
        self._cold.forget(memory_id, reason=TrashReason.MERGED, provenance=provenance)

    def _tell(self, key: str, memory_id: str) -> None:
        if self._record is not None:
            provenance = Provenance(ACTOR, "promotion", _REASON)
            event = Event(
                self._clock.now(), EventKind.PROMOTED, provenance, memory_id, entry_key=key
            )
            self._record([event])


def _points_to(entry: HotEntry, memory_id: str) -> bool:
    meta = entry.meta
    return meta is not None and meta.type is EntryType.STUB and meta.memory_id == memory_id
