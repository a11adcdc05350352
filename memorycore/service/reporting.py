"""How full both tiers are."""

from dataclasses import replace

from memorycore.errors import ColdTierError, HotTierError
from memorycore.model.limits import ColdLimits
from memorycore.model.results import ColdUsage, TierUsage, UsageReport
from memorycore.model.routing import Target
from memorycore.ports import ColdStore, Journal, Outbox
from memorycore.service.hot_tier import HotTier
from memorycore.service.jobs import Jobs


class Reporting:
    """Builds the usage report; a tier that cannot be read is said in the notes and never reported as empty."""

    def __init__(
        self,
        *,
        hot: HotTier,
        cold: ColdStore,
        journal: Journal,
        outbox: Outbox,
        jobs: Jobs,
        limits: ColdLimits,
    ) -> None:
        self._hot = hot
        self._cold = cold
        self._journal = journal
        self._outbox = outbox
        self._jobs = jobs
        self._limits = limits

    def usage(self) -> UsageReport:
        """Return both tiers, the open intents and the jobs."""
        notes: list[str] = []
        hot = tuple(tier for target in Target if (tier := self._tier(target, notes)))
        cold = self._cold_usage(notes)
        queued = self._outbox.count()
        if queued:
            notes.append(f"{queued} writes wait in the outbox for the remote cold tier")
        return UsageReport(
            hot=hot,
            cold=replace(cold, queued=queued),
            open_intents=len(self._journal.open_intents()),
            jobs=tuple(self._jobs.status()),
            notes=tuple(notes),
        )

    def _tier(self, target: Target, notes: list[str]) -> TierUsage | None:
        try:
            return self._hot.usage(target)
        except HotTierError as fault:
            notes.append(f"{target.value}: {fault}")
            return None

    def _cold_usage(self, notes: list[str]) -> ColdUsage:
        try:
            usage = self._cold.stats()
        except ColdTierError as fault:
            notes.append(f"cold tier: {fault}")
            return ColdUsage(
                backend="unreachable",
                live=0,
                trashed=0,
                pending_vectors=0,
                queued=0,
                bytes=0,
                soft_limit=self._limits.soft,
                hard_limit=self._limits.hard,
                embedder=None,
                degraded=str(fault),
            )
        if usage.degraded:
            notes.append(f"recall is degraded: {usage.degraded}")
        return usage
