"""Carrying out a plan: cold first, read back, then the hot file; the only writer of an overflow."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from memorycore.errors import ColdTierError, InvalidInputError
from memorycore.model.hot import EntryMeta, HotEntry, Origin
from memorycore.model.memory import Provenance, TrashReason
from memorycore.model.plan import (
    Action,
    Compress,
    Demote,
    Discard,
    DropRedundant,
    Merge,
    Split,
    Stub,
)
from memorycore.model.routing import EntryType, Target
from memorycore.policy.overflow.coverage import covers
from memorycore.policy.text import canonical
from memorycore.ports.cold_store import ColdStore, Draft, Outcome, RecallQuery, Remembered

_log = logging.getLogger(__name__)

TOOL = "overflow"
ACTOR = "memorycore"

Bin = Callable[[Draft, TrashReason], str]
"""Puts a text straight into the trash and returns its id."""


class NotMovedError(ColdTierError):
    """An entry must stay where it is; the message says why. `tier_down` says that trying others is useless."""

    def __init__(self, reason: str, *, tier_down: bool = False) -> None:
        super().__init__(reason)
        self.tier_down = tier_down


@dataclass(frozen=True, slots=True)
class Sunk:
    """What the cold tier holds of one entry now. `fresh` are the ids that did not exist before."""

    key: str
    memory_ids: tuple[str, ...]
    fresh: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


class Sinker:
    """Writes what leaves the hot tier into the cold tier and makes sure that it is there."""

    def __init__(self, cold: ColdStore, *, discard: Bin | None = None) -> None:
        self._cold = cold
        self._discard = discard

    def sink(self, action: Action, entries: Mapping[str, HotEntry], target: Target) -> Sunk:
        """Put the texts that `action` takes out of the file into the cold tier.

        Raises:
            NotMovedError: They are not safely there; the entry stays.
        """
        try:
            return self._sink(action, entries, target)
        except NotMovedError:
            raise
        except ColdTierError as error:
            raise NotMovedError(f"the cold tier failed: {error}", tier_down=True) from error
        except InvalidInputError as error:
            raise NotMovedError(f"the cold tier refuses it: {error}") from error

    def withdraw(self, memory_ids: Sequence[str], *, reason: TrashReason, note: str) -> None:
        """Take back copies that were made for nothing; a failure leaves a fact twice."""
        provenance = Provenance(ACTOR, TOOL, note)
        for memory_id in memory_ids:
            try:
                self._cold.forget(memory_id, reason=reason, provenance=provenance)
            except ColdTierError as error:
                _log.warning("overflow_copy_left memory_id=%s reason=%s", memory_id, error)

    def undo(self, entry: HotEntry) -> None:
        """Make sure that no live cold copy of an entry that stays is left by a move that did not finish."""
        query = RecallQuery(entry.text, top_k=5, count=False, revive=False)
        copies = [
            hit.id
            for hit in self._cold.recall(query).hits
            if canonical(hit.content) == canonical(entry.text)
        ]
        note = "an unfinished move was taken back; the hot entry stays"
        self.withdraw(copies, reason=TrashReason.MERGED, note=note)

    def _sink(self, action: Action, entries: Mapping[str, HotEntry], target: Target) -> Sunk:
        match action:
            case Demote(key=key) | Stub(key=key) | Compress(key=key):
                entry = entries[key]
                kept = self._keep(_draft(entry, target, entry.text, action.reason))
                return Sunk(key, (kept.memory_id,), _fresh(kept), (entry.text,))
            case Discard(key=key):
                entry = entries[key]
                memory_id = self._bin(_draft(entry, target, entry.text, action.reason), _STALE)
                return Sunk(key, (memory_id,), (), ())
            case DropRedundant(key=key, memory_id=memory_id):
                return self._confirm_redundant(entries[key], memory_id, target, action.reason)
            case Split(key=key, sunk=texts):
                drafts = [_draft(entries[key], target, text, action.reason) for text in texts]
                return self._keep_all(key, drafts)
            case Merge(keys=keys, text=text):
                for key in keys:
                    if entries[key].text.strip() != text.strip():
                        self._bin(
                            _draft(entries[key], target, entries[key].text, action.reason), _MERGED
                        )
                return Sunk(keys[0], ())
            case _:
                return Sunk(getattr(action, "key", ""), ())

    def _keep_all(self, key: str, drafts: Sequence[Draft]) -> Sunk:
        """Keep all drafts or, as far as it can be helped, none."""
        kept: list[Remembered] = []
        try:
            kept.extend(self._keep(draft) for draft in drafts)
        except ColdTierError:
            fresh = [memory_id for one in kept for memory_id in _fresh(one)]
            self.withdraw(fresh, reason=_MERGED, note="the rest of its entry could not be moved")
            raise
        ids = tuple(one.memory_id for one in kept)
        fresh_ids = tuple(memory_id for one in kept for memory_id in _fresh(one))
        return Sunk(key, ids, fresh_ids, tuple(draft.content for draft in drafts))

    def _keep(self, draft: Draft) -> Remembered:
        kept = self._cold.remember(draft)
        if kept.outcome is Outcome.QUEUED:
            raise NotMovedError(
                "the cold tier is not reachable; the text waits in the outbox", tier_down=True
            )
        try:
            self._verify(kept, draft)
        except NotMovedError as error:
            self.withdraw(_fresh(kept), reason=_MERGED, note=str(error))
            raise
        return kept

    def _verify(self, kept: Remembered, draft: Draft) -> None:
        if kept.outcome is Outcome.OUTDATED:
            if kept.related_id is None or self._cold.read(kept.related_id) is None:
                raise NotMovedError("the newer value it was replaced by cannot be read back")
            return
        stored = self._cold.read(kept.memory_id)
        if stored is None or canonical(stored) != canonical(kept.content):
            raise NotMovedError("the cold copy reads back differently")
        if not covers(stored, draft.content):
            raise NotMovedError("the cold copy does not hold every number and name of it")

    def _bin(self, draft: Draft, reason: TrashReason) -> str:
        if self._discard is not None:
            return self._discard(draft, reason)
        kept = self._keep(draft)
        if kept.outcome is Outcome.STORED:
            self._cold.forget(kept.memory_id, reason=reason, provenance=draft.provenance)
        return kept.memory_id

    def _confirm_redundant(
        self, entry: HotEntry, memory_id: str, target: Target, reason: str
    ) -> Sunk:
        stored = self._cold.read(memory_id)
        if stored is not None and canonical(stored) == canonical(entry.text):
            return Sunk(entry.key, (memory_id,), (), (entry.text,))
        kept = self._keep(_draft(entry, target, entry.text, reason))
        return Sunk(entry.key, (kept.memory_id,), _fresh(kept), (entry.text,))


_STALE = TrashReason.STALE
_MERGED = TrashReason.MERGED


def placed(
    action: Action, sunk: Sunk, entries: Mapping[str, HotEntry], stub: EntryMeta
) -> tuple[str, EntryMeta | None] | None:
    """Return text and record of what `action` leaves in the entry's place, None when nothing stays."""
    match action:
        case Stub(text=text):
            return text, replace(stub, memory_id=sunk.memory_ids[0])
        case Compress(key=key, text=text):
            old = entries[key].meta
            meta = (
                replace(old, updated_at=stub.updated_at, memory_id=sunk.memory_ids[0])
                if old
                else None
            )
            return text, meta
        case Split(key=key, kept=text):
            return text, entries[key].meta
        case Merge(keys=keys, text=text):
            return text, _merged_meta([entries[key].meta for key in keys])
        case _:
            return None


