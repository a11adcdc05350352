"""Maintenance of the cold store: one pass at a time, in short steps, over what changed."""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from memorycore.errors import EmbedderError
from memorycore.model.memory import Memory, TrashReason
from memorycore.model.results import MaintenanceReport
from memorycore.policy.maintenance import due_at, plan_ageing, plan_eviction
from memorycore.ports import Leases, Vector
from memorycore.service.deduplication import Deduplication, Tally
from memorycore.service.pass_tools import Cancelled, PassTools
from memorycore.service.trash import Trash

log = logging.getLogger(__name__)

LEASE = "maintenance"
"""Name of the lease a pass holds, so that of many processes one works."""

LEASE_TIME = timedelta(minutes=5)
"""How long a lease lasts unless renewed; a crashed pass blocks the next for no longer."""

RENEW_AFTER = 30.0
"""Seconds after which a running pass renews its lease."""

NEXT_DUE = "maintenance.next_due"
"""Named state: the earliest moment at which age alone may move a memory, ISO 8601, or `never`."""

EVERY_EVENT = 10_000_000
"""More events than a store has."""

EMBED_BATCH = 64
"""Pending vectors made at a time."""

ROUNDS = 5
"""Rounds of maintenance in a row while the store is above its hard limit."""

Progress = Callable[[str, int, int], None]
"""Called with the stage, how much is done and how much there is (0: unknown)."""


