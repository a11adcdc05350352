"""Planning an overflow: from the facts on one hot file to the actions that relieve it, each with its reason.

The order is: expired records, merges, finished records taken for rules, stale and redundant entries, then what
can be recalled when it is needed, coldest first; under hard pressure dormant topics become pointers, rules of one
machine or topic follow, and old pointers go. Draining stops at the target. Protected entries are in no list that leaves.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from memorycore.model.limits import HotAges, Watermarks
from memorycore.model.plan import Action, Keep, Merge, Plan, Retype, Signal
from memorycore.model.routing import EntryType, Target
from memorycore.policy.overflow import leaving
from memorycore.policy.overflow.desk import Desk
from memorycore.policy.overflow.facts import EntryFacts, OverflowView
from memorycore.policy.overflow.keeping import reason_to_stay
from memorycore.policy.overflow.ladder import Demand, Ladder, ladder_for
from memorycore.policy.overflow.signals import Observer

STUBS_A_RUN = 3
"""Most entries that one run turns into pointers."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers overflow goes by."""

    marks: Watermarks = field(default_factory=Watermarks)
    ages: HotAges = field(default_factory=HotAges)


def plan_overflow(
    view: OverflowView, *, rules: Rules, now: datetime, demand: Demand | None = None
) -> Plan:
    """Return what overflow would do to a file as it stood at `now`.

    Args:
        view: The file and the facts on its entries.
        rules: Watermarks and ages.
        now: The moment of planning; ages are measured against it.
        demand: An entry that waits for room, or other wishes; none by default.
    """
    ladder = ladder_for(view.snapshot, rules.marks, demand or Demand())
    observer = Observer(rules.ages, now)
    desk = Desk(view)
    _expire(desk, observer)
    if ladder.relieve:
        _relieve(desk, view, ladder, observer)
    if ladder.urgent:
        _relieve_urgently(desk, ladder, observer)
    if ladder.cap is not None:
        _force(desk, ladder.cap, view.snapshot.limit, observer)
    return _plan(desk, view, ladder, observer)


def _expire(desk: Desk, observer: Observer) -> None:
    for facts in desk.present():
        if observer.expired(facts):
            desk.take(facts, leaving.expired(facts, observer))


def _relieve(desk: Desk, view: OverflowView, ladder: Ladder, observer: Observer) -> None:
    for proposal in view.merges:
        if desk.size > ladder.stop:
            desk.merge(Merge(proposal.keys, proposal.text, (Signal.SAME_TOPIC,), proposal.reason))
    for facts in desk.present():
        if observer.completed(facts) and facts.age(observer.now) < observer.ages.state_ttl:
            desk.note(
                Retype(facts.key, EntryType.STATE, (Signal.COMPLETED,), facts.completed or "")
            )
    steps = [
        _Step(observer.stale, leaving.stale, leaving.by_age(observer)),
        _Step(observer.completed, leaving.completed, leaving.by_age(observer)),
        _Step(observer.redundant, leaving.redundant, leaving.by_age(observer)),
        _Step(observer.cold, leaving.cold_for(view.snapshot.target), leaving.by_coldness(observer)),
        _Step(leaving.compressed_fits, leaving.compressed, leaving.by_age(observer)),
    ]
    if view.snapshot.target is Target.USER:
        steps.append(_Step(leaving.splittable, leaving.split, leaving.by_size))
    for step in steps:
        _drain(desk, step, ladder.stop, observer)


def _relieve_urgently(desk: Desk, ladder: Ladder, observer: Observer) -> None:
    stubs = _Step(observer.dormant, leaving.stubbed, leaving.by_age(observer), most=STUBS_A_RUN)
    tools = _Step(observer.looked_up, leaving.topical, leaving.by_doubt(observer))
    pointers = _Step(observer.collectable, leaving.collected, leaving.by_age(observer))
    topics = _Step(observer.topical, leaving.topical, leaving.by_doubt(observer))
    for step in (stubs, tools, pointers):
        _drain(desk, step, ladder.stop, observer)
    _drain(desk, topics, ladder.ease, observer)


def _force(desk: Desk, cap: int, limit: int, observer: Observer) -> None:
    fits = desk.protected_size <= cap
    step = _Step(_unprotected, leaving.forced, leaving.by_doubt(observer))
    _drain(desk, step, cap if fits else limit, observer)


@dataclass(frozen=True, slots=True)
class _Step:
    allows: Callable[[EntryFacts], bool]
    action: leaving.MakeAction
    order: leaving.Order
    most: int | None = None


def _drain(desk: Desk, step: _Step, stop: int, observer: Observer) -> None:
    taken = 0
    for facts in sorted(filter(step.allows, desk.present()), key=step.order):
        if desk.size <= stop or (step.most is not None and taken >= step.most):
            break
        taken += desk.take(facts, step.action(facts, observer))


def _unprotected(facts: EntryFacts) -> bool:
    return not facts.protected


def _plan(desk: Desk, view: OverflowView, ladder: Ladder, observer: Observer) -> Plan:
    snapshot = view.snapshot
    return Plan(
        target=snapshot.target,
        revision=snapshot.revision,
        actions=tuple(_ordered(desk, view, observer)),
        characters_before=snapshot.characters,
        characters_after=desk.size,
        limit=snapshot.limit,
        note=_note(desk, view, ladder),
    )


def _ordered(desk: Desk, view: OverflowView, observer: Observer) -> Iterable[Action]:
    told: set[str] = set()
    for facts in view.facts:
        action = desk.action_on(facts.key)
        if action is None:
            signals, reason = reason_to_stay(facts, observer)
            yield Keep(facts.key, signals, reason)
        elif not isinstance(action, Merge):
            yield action
        elif not told.intersection(action.keys):
            told.update(action.keys)
            yield action


def _note(desk: Desk, view: OverflowView, ladder: Ladder) -> str:
    if not view.facts:
        return "the file has no entries"
    if not ladder.relieve:
        return "no pressure: only records past their time leave"
    if desk.size <= ladder.stop:
        return ""
    left = list(desk.present())
    protected = sum(facts.size for facts in left if facts.protected)
    over = desk.size - view.snapshot.limit
    above = f"; {over} characters above the budget" if over > 0 else ""
    return (
        f"nothing more may leave: {len(left)} entries stay that every turn needs, "
        f"{protected} characters of them protected{above}"
    )
