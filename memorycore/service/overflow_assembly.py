"""Putting the services of overflow together from the ports they share."""

from dataclasses import dataclass, replace

from memorycore.policy.overflow.planning import Rules
from memorycore.ports.ambient import Clock, IdFactory
from memorycore.ports.cold_store import ColdStore
from memorycore.ports.local import Journal
from memorycore.service.auditing import Auditing
from memorycore.service.hot_tier import HotTier, Recorder
from memorycore.service.moving import Bin, Sinker
from memorycore.service.overflow import Overflow, Planner
from memorycore.service.overflow_apply import Applier
from memorycore.service.overflow_evidence import Evidence, Insight, Screen
from memorycore.service.overflow_merging import Relating
from memorycore.service.overflow_turn import Owner, Turns
from memorycore.service.preference_anchor import NamedState, PreferenceAnchor
from memorycore.service.promotion import Promotion
from memorycore.service.recovery import OverflowRecovery, Recovery


@dataclass(frozen=True, slots=True)
class Tiers:
    """Both tiers and what is between them.

    `discard` puts a text straight into the local trash, where the cold store can (`GovernedCold.discard`).
    """

    hot: HotTier
    cold: ColdStore
    journal: Journal
    state: NamedState
    discard: Bin | None = None
    record: Recorder | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Time, identity and this process."""

    clock: Clock
    ids: IdFactory
    owner: Owner


@dataclass(frozen=True, slots=True)
class Relief:
    """Everything that moves entries between the tiers or explains them."""

    overflow: Overflow
    recovery: Recovery
    auditing: Auditing
    promotion: Promotion


def assemble(
    tiers: Tiers,
    around: Surroundings,
    *,
    relating: Relating,
    insight: Insight,
    rules: Rules,
    screen: Screen | None = None,
) -> Relief:
    """Return the services of overflow.

    Args:
        tiers: Both tiers, the journal and the trash.
        around: Clock, identifiers and the owner token of this process.
        relating: How texts are compared and merged.
        insight: Lexicon, and optionally activity log, vectors and judge.
        rules: Watermarks and ages.
        screen: Finds secrets, which are copied nowhere, and flags entries in the audit.
    """
    turns = Turns(tiers.journal, owner=around.owner, clock=around.clock, ids=around.ids)
    sinker = Sinker(tiers.cold, discard=tiers.discard)
    promotion = Promotion(tiers.hot, tiers.cold, turns, clock=around.clock, record=tiers.record)
    settle = OverflowRecovery(tiers.hot, sinker)
    recovery = Recovery(turns, {**settle.handlers, **promotion.handlers})
    evidence = Evidence(
        tiers.hot,
        tiers.cold,
        relating=relating,
        insight=replace(insight, screen=insight.screen or screen),
        ages=rules.ages,
        clock=around.clock,
    )
    planner = Planner(evidence, rules, around.clock)
    overflow = Overflow(
        tiers.hot,
        applier=Applier(tiers.hot, sinker, turns, clock=around.clock, record=tiers.record),
        anchor=PreferenceAnchor(tiers.hot, tiers.cold, state=tiers.state),
        recovery=recovery,
        planner=planner,
    )
    return Relief(overflow, recovery, Auditing(tiers.hot, planner, screen=screen), promotion)
