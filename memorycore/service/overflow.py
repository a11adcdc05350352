"""Overflow: relieving a hot file, on request, on schedule, or because a write needs room."""

import logging
from dataclasses import dataclass, replace
from typing import Literal

from memorycore.errors import HotTierError
from memorycore.model.hot import HotSnapshot
from memorycore.model.plan import Action, Plan
from memorycore.model.results import OverflowReport
from memorycore.model.routing import Target
from memorycore.policy.overflow.ladder import Demand, Ladder, ladder_for
from memorycore.policy.overflow.planning import Rules, plan_overflow
from memorycore.ports.ambient import Clock
from memorycore.service.hot_tier import HotTier
from memorycore.service.overflow_apply import Applied, Applier
from memorycore.service.overflow_evidence import Evidence
from memorycore.service.preference_anchor import PreferenceAnchor
from memorycore.service.recovery import Recovery

_log = logging.getLogger(__name__)

MOST_ROUNDS = 3
"""Rounds of planning and applying in one run: what was merged in one may leave in the next."""


@dataclass(frozen=True, slots=True)
class Planner:
    """Gathers the evidence on a file and plans."""

    evidence: Evidence
    rules: Rules
    clock: Clock

    def ladder(self, snapshot: HotSnapshot, demand: Demand) -> Ladder:
        """Return the steps open for a file."""
        return ladder_for(snapshot, self.rules.marks, demand)

    def plan(self, snapshot: HotSnapshot, demand: Demand) -> Plan:
        """Return what overflow would do with the file as read."""
        view = self.evidence.view(snapshot, self.ladder(snapshot, demand))
        return plan_overflow(view, rules=self.rules, now=self.clock.now(), demand=demand)


class Overflow:
    """Plans and applies overflow for both files."""

    def __init__(
        self,
        tier: HotTier,
        *,
        applier: Applier,
        anchor: PreferenceAnchor,
        recovery: Recovery,
        planner: Planner,
    ) -> None:
        self._tier = tier
        self._applier = applier
        self._anchor = anchor
        self._recovery = recovery
        self._planner = planner

    def plan(self, target: Target, *, demand: Demand | None = None) -> Plan:
        """Return what overflow would do now; neither file nor store is changed."""
        return self._planner.plan(self._tier.reconcile(target), demand or Demand())

    def run(self, target: Target, *, until: Literal["soft", "target"] = "target") -> OverflowReport:
        """Relieve a file if it is under pressure, and let records past their time go in any case."""
        return self._rounds(target, Demand(to_soft=until == "soft"))

    def attempt(self, target: Target) -> OverflowReport:
        """Do what `run` does; a file that cannot be used is told of in the report, so that others get their turn."""
        try:
            return self.run(target)
        except HotTierError as error:
            _log.warning("overflow_failed target=%s reason=%s", target.value, error)
            return OverflowReport(
                target=target,
                actions=(),
                characters_before=0,
                characters_after=0,
                limit=0,
                rounds=0,
                moved=0,
                failed=(str(error),),
                note="the file cannot be used",
            )

    def make_room(
        self, target: Target, characters: int, *, protected: bool = False
    ) -> OverflowReport:
        """Relieve a file so that it can grow by `characters` (separator included).

        From the soft watermark on overflow runs, from the hard one, or when the growth does not fit, with every
        step open. A file that stands above its budget is brought below it even if unprotected behaviour must leave;
        for a protected entry (`protected`) the same is done until it fits.
        """
        demand = Demand(incoming=characters, forced=True, protected_waits=protected)
        return self._rounds(target, demand)

    def _rounds(self, target: Target, demand: Demand) -> OverflowReport:
        self._recovery.recover()
        before = self._tier.reconcile(target)
        done: list[Action] = []
        failed: list[str] = []
        snapshot, note, rounds = before, "", 0
        for _ in range(MOST_ROUNDS):
            ladder = self._planner.ladder(snapshot, demand)
            plan = self._planner.plan(snapshot, demand)
            applied = self._apply(plan)
            rounds += 1
            done += applied.actions
            failed += applied.failed
            snapshot, note = applied.snapshot, plan.note
            if snapshot.characters <= ladder.stop or not applied.actions:
                break
            demand = replace(demand, pressed=ladder.relieve, urgent=ladder.urgent)
        if done or failed:
            _log.info(
                "overflow target=%s rounds=%s moved=%s failed=%s before=%s after=%s",
                target.value,
                rounds,
                len(done),
                len(failed),
                before.characters,
                snapshot.characters,
            )
        return OverflowReport(
            target=target,
            actions=tuple(done),
            characters_before=before.characters,
            characters_after=snapshot.characters,
            limit=snapshot.limit,
            rounds=rounds,
            moved=len(done),
            failed=tuple(dict.fromkeys(failed)),
            note=note,
        )

    def _apply(self, plan: Plan) -> Applied:
        applied = self._applier.apply(plan)
        if plan.target is Target.USER:
            self._anchor.keep(applied.texts)
        return applied