class Maintenance:
    """Runs passes. `owner` names this process in the lease; two cores of one process count as two."""

    def __init__(self, tools: PassTools, *, trash: Trash, leases: Leases, owner: str) -> None:
        self._tools = tools
        self._trash = trash
        self._leases = leases
        self._owner = f"{owner}/{id(self):x}"
        self._running = threading.Lock()

    def run(
        self,
        *,
        full: bool = False,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> MaintenanceReport:
        """Run one pass: trash, missing vectors, duplicates and conflicts, age, room.

        Args:
            full: Compare every memory, not only what changed since the last pass.
            progress: Told of each step.
            cancelled: Asked between steps; when it says yes the pass ends early, and the next one goes on there.

        Returns:
            The counts; `finished` is False when the pass was cancelled or another process runs one.
        """
        started = self._tools.clock.monotonic()
        if not self._running.acquire(blocking=False):
            return self._refused()
        try:
            if not self._renew():
                return self._refused()
            try:
                work = _Pass(self._tools, self._trash, self._guard(progress, cancelled))
                finished = work.run(full=full)
            finally:
                self._leases.release(LEASE, owner=self._owner)
        finally:
            self._running.release()
        report = work.report(finished=finished, seconds=self._tools.clock.monotonic() - started)
        log.info("maintenance finished=%s examined=%s", report.finished, report.examined)
        return report

    def make_room(self, *, cancelled: Callable[[], bool] | None = None) -> MaintenanceReport:
        """Run passes until the store is at or below its soft limit, at most `ROUNDS`; return the last report."""
        report = self.run(cancelled=cancelled)
        for _ in range(ROUNDS - 1):
            if not report.finished or report.live <= self._tools.limits.soft:
                break
            if not (report.duplicates + report.merged + report.superseded + report.evicted):
                break
            report = self.run(cancelled=cancelled)
        return report

    def _guard(self, progress: Progress | None, cancelled: Callable[[], bool] | None) -> Progress:
        renewed = self._tools.clock.monotonic()

        def checkpoint(stage: str, done: int, total: int) -> None:
            nonlocal renewed
            if cancelled is not None and cancelled():
                raise Cancelled
            if progress is not None:
                progress(stage, done, total)
            if self._tools.clock.monotonic() - renewed > RENEW_AFTER:
                renewed = self._tools.clock.monotonic()
                if not self._renew():
                    raise Cancelled

        return checkpoint

    def _renew(self) -> bool:
        now = self._tools.clock.now()
        return self._leases.acquire(LEASE, owner=self._owner, now=now, until=now + LEASE_TIME)

    def _refused(self) -> MaintenanceReport:
        live = self._tools.repository.counts().live
        note = "another maintenance pass is running; nothing was done"
        return MaintenanceReport(finished=False, examined=0, live=live, notes=(note,))


class _Pass:
    """One pass and its counts."""

    def __init__(self, tools: PassTools, trash: Trash, checkpoint: Progress) -> None:
        self._tools = tools
        self._trash = trash
        self._checkpoint = checkpoint
        self._tally = Tally()
        self._purged = self._stale = self._decayed = self._evicted = self._embedded = 0

    def run(self, *, full: bool) -> bool:
        """Do the stages; False when cancelled."""
        before = self._tools.repository.change_number()
        try:
            self._empty_trash()
            self._fill_vectors()
            Deduplication(self._tools, checkpoint=self._checkpoint).run(self._tally, full=full)
            self._age()
            self._evict()
        except Cancelled:
            self._tally.notes.append("stopped early; the next pass goes on from here")
            return False
        if full:
            self._check_integrity()
        if full or self._purged or self._tools.repository.change_number() != before:
            self._tools.repository.optimise()
        return True

    def report(self, *, finished: bool, seconds: float) -> MaintenanceReport:
        """Return the counts."""
        tally = self._tally
        return MaintenanceReport(
            finished=finished,
            examined=tally.examined,
            purged=self._purged,
            duplicates=tally.duplicates,
            merged=tally.merged,
            superseded=tally.superseded,
            stale=self._stale,
            decayed=self._decayed,
            evicted=self._evicted,
            embedded=self._embedded,
            live=self._tools.repository.counts().live,
            seconds=seconds,
            notes=tuple(tally.notes),
        )

    def _empty_trash(self) -> None:
        self._checkpoint("trash", 0, 0)
        self._purged, doubt = self._trash.purge_expired()
        if doubt:
            self._tally.notes.append(doubt)

    def _fill_vectors(self) -> None:
        """Make the vectors that were pending; stops at the first batch that cannot be made."""
        repository = self._tools.repository
        while self._tools.model.mismatch() is None:
            self._checkpoint("embed", self._embedded, 0)
            pending = repository.missing_vectors(EMBED_BATCH)
            if not pending:
                return
            made = self._vectors([memory.content for memory in pending])
            vectors = {
                memory.id: (memory.revision, vector)
                for memory, vector in zip(pending, made, strict=True)
                if vector is not None
            }
            filled = repository.set_vectors(vectors) if vectors else 0
            self._embedded += filled
            if not filled:
                self._tally.notes.append(f"{len(pending)} vectors are still pending")
                return

    def _vectors(self, texts: list[str]) -> list[Vector | None]:
        try:
            return [self._tools.model.accept(v) for v in self._tools.vectors.passages(texts)]
        except EmbedderError as fault:
            log.warning("maintenance.embedder_failed cause=%s", fault)
            return [None] * len(texts)

    def _age(self) -> None:
        """Trash what faded and the sessions that are over; looks only when something may be due."""
        tools, now = self._tools, self._tools.clock.now()
        recorded = tools.repository.state(NEXT_DUE)
        known = recorded is not None
        due = None if recorded in (None, "never") else datetime.fromisoformat(str(recorded))
        if self._tally.next_due is not None and (due is None or self._tally.next_due < due):
            due = self._tally.next_due
        if known and (due is None or due > now):
            self._remember_due(due, recorded)
            return
        self._checkpoint("age", 0, 0)
        ageing = plan_ageing(self._aged(now), now=now, retention=tools.retention)
        self._stale = tools.discard(
            ageing.ended, reason=TrashReason.STALE, note="its session is over"
        )
        self._decayed = tools.discard(
            ageing.faded, reason=TrashReason.DECAYED, note="unused for long and not important"
        )
        if ageing.capped:
            self._tally.notes.append("more memories have faded; the next passes take them")
        self._remember_due(now if ageing.capped else ageing.next_due, recorded)

    def _aged(self, now: datetime) -> list[Memory]:
        """Return all memories; one that looks due counts as told when it entered the store.

        What was told years ago and imported yesterday has been of no use here for a day only.
        """
        memories = self._tools.every_memory()
        retention = self._tools.retention
        due = {m.id for m in memories if (at := due_at(m, retention)) is not None and at <= now}
        if not due:
            return memories
        entered: dict[str, datetime] = {}
        for event in self._tools.repository.events(limit=EVERY_EVENT):
            if event.memory_id in due:
                entered.setdefault(event.memory_id, event.at)
        return [
            replace(m, confirmed_at=max(m.confirmed_at, entered[m.id])) if m.id in entered else m
            for m in memories
        ]

    def _remember_due(self, due: datetime | None, recorded: str | None) -> None:
        text = due.isoformat() if due is not None else "never"
        if text != recorded:
            self._tools.repository.set_state(NEXT_DUE, text)

    def _evict(self) -> None:
        tools = self._tools
        if tools.repository.counts().live <= tools.limits.hard:
            return
        self._checkpoint("room", 0, 0)
        memories = tools.every_memory()
        leaving = plan_eviction(
            memories, now=tools.clock.now(), retention=tools.retention, limits=tools.limits
        )
        self._evicted = tools.discard(
            leaving, reason=TrashReason.EVICTED, note="least retained in a store above its limit"
        )
        if len(memories) - self._evicted > tools.limits.soft:
            self._tally.notes.append("what is left above the soft limit is protected or important")

    def _check_integrity(self) -> None:
        self._checkpoint("integrity", 0, 0)
        damage = self._tools.repository.integrity()
        if damage is not None:
            self._tally.notes.append(f"the database is damaged: {damage}")
            log.error("maintenance.damaged detail=%s", damage)
