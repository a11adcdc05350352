"""Writes to a remote that may be down: kept here, sent once and in order when it is back."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memorycore.errors import ColdTierError
from memorycore.model.memory import Provenance, TrashReason
from memorycore.model.results import ColdUsage, RecallResult
from memorycore.ports import (
    Clock,
    Draft,
    IdFactory,
    Leases,
    Outbox,
    OutboxItem,
    Outcome,
    RecallQuery,
    Remembered,
)
from memorycore.service.outbox_items import (
    FORGET,
    REMEMBER,
    UPDATE,
    draft_of,
    forget_payload,
    remember_payload,
    update_payload,
)
from memorycore.service.outbox_sender import KeyedCold, OutboxSender

log = logging.getLogger(__name__)


class OutboxedCold:
    """Implements `ColdStore` over a remote: a write that cannot be delivered is queued and says so.

    While operations wait, new ones queue behind them, so that the remote sees them in the order they were made.
    `owner` names this process.
    """

    def __init__(
        self,
        remote: KeyedCold,
        outbox: Outbox,
        *,
        leases: Leases,
        owner: str,
        clock: Clock,
        ids: IdFactory,
    ) -> None:
        self._remote = remote
        self._outbox = outbox
        self._sender = OutboxSender(remote, outbox, leases=leases, owner=owner, clock=clock)
        self._clock = clock
        self._ids = ids

    def remember(self, draft: Draft) -> Remembered:
        """Keep a text at the remote, or in the outbox while it cannot be reached.

        Raises:
            InvalidInputError: The remote is there and refuses the text.
        """
        key = self._ids.new_id()
        if draft.created_at is None:
            draft = replace(draft, created_at=self._clock.now())
        if self._sender.is_behind():
            return self._queued(key, REMEMBER, remember_payload(draft), draft.content)
        try:
            kept = self._remote.remember(draft, key=key)
        except ColdTierError as fault:
            return self._queued(key, REMEMBER, remember_payload(draft), draft.content, fault)
        if kept.outcome is Outcome.QUEUED:
            return self._queued(key, REMEMBER, remember_payload(draft), draft.content)
        return kept

    def recall(self, query: RecallQuery) -> RecallResult:
        """Find what is relevant at the remote; what waits to be forgotten there is left out."""
        found = self._remote.recall(query)
        if self._outbox.count() == 0:
            return found
        gone = {item.payload["id"] for item in self._sender.waiting() if item.operation == FORGET}
        hits = tuple(hit for hit in found.hits if hit.id not in gone)
        return replace(found, hits=hits, abstained=not hits)

    def update(self, memory_id: str, content: str, *, provenance: Provenance) -> Remembered:
        """Replace a text at the remote, or in the outbox.

        Raises:
            UnknownMemoryError: Neither has such a memory.
        """
        key = self._ids.new_id()
        waiting = self._find(memory_id)
        if waiting is not None and waiting.operation == REMEMBER:
            draft = replace(draft_of(waiting.payload), content=content)
            kept = self._queued(key, REMEMBER, remember_payload(draft), content)
            if self._sender.drop(memory_id) is not None:
                return kept
            self._sender.drop(key)
        memory_id = self._sender.landed(memory_id)
        payload = update_payload(memory_id, content, provenance)
        if self._sender.is_behind():
            return self._queued(key, UPDATE, payload, content)
        try:
            return self._remote.update(memory_id, content, provenance=provenance, key=key)
        except ColdTierError as fault:
            return self._queued(key, UPDATE, payload, content, fault)

    def forget(self, memory_id: str, *, reason: TrashReason, provenance: Provenance) -> bool:
        """Move a memory to the trash of the remote now or when it is back; drop it if it only waits here."""
        if self._sender.drop(memory_id) is not None:
            return True
        memory_id = self._sender.landed(memory_id)
        key = self._ids.new_id()
        payload = forget_payload(memory_id, reason, provenance)
        if self._sender.is_behind():
            self._queued(key, FORGET, payload, "")
            return True
        try:
            return self._remote.forget(memory_id, reason=reason, provenance=provenance, key=key)
        except ColdTierError as fault:
            self._queued(key, FORGET, payload, "", fault)
            return True

    def read(self, memory_id: str) -> str | None:
        """Return the text under an id, also while it waits."""
        waiting = self._find(memory_id)
        if waiting is not None:
            text = waiting.payload.get("content")
            return text if isinstance(text, str) else None
        return self._remote.read(self._sender.landed(memory_id))

    def stats(self) -> ColdUsage:
        """Return the counts of the remote, and how many operations wait here."""
        return replace(self._remote.stats(), queued=self._outbox.count())

    def waiting(self) -> tuple[tuple[str, Draft], ...]:
        """Return the texts that wait to be remembered with the ids of their items, oldest first."""
        if self._outbox.count() == 0:
            return ()
        return tuple(
            (item.id, draft_of(item.payload))
            for item in self._sender.waiting()
            if item.operation == REMEMBER
        )

    def replay(self) -> int:
        """Send what waits; return how many operations were delivered."""
        return self._sender.replay()

    def _queued(
        self,
        key: str,
        operation: str,
        payload: Mapping[str, Any],
        content: str,
        fault: ColdTierError | None = None,
    ) -> Remembered:
        cause = f"the remote did not take it ({fault})" if fault else "earlier writes wait as well"
        item = OutboxItem(key, operation, payload, self._clock.now(), last_error=cause)
        self._outbox.enqueue(item)
        log.warning("outbox.queued operation=%s id=%s cause=%s", operation, key, cause)
        reason = f"queued in the outbox, not stored yet: {cause}"
        return Remembered(Outcome.QUEUED, key, content, reason)

    def _find(self, item_id: str) -> OutboxItem | None:
        if self._outbox.count() == 0:
            return None
        return next((item for item in self._sender.waiting() if item.id == item_id), None)
