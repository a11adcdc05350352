"""Finishing or undoing what a crash left open, at start and whenever an overflow meets such an intent."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memorycore.errors import MemoryCoreError
from memorycore.model.hot import HotEntry, HotSnapshot, NewEntry
from memorycore.model.memory import TrashReason
from memorycore.model.plan import Action, CollectStub, Demote, Discard, DropRedundant, Signal
from memorycore.model.routing import Target
from memorycore.ports.local import Intent
from memorycore.service.hot_tier import HotTier, kept
from memorycore.service.moving import NotMovedError, Sinker
from memorycore.service.overflow_turn import OVERFLOW_KIND, Turns

_log = logging.getLogger(__name__)

Handler = Callable[[Intent], str]
"""Finishes or undoes one intent and says what it did."""

_LEAVING: Mapping[str, type[Demote | Discard | CollectStub]] = {
    Demote.__name__: Demote,
    DropRedundant.__name__: Demote,
    Discard.__name__: Discard,
    CollectStub.__name__: CollectStub,
}
"""How a move that takes its entry out is finished; every other one is taken back."""

_NOTE = "a move that a crash interrupted was taken back"


class Recovery:
    """Takes over intents whose owner is gone: its process died, or its lease ran out.

    Args:
        turns: The journal of intents.
        handlers: What to do for each kind; an intent of another kind stays open and is told of.
    """

    def __init__(self, turns: Turns, handlers: Mapping[str, Handler]) -> None:
        self._turns = turns
        self._handlers = dict(handlers)

    def recover(self) -> list[str]:
        """Finish or undo every forsaken intent; return in words what was done."""
        return [told for intent in self._turns.forsaken() if (told := self._recover(intent))]

    def _recover(self, intent: Intent) -> str:
        handler = self._handlers.get(intent.kind)
        if handler is None:
            return f"an open step of kind {intent.kind!r} was left by another release"
        if not self._turns.take_over(intent):
            return ""
        try:
            told = handler(intent)
        except MemoryCoreError as error:
            _log.warning("recovery_failed intent=%s reason=%s", intent.id, error)
            self._turns.abandon(intent.id, intent.payload)
            return f"an interrupted {intent.kind} could not be finished yet: {error}"
        self._turns.leave(intent.id)
        _log.info("recovered intent=%s kind=%s", intent.id, intent.kind)
        return told


class OverflowRecovery:
    """Settles an interrupted overflow: what was to leave whole leaves, what was to change stays as it is."""

    def __init__(self, tier: HotTier, sinker: Sinker) -> None:
        self._tier = tier
        self._sinker = sinker

    @property
    def handlers(self) -> dict[str, Handler]:
        """The handlers to give to `Recovery`."""
        return {OVERFLOW_KIND: self.settle}

    def settle(self, intent: Intent) -> str:
        """Bring both tiers to agree on every entry the run had reached."""
        try:
            target, moves, fresh = _read(intent.payload)
        except (KeyError, TypeError, ValueError, AttributeError):
            return "an interrupted overflow left a record nobody can read; its entries stay where they are"
        entries = {entry.key: entry for entry in self._tier.reconcile(target).entries}
        finished: list[str] = []
        undone: list[str] = []
        for does, keys in moves:
            standing = [entries[key] for key in keys if key in entries]
            kind = _LEAVING.get(does)
            if kind is not None and not any(map(_protected, standing)):
                finished += [entry.key for entry in standing if self._leaves(entry, kind, target)]
            else:
                self._undo(standing, fresh)
                undone += [entry.key for entry in standing]
        self._remove(target, finished)
        return (
            f"an interrupted overflow of {target.value} was settled: "
            f"{len(finished)} moves finished, {len(undone)} taken back"
        )

    def _leaves(
        self, entry: HotEntry, kind: type[Demote | Discard | CollectStub], target: Target
    ) -> bool:
        reason = "an interrupted move was finished"
        signals = (Signal.PRESSURE,)
        action: Action
        if kind is CollectStub:
            memory_id = entry.meta.memory_id if entry.meta else None
            action = CollectStub(entry.key, memory_id, signals, reason)
        elif kind is Discard:
            action = Discard(entry.key, signals, reason)
        else:
            action = Demote(entry.key, signals, reason)
        try:
            self._sinker.sink(action, {entry.key: entry}, target)
        except NotMovedError as error:
            _log.warning("recovery_entry_stays reason=%s", error)
            return False
        return True

    def _undo(self, standing: Sequence[HotEntry], fresh: Mapping[str, Sequence[str]]) -> None:
        for entry in standing:
            self._sinker.withdraw(fresh.get(entry.key, ()), reason=TrashReason.MERGED, note=_NOTE)
            self._sinker.undo(entry)

    def _remove(self, target: Target, keys: Sequence[str]) -> None:
        def build(snapshot: HotSnapshot) -> Sequence[NewEntry] | None:
            left = kept(snapshot, without=keys)
            return left if len(left) < len(snapshot.entries) else None

        if keys:
            self._tier.rebuild(target, build)


def _read(
    payload: Mapping[str, Any],
) -> tuple[Target, list[tuple[str, list[str]]], Mapping[str, Sequence[str]]]:
    """Return the file, the moves reached (kind and keys) and the copies that were new."""
    moves = [(str(move["does"]), [*map(str, move["keys"])]) for move in payload["moves"]]
    fresh = {str(key): [*map(str, ids)] for key, ids in payload["fresh"].items()}
    return Target(payload["target"]), moves[: int(payload["reached"])], fresh


def _protected(entry: HotEntry) -> bool:
    return entry.meta is not None and entry.meta.protected
