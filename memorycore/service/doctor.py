"""A check-up: what works, what does not, and what to do about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from memorycore.errors import MemoryCoreError
from memorycore.model.results import Check, DoctorReport, Health
from memorycore.model.routing import Target
from memorycore.ports import ColdRepository, ColdStore, Journal, Judge, Outbox
from memorycore.service.hot_tier import HotTier
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors

SAMPLE = "The backup runs on Sundays."
"""What the doctor embeds to see that the embedder works."""


@dataclass(frozen=True, slots=True)
class Patient:
    """Everything the doctor looks at."""

    hot: HotTier
    cold: ColdStore
    repository: ColdRepository
    journal: Journal
    outbox: Outbox
    vectors: Vectors
    model: StoreModel
    judge: Judge | None


class Doctor:
    """Runs every check; a fault in one does not keep the others from running."""

    def __init__(self, patient: Patient) -> None:
        self._patient = patient

    def examine(self) -> DoctorReport:
        """Return all checks."""
        return DoctorReport(tuple(_guarded(name, check) for name, check in self._checks()))

    def _checks(self) -> Iterator[tuple[str, Callable[[str], Check]]]:
        for target in Target:
            yield f"hot file ({target.value})", partial(self._hot, target)
        yield "database", self._database
        yield "cold tier", self._cold
        yield "embedder", self._embedder
        yield "vectors", self._vectors
        yield "journal", self._journal
        yield "outbox", self._outbox
        yield "judge", self._judge

    def _hot(self, target: Target, name: str) -> Check:
        usage = self._patient.hot.usage(target)
        detail = f"{usage.entries} entries, {usage.characters} of {usage.limit} characters"
        if usage.characters > usage.limit:
            advice = "run `memorycore overflow`; what is protected alone may exceed the budget"
            return Check(name, Health.WARNING, detail, advice)
        return Check(name, Health.OK, detail)

    def _database(self, name: str) -> Check:
        damage = self._patient.repository.integrity()
        if damage:
            advice = "stop all servers, copy the data folder away, then restore a backup or export"
            return Check(name, Health.FAILED, damage, advice)
        return Check(name, Health.OK, "integrity check passed")

    def _cold(self, name: str) -> Check:
        usage = self._patient.cold.stats()
        detail = f"{usage.backend}: {usage.live} live, {usage.trashed} in the trash"
        if usage.live > usage.hard_limit:
            advice = "run `memorycore maintain`; the least retained go to the trash"
            return Check(name, Health.WARNING, detail, advice)
        return Check(name, Health.OK, detail)

    def _embedder(self, name: str) -> Check:
        if self._patient.vectors.passage(SAMPLE) is None:
            cause = self._patient.vectors.degraded or "it gave no vector"
            advice = "recall works by keywords until this is mended; `memorycore maintain` fills in"
            return Check(name, Health.WARNING, cause, advice)
        embedder = self._patient.vectors.embedder
        return Check(name, Health.OK, embedder.model if embedder else "none")

    def _vectors(self, name: str) -> Check:
        mismatch = self._patient.model.mismatch()
        if mismatch:
            return Check(name, Health.WARNING, mismatch, "run `memorycore reembed`")
        pending = self._patient.repository.counts().pending_vectors
        if pending:
            return Check(name, Health.WARNING, f"{pending} pending", "run `memorycore maintain`")
        return Check(name, Health.OK, "every memory has one")

    def _journal(self, name: str) -> Check:
        count = len(self._patient.journal.open_intents())
        if count:
            advice = "they are finished at the next start once their owner is gone"
            return Check(name, Health.WARNING, f"{count} open intents", advice)
        return Check(name, Health.OK, "no open intents")

    def _outbox(self, name: str) -> Check:
        count = self._patient.outbox.count()
        if count:
            waiting = self._patient.outbox.pending(1)
            cause = waiting[0].last_error if waiting else None
            advice = "they are sent when the remote answers again"
            return Check(name, Health.WARNING, f"{count} waiting ({cause or 'not tried'})", advice)
        return Check(name, Health.OK, "empty")

    def _judge(self, name: str) -> Check:
        detail = "configured" if self._patient.judge else "none (optional)"
        return Check(name, Health.OK, detail)


def _guarded(name: str, check: Callable[[str], Check]) -> Check:
    try:
        return check(name)
    except MemoryCoreError as fault:
        return Check(name, Health.FAILED, f"{fault.code}: {fault}", "mend what the message names")