def keys_of(action: Action) -> tuple[str, ...]:
    """Return the entries an action is about."""
    return action.keys if isinstance(action, Merge) else (action.key,)


def _fresh(kept: Remembered) -> tuple[str, ...]:
    return (kept.memory_id,) if kept.outcome is Outcome.STORED else ()


def _draft(entry: HotEntry, target: Target, text: str, reason: str) -> Draft:
    meta = entry.meta
    return Draft(
        content=text,
        provenance=Provenance(ACTOR, TOOL, reason),
        importance=meta.importance if meta else 0.5,
        type=meta.type if meta and meta.type is not EntryType.STUB else EntryType.STATE,
        protected=bool(meta and meta.protected),
        source=f"{target.name}.md",
        created_at=meta.written_at if meta else None,
    )


def _merged_meta(metas: Sequence[EntryMeta | None]) -> EntryMeta | None:
    known = [meta for meta in metas if meta is not None]
    if not known:
        return None
    rule = any(meta.type is EntryType.RULE for meta in known)
    return EntryMeta(
        type=EntryType.RULE if rule else EntryType.STATE,
        written_at=min(meta.written_at for meta in known),
        updated_at=max(meta.updated_at for meta in known),
        origin=known[0].origin if known[0].origin is not Origin.PROMOTED else Origin.STORE,
        importance=max(meta.importance for meta in known),
        protected=any(meta.protected for meta in known),
    )
