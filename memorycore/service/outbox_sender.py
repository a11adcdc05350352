"""Sends what waits in the outbox: once, in order, by one process at a time."""

import logging
from collections import OrderedDict
from datetime import datetime, timedelta
from threading import RLock
from typing import Protocol

from memorycore.errors import (
    ColdTierError,
    ColdUnavailableError,
    InvalidInputError,
    MemoryCoreError,
    UnknownMemoryError,
)
from memorycore.model.memory import Provenance, TrashReason
from memorycore.model.results import ColdUsage, RecallResult
from memorycore.ports import (
    Clock,
    Draft,
    Leases,
    Outbox,
    OutboxItem,
    Outcome,
    RecallQuery,
    Remembered,
)
from memorycore.service.outbox_items import REMEMBER, UPDATE, draft_of, provenance_of

log = logging.getLogger(__name__)

LEASE = "outbox"
LEASE_TIME = timedelta(minutes=2)
"""How long a crashed process keeps others from sending."""

BATCH = 100
"""Operations read at a time."""

PATIENCE = 5
"""Failures, each with the remote alive otherwise, after which an operation no longer holds up the others."""

REST = timedelta(hours=1)
"""How long an operation that was refused is left alone."""

KNOWN = 1000
"""Delivered operations whose memories are remembered by the id they had here."""


class KeyedCold(Protocol):
    """A `ColdStore` whose writes take a key under which a repetition lands once."""

    def remember(self, draft: Draft, *, key: str | None = None) -> Remembered:
        """Keep a text."""
        ...

    def recall(self, query: RecallQuery) -> RecallResult:
        """Find what is relevant."""
        ...

    def update(
        self, memory_id: str, content: str, *, provenance: Provenance, key: str | None = None
    ) -> Remembered:
        """Replace a text."""
        ...

    def forget(
        self,
        memory_id: str,
        *,
        reason: TrashReason,
        provenance: Provenance,
        key: str | None = None,
    ) -> bool:
        """Move a memory to the trash."""
        ...

    def read(self, memory_id: str) -> str | None:
        """Return a text."""
        ...

    def stats(self) -> ColdUsage:
        """Return counts."""
        ...


class OutboxSender:
    """Delivers operations to the remote. `owner` names this process."""

    def __init__(
        self, remote: KeyedCold, outbox: Outbox, *, leases: Leases, owner: str, clock: Clock
    ) -> None:
        self._remote = remote
        self._outbox = outbox
        self._leases = leases
        self._owner = owner
        self._clock = clock
        self._lock = RLock()
        self._parked: dict[str, datetime] = {}
        self._choked: dict[str, int] = {}
        self._landed: OrderedDict[str, str] = OrderedDict()

    def replay(self) -> int:
        """Send what waits, oldest first, until the remote does not answer; return how many were delivered.

        One process of many sends at a time. An operation the remote refuses for what it says stays in the outbox
        and no longer holds up the others.
        """
        if self._outbox.count() == 0:
            return 0
        with self._lock:
            if not self._lease():
                return 0
            try:
                return self._send_all()
            finally:
                self._leases.release(LEASE, owner=self._owner)

    def _send_all(self) -> int:
        delivered = 0
        passed: set[str] = set()
        while True:
            batch = [one for one in self.waiting(len(passed)) if one.id not in passed]
            if not batch:
                return delivered
            for item in batch:
                passed.add(item.id)
                if self._is_parked(item.id):
                    continue
                if not self._lease():
                    return delivered
                try:
                    delivered += self._sent(item)
                except ColdUnavailableError as fault:
                    self._outbox.failed(item.id, str(fault))
                    if not self._holds_up_the_living(item):
                        return delivered
                    self._park(item, fault)

    def _sent(self, item: OutboxItem) -> bool:
        """Deliver one operation; False when it stays for a reason that does not concern the others."""
        try:
            kept = self._deliver(item)
        except ColdUnavailableError:
            raise
        except (ColdTierError, InvalidInputError) as fault:
            self._outbox.failed(item.id, str(fault))
            self._park(item, fault)
            return False
        if kept.outcome is Outcome.QUEUED:
            self._outbox.failed(item.id, "the remote queued it itself and has not confirmed it")
            return False
        self._outbox.delivered(item.id)
        self._landed[item.id] = kept.memory_id
        if len(self._landed) > KNOWN:
            self._landed.popitem(last=False)
        log.info("outbox.delivered operation=%s id=%s", item.operation, item.id)
        return True

    def _deliver(self, item: OutboxItem) -> Remembered:
        payload = item.payload
        if item.operation == REMEMBER:
            return self._remote.remember(draft_of(payload), key=item.id)
        provenance = provenance_of(payload)
        memory_id = self.landed(payload["id"])
        gone = Remembered(Outcome.STORED, memory_id, "", "forgotten")
        try:
            if item.operation == UPDATE:
                return self._remote.update(
                    memory_id, payload["content"], provenance=provenance, key=item.id
                )
            reason = TrashReason(payload["reason"])
            self._remote.forget(memory_id, reason=reason, provenance=provenance, key=item.id)
        except UnknownMemoryError:
            log.warning("outbox.memory_gone operation=%s id=%s", item.operation, memory_id)
            if item.operation == UPDATE:
                draft = Draft(payload["content"], provenance, created_at=item.queued_at)
                return self._remote.remember(draft, key=item.id)
        return gone

    def _holds_up_the_living(self, item: OutboxItem) -> bool:
        try:
            self._remote.stats()
        except ColdTierError:
            return False
        self._choked[item.id] = self._choked.get(item.id, 0) + 1
        return self._choked[item.id] >= PATIENCE

    def _park(self, item: OutboxItem, fault: MemoryCoreError) -> None:
        log.warning("outbox.refused operation=%s id=%s cause=%s", item.operation, item.id, fault)
        self._parked[item.id] = self._clock.now() + REST

    def _is_parked(self, item_id: str) -> bool:
        until = self._parked.get(item_id)
        return until is not None and self._clock.now() < until

    def landed(self, item_id: str) -> str:
        """Return the id a delivered text has at the remote; any other id as it is."""
        return self._landed.get(item_id, item_id)

    def drop(self, item_id: str) -> OutboxItem | None:
        """Take an operation out before it is sent; None when it does not wait, or not any more."""
        if self._outbox.count() == 0:
            return None
        with self._lock:
            item = next((one for one in self.waiting() if one.id == item_id), None)
            if item is not None:
                self._outbox.delivered(item_id)
            return item

    def is_behind(self) -> bool:
        """Tell whether a new write must queue behind others; what waits is sent first if that works now."""
        if not self._is_anything_due():
            return False
        self.replay()
        return self._is_anything_due()

    def _is_anything_due(self) -> bool:
        if self._outbox.count() == 0:
            return False
        return any(not self._is_parked(item.id) for item in self.waiting())

    def waiting(self, skipped: int = 0) -> list[OutboxItem]:
        """Return what waits, oldest first, at least a batch beyond `skipped`."""
        return self._outbox.pending(max(BATCH + skipped, self._outbox.count()))

    def _lease(self) -> bool:
        now = self._clock.now()
        return self._leases.acquire(LEASE, owner=self._owner, now=now, until=now + LEASE_TIME)
