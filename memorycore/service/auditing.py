"""The audit: every hot entry explained, with what overflow would do about it now."""

from collections.abc import Iterable
from dataclasses import replace

from memorycore.errors import HotTierError
from memorycore.model.hot import HotSnapshot
from memorycore.model.plan import Action, Merge, Plan
from memorycore.model.results import AuditEntry, AuditReport, TierUsage
from memorycore.model.routing import Target, Verdict
from memorycore.policy.auditing import explain, why_nothing_leaves
from memorycore.policy.overflow.ladder import Demand
from memorycore.policy.overflow.planning import plan_overflow
from memorycore.policy.overflow.signals import Observer
from memorycore.service.hot_tier import HotTier, usage_of
from memorycore.service.overflow import Planner
from memorycore.service.overflow_evidence import Screen


class Auditing:
    """Builds the audit report; it writes nothing but the types of entries never seen before."""

    def __init__(self, tier: HotTier, planner: Planner, *, screen: Screen | None = None) -> None:
        self._tier = tier
        self._planner = planner
        self._screen = screen

    def audit(self, targets: Iterable[Target]) -> AuditReport:
        """Explain the entries of these files; a file that cannot be read is told of in the notes."""
        entries: list[AuditEntry] = []
        usage: list[TierUsage] = []
        notes: list[str] = []
        for target in targets:
            try:
                snapshot = self._tier.reconcile(target)
            except HotTierError as error:
                notes.append(f"{target.value}: {error}")
                continue
            usage.append(usage_of(snapshot))
            entries += self._explained(snapshot, notes)
        return AuditReport(tuple(entries), tuple(usage), tuple(notes))

    def _explained(self, snapshot: HotSnapshot, notes: list[str]) -> list[AuditEntry]:
        planner = self._planner
        ladder = planner.ladder(snapshot, Demand())
        view = planner.evidence.view(snapshot, ladder, thorough=True)
        now = planner.clock.now()
        plan = plan_overflow(view, rules=planner.rules, now=now)
        observer = Observer(planner.rules.ages, now)
        actions = _actions_by_key(plan)
        merged = {key: proposal.reason for proposal in view.merges for key in proposal.keys}
        notes += [
            note
            for note in (why_nothing_leaves(plan, ladder, list(view.facts)), _shape(snapshot))
            if note
        ]
        return [
            self._flagged(
                explain(
                    facts,
                    actions[facts.key],
                    observer,
                    target=snapshot.target,
                    merged=merged.get(facts.key, ""),
                )
            )
            for facts in view.facts
        ]

    def _flagged(self, entry: AuditEntry) -> AuditEntry:
        if self._screen is None:
            return entry
        found = self._screen(entry.text)
        if found.verdict is Verdict.CLEAN:
            return entry
        return replace(entry, flags=(found.verdict.value, *found.kinds))


def _actions_by_key(plan: Plan) -> dict[str, Action]:
    found: dict[str, Action] = {}
    for action in plan.actions:
        keys = action.keys if isinstance(action, Merge) else (action.key,)
        found.update(dict.fromkeys(keys, action))
    return found


def _shape(snapshot: HotSnapshot) -> str:
    if not snapshot.free_form:
        return ""
    return (
        f"{snapshot.target.value}: hand-written Markdown; its layout is kept, entries only leave it"
    )
