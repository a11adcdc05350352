"""Applying a plan crash-safely: intent, cold writes read back, compare-and-swap on the hot file, done."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memorycore.errors import HotTierError, InvalidInputError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, NewEntry, Origin
from memorycore.model.memory import Event, EventKind, Provenance, TrashReason
from memorycore.model.plan import (
    Action,
    CollectStub,
    Discard,
    Keep,
    Merge,
    Plan,
    Retype,
    Split,
    Stub,
)
from memorycore.model.routing import EntryType, Target
from memorycore.policy.text import entry_key
from memorycore.ports.ambient import Clock
from memorycore.service.hot_tier import HotTier, Recorder
from memorycore.service.moving import (
    ACTOR,
    TOOL,
    NotMovedError,
    Sinker,
    Sunk,
    keys_of,
    placed,
)
from memorycore.service.overflow_turn import Turns

_log = logging.getLogger(__name__)

BUSY = "another process is relieving this file"
"""Why nothing was done when it was not this process's turn."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done: the actions carried out, why others were not, and the file afterwards.

    `texts` are those that sank into the cold store.
    """

    actions: tuple[Action, ...]
    failed: tuple[str, ...]
    snapshot: HotSnapshot
    texts: tuple[str, ...] = ()


@dataclass(slots=True)
class _Run:
    """What one application has done so far."""

    target: Target
    moves: Sequence[Action]
    entries: Mapping[str, HotEntry]
    sunk: dict[int, Sunk] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    reached: int = 0

    def payload(self) -> dict[str, Any]:
        return {
            "target": self.target.value,
            "moves": [
                {"does": type(move).__name__, "keys": [*keys_of(move)]} for move in self.moves
            ],
            "reached": self.reached,
            "fresh": {
                keys_of(self.moves[index])[0]: [*done.fresh]
                for index, done in self.sunk.items()
                if done.fresh
            },
        }


class Applier:
    """The only writer of an overflow."""

    def __init__(
        self,
        tier: HotTier,
        sinker: Sinker,
        turns: Turns,
        *,
        clock: Clock,
        record: Recorder | None = None,
    ) -> None:
        self._tier = tier
        self._sinker = sinker
        self._turns = turns
        self._clock = clock
        self._record = record

    def apply(self, plan: Plan) -> Applied:
        """Carry out a plan; entries that left the file since it was made are passed over.

        Raises:
            HotTierError: The file could not be written. It stands as before; the intent stays open and the next
                recovery finishes it.
        """
        self._retype(plan)
        wanted = [action for action in plan.actions if not isinstance(action, Keep | Retype)]
        if not wanted:
            return Applied((), (), self._tier.reconcile(plan.target))
        payload = _Run(plan.target, wanted, {}).payload()
        intent_id = self._turns.enter(plan.target, payload)
        if intent_id is None:
            return Applied((), (BUSY,), self._tier.reconcile(plan.target))
        entries = {entry.key: entry for entry in self._tier.reconcile(plan.target).entries}
        moves = [move for move in wanted if all(key in entries for key in keys_of(move))]
        run = _Run(plan.target, moves, entries)
        self._sink_all(run, intent_id)
        return self._finish(run, intent_id)

    def _sink_all(self, run: _Run, intent_id: str) -> None:
        for index, move in enumerate(run.moves):
            run.reached = index + 1
            self._turns.advance(intent_id, "sinking", run.payload())
            try:
                run.sunk[index] = self._sinker.sink(move, run.entries, run.target)
            except NotMovedError as error:
                run.failed.append(str(error))
                _log.warning("overflow_not_moved target=%s reason=%s", run.target.value, error)
                if error.tier_down:
                    break
        self._turns.advance(intent_id, "sunk", run.payload())

    def _finish(self, run: _Run, intent_id: str) -> Applied:
        if not self._turns.owns(intent_id):
            run.failed.append("the run took so long that another process finished it")
            return Applied((), tuple(run.failed), self._tier.reconcile(run.target))
        present: set[str] = set()

        def build(snapshot: HotSnapshot) -> Sequence[NewEntry] | None:
            present.clear()
            present.update(entry.key for entry in snapshot.entries)
            return self._rebuilt(run, snapshot) if run.sunk else None

        try:
            snapshot = self._tier.rebuild(run.target, build)
        except HotTierError:
            self._turns.abandon(intent_id, run.payload())
            raise
        except InvalidInputError as error:
            return self._taken_back(run, intent_id, str(error))
        self._withdraw_vanished(run, present)
        self._turns.leave(intent_id)
        done = [index for index in run.sunk if keys_of(run.moves[index])[0] in present]
        self._tell(run, done)
        return Applied(
            actions=tuple(run.moves[index] for index in done),
            failed=tuple(run.failed),
            snapshot=snapshot,
            texts=tuple(text for index in done for text in run.sunk[index].texts),
        )

    def _taken_back(self, run: _Run, intent_id: str, reason: str) -> Applied:
        """Undo a run whose result cannot stand in a hot file."""
        for sunk in run.sunk.values():
            self._sinker.withdraw(sunk.fresh, reason=TrashReason.MERGED, note=reason)
        self._turns.leave(intent_id)
        return Applied((), (*run.failed, reason), self._tier.reconcile(run.target))

    def _rebuilt(self, run: _Run, snapshot: HotSnapshot) -> list[NewEntry]:
        now = self._clock.now()
        stub = EntryMeta(EntryType.STUB, now, now, Origin.STORE)
        places: dict[str, NewEntry | None] = {}
        standing = {entry.key for entry in snapshot.entries}
        for index, sunk in run.sunk.items():
            move = run.moves[index]
            keys = keys_of(move)
            if not standing.issuperset(keys):
                continue
            places.update(dict.fromkeys(keys))
            stays = placed(move, sunk, run.entries, stub)
            places[keys[0]] = NewEntry(*stays) if stays else None
        rebuilt = []
        for entry in snapshot.entries:
            new = places.get(entry.key, NewEntry(entry.text, entry.meta))
            if new is not None:
                rebuilt.append(new)
        return list({entry_key(new.text): new for new in reversed(rebuilt)}.values())[::-1]

    def _withdraw_vanished(self, run: _Run, present: set[str]) -> None:
        """Take back the cold copies of entries that somebody removed or edited while they were being moved."""
        for index, sunk in run.sunk.items():
            if not present.issuperset(keys_of(run.moves[index])):
                note = "its entry was removed or edited while it was being moved"
                self._sinker.withdraw(sunk.fresh, reason=TrashReason.RELEASED, note=note)
                run.failed.append(note)

    def _retype(self, plan: Plan) -> None:
        retypes = {action.key: action for action in plan.actions if isinstance(action, Retype)}
        if not retypes:
            return
        metas = {
            entry.key: replace(entry.meta, type=retypes[entry.key].type)
            for entry in self._tier.reconcile(plan.target).entries
            if entry.meta and entry.key in retypes
        }
        self._tier.annotate(plan.target, metas)
        if self._record is not None:
            self._record(
                [self._event(EventKind.RETYPED, key, retypes[key].reason) for key in metas]
            )

    def _tell(self, run: _Run, done: Sequence[int]) -> None:
        if self._record is None:
            return
        self._record(
            [
                self._event(_event_kind(run.moves[index]), key, run.moves[index].reason, memory_id)
                for index in done
                for key in keys_of(run.moves[index])
                for memory_id in (run.sunk[index].memory_ids or (None,))
            ]
        )

    def _event(self, kind: EventKind, key: str, reason: str, memory_id: str | None = None) -> Event:
        provenance = Provenance(ACTOR, TOOL, reason)
        return Event(self._clock.now(), kind, provenance, memory_id, entry_key=key)


def _event_kind(action: Action) -> EventKind:
    match action:
        case Stub():
            return EventKind.STUBBED
        case Split():
            return EventKind.SPLIT
        case Merge():
            return EventKind.MERGED
        case Discard():
            return EventKind.TRASHED
        case CollectStub():
            return EventKind.REMOVED
        case _:
            return EventKind.DEMOTED
