"""Whose turn it is: one overflow of a file at a time, over threads and processes, by the journal alone.

Everybody opens an intent and looks for those of others; whoever sees a living one steps back. Of two that open
at once at least one sees the other, so two never go on together. An intent whose owner is gone blocks nobody.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from memorycore.model.routing import Target
from memorycore.ports.ambient import Clock, IdFactory
from memorycore.ports.local import Intent, Journal

OVERFLOW_KIND = "overflow"
"""The kind of an overflow's intent."""

PROMOTION_KIND = "promotion"
"""The kind of a promotion's intent."""

_KINDS = frozenset({OVERFLOW_KIND, PROMOTION_KIND})

LEASE = timedelta(seconds=60)
"""How long an owner may be silent before another takes over: several times the longest cold write."""

LOOK_EVERY = 0.05
"""Seconds between two looks at whether another overflow of the same file has ended."""

LOOKS = 60
"""How often to look before giving up."""


def _pause(seconds: float) -> None:
    threading.Event().wait(seconds)


@dataclass(frozen=True, slots=True)
class Owner:
    """This process in the journal.

    `token` names it; `alive` tells of any token whether its process still runs; `pause` waits some seconds.
    """

    token: str
    alive: Callable[[str], bool]
    pause: Callable[[float], None] = _pause


class Turns:
    """Opens, renews and closes the intents of overflow."""

    def __init__(self, journal: Journal, *, owner: Owner, clock: Clock, ids: IdFactory) -> None:
        self._journal = journal
        self._owner = owner
        self._clock = clock
        self._ids = ids

    def enter(
        self, target: Target, payload: Mapping[str, Any], *, kind: str = OVERFLOW_KIND
    ) -> str | None:
        """Open an intent for a file and return its id, None when another owner keeps at work on it."""
        for look in range(LOOKS):
            if look:
                self._owner.pause(LOOK_EVERY)
            if self._occupied(target):
                continue
            intent = self._intent(kind, {**payload, "target": target.value})
            self._journal.begin(intent)
            if not self._occupied(target, besides=intent.id):
                return intent.id
            self._journal.done(intent.id)
        return None

    def advance(self, intent_id: str, step: str, payload: Mapping[str, Any]) -> None:
        """Record a step and renew the lease."""
        until = self._clock.now() + LEASE
        self._journal.advance(intent_id, step=step, lease_until=until, payload=payload)

    def abandon(self, intent_id: str, payload: Mapping[str, Any]) -> None:
        """Leave an intent open for recovery to take at once."""
        until = self._clock.now() - timedelta(seconds=1)
        self._journal.advance(intent_id, step="abandoned", lease_until=until, payload=payload)

    def leave(self, intent_id: str) -> None:
        """Close an intent."""
        self._journal.done(intent_id)

    def owns(self, intent_id: str) -> bool:
        """Tell whether an intent is still open and this process's."""
        return any(
            intent.id == intent_id and intent.owner == self._owner.token
            for intent in self._journal.open_intents()
        )

    def forsaken(self) -> list[Intent]:
        """Return the open intents whose owner is gone, oldest first."""
        return [intent for intent in self._journal.open_intents() if self._gone(intent)]

    def take_over(self, intent: Intent) -> bool:
        """Make a forsaken intent this process's; False when another was faster."""
        return self._journal.claim(
            intent.id,
            owner=self._owner.token,
            expected_owner=intent.owner,
            lease_until=self._clock.now() + LEASE,
        )

    def _occupied(self, target: Target, *, besides: str = "") -> bool:
        return any(
            intent.kind in _KINDS
            and intent.id != besides
            and intent.payload.get("target") == target.value
            and not self._gone(intent)
            for intent in self._journal.open_intents()
        )

    def _gone(self, intent: Intent) -> bool:
        return intent.lease_until < self._clock.now() or not self._owner.alive(intent.owner)

    def _intent(self, kind: str, payload: Mapping[str, Any]) -> Intent:
        return Intent(
            id=self._ids.new_id(),
            kind=kind,
            step="begun",
            owner=self._owner.token,
            lease_until=self._clock.now() + LEASE,
            payload=payload,
        )
