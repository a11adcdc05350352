"""Explaining hot entries: what each is, whether it may leave, when and why."""

from collections.abc import Mapping
from datetime import timedelta

from memorycore.model.plan import (
    Action,
    CollectStub,
    Compress,
    Demote,
    Discard,
    DropRedundant,
    Keep,
    Merge,
    Plan,
    Retype,
    Split,
    Stub,
)
from memorycore.model.results import AuditEntry
from memorycore.model.routing import Target
from memorycore.policy.overflow.facts import EntryFacts
from memorycore.policy.overflow.ladder import Ladder
from memorycore.policy.overflow.signals import Observer, days, protection

_DAY = timedelta(days=1)
_WORDS: Mapping[type[Action], str] = {
    Retype: "counts as a finished record from now on",
    Demote: "leaves for the cold store",
    DropRedundant: "leaves, for the cold store has it",
    Discard: "leaves for the trash",
    Merge: "is merged with another entry",
    Compress: "is said in fewer words",
    Stub: "becomes a pointer",
    CollectStub: "goes",
    Split: "is split",
}


def explain(
    facts: EntryFacts, action: Action, observer: Observer, *, target: Target, merged: str = ""
) -> AuditEntry:
    """Return the audit of one entry; `action` is what overflow would do with it now, `merged` what S3 sees."""
    return AuditEntry(
        target=target,
        key=facts.key,
        text=facts.entry.text,
        characters=facts.size,
        type=facts.meta.type,
        route=facts.classification.route.value,
        protected=facts.protected,
        protected_because=protection(facts),
        age_days=facts.age(observer.now) / _DAY,
        idle_days=facts.idle(observer.now) / _DAY,
        plan=plan_in_words(facts, action, observer),
        signals=observer.explain(facts, merged=merged),
    )


def plan_in_words(facts: EntryFacts, action: Action, observer: Observer) -> str:
    """Say what is in store for an entry, such as `leaves in 3 days` or `stays: red line`."""
    if isinstance(action, Keep):
        return _kept(facts, action.reason, observer)
    return f"{_WORDS[type(action)]}: {action.reason}"


def why_nothing_leaves(plan: Plan, ladder: Ladder, facts: list[EntryFacts]) -> str:
    """Say why no entry of a file can leave; empty when one does."""
    if not facts or any(not isinstance(action, Keep | Retype) for action in plan.actions):
        return ""
    name = plan.target.value
    if not ladder.relieve:
        return f"{name}: nothing leaves, for there is no pressure and no record is past its time"
    protected = sum(item.protected for item in facts)
    pointers = sum(item.stub for item in facts)
    return (
        f"{name}: nothing can leave: of {len(facts)} entries {protected} are protected, {pointers} are "
        f"pointers, and every turn needs the other {len(facts) - protected - pointers}"
    )


def _kept(facts: EntryFacts, reason: str, observer: Observer) -> str:
    if facts.stub:
        return f"pointer, full text in cold, {days(facts.age(observer.now))} old"
    if facts.protected:
        return f"stays: {protection(facts)}"
    if observer.is_state(facts):
        left = max(observer.ages.state_ttl - facts.age(observer.now), timedelta(0))
        return f"leaves in {days(left)}: a record of what was"
    return f"stays: {reason}"
