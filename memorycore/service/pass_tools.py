"""What the stages of a maintenance pass work with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memorycore.errors import ColdConflictError, UnknownMemoryError
from memorycore.model.limits import ColdLimits, Retention
from memorycore.model.memory import Memory, Provenance, TrashReason
from memorycore.policy.relation.comparing import Comparer
from memorycore.ports import Change, Clock, ColdRepository, Discard
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors

BATCH = 200
"""Rows read, or put into one transaction, at a time: a writer then waits milliseconds, not seconds."""


class Cancelled(Exception):  # noqa: N818 - no fault: somebody asked the pass to stop
    """The pass was asked to stop; what it finished is durable and the rest is found again."""


@dataclass(frozen=True, slots=True)
class PassTools:
    """Ports and rules shared by the stages."""

    repository: ColdRepository
    vectors: Vectors
    model: StoreModel
    comparer: Comparer
    merge: Callable[[str, str], str]
    clock: Clock
    limits: ColdLimits
    retention: Retention

    def expiry(self, at: datetime) -> datetime:
        """Return until when something trashed at `at` is kept."""
        return at + self.retention.trash

    def apply(self, changes: Sequence[Change], *, reason: str) -> bool:
        """Make the changes in one transaction; False when another writer was faster."""
        try:
            self.repository.apply(changes, provenance=by_maintenance(reason), at=self.clock.now())
        except (ColdConflictError, UnknownMemoryError):
            return False
        return True

    def discard(self, memories: Sequence[Memory], *, reason: TrashReason, note: str) -> int:
        """Move memories to the trash in short transactions; one that changed meanwhile stays. Return how many."""
        now = self.clock.now()
        moved = 0
        for start in range(0, len(memories), BATCH):
            changes = [
                Discard(m.id, reason, self.expiry(now), note, expected_revision=m.revision)
                for m in memories[start : start + BATCH]
            ]
            if self.apply(changes, reason=note):
                moved += len(changes)
            else:
                moved += sum(self.apply([change], reason=note) for change in changes)
        return moved

    def every_memory(self) -> list[Memory]:
        """Return all live memories, read in batches."""
        found: list[Memory] = []
        after: str | None = None
        while batch := self.repository.scan(after=after, limit=BATCH * 5):
            found.extend(batch)
            after = batch[-1].id
        return found


def by_maintenance(reason: str) -> Provenance:
    """Return the provenance of what maintenance does by itself."""
    return Provenance(actor="memorycore", tool="maintenance", reason=reason)
