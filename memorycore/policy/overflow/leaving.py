"""The ways an entry leaves: its action with signals and reason, and the order in which entries go."""

from collections.abc import Callable

from memorycore.model.plan import (
    Action,
    CollectStub,
    Compress,
    Demote,
    Discard,
    DropRedundant,
    Signal,
    Split,
    Stub,
)
from memorycore.model.routing import Route, Target
from memorycore.policy.overflow.facts import EntryFacts
from memorycore.policy.overflow.signals import Observer, days
from memorycore.policy.overflow.splitting import is_long, split_entry
from memorycore.policy.overflow.stubs import stub_text

MakeAction = Callable[[EntryFacts, Observer], Action]
"""Makes the action that takes an entry out."""

Order = Callable[[EntryFacts], tuple[float, ...]]
"""Sort key: what costs the reader least comes first."""


def expired(facts: EntryFacts, observer: Observer) -> Action:
    """The entry's time is over."""
    age = days(facts.age(observer.now))
    if observer.surely_stale(facts):
        reason = f"finished and without lasting content, {age} old"
        return Discard(facts.key, (Signal.TTL, Signal.STALE_CLASS), reason)
    return Demote(
        facts.key, (Signal.TTL,), f"a record of what was, {age} old: its time here is over"
    )


def stale(facts: EntryFacts, observer: Observer) -> Action:
    """The entry has no lasting content; in doubt it goes to the cold store."""
    because = _because(facts)
    if observer.surely_stale(facts):
        reason = f"nothing in it outlasts its event{because}"
        return Discard(facts.key, (Signal.STALE_CLASS, Signal.PRESSURE), reason)
    reason = f"probably nothing in it outlasts its event{because}"
    return Demote(facts.key, (Signal.STALE_CLASS, Signal.PRESSURE), reason)


def completed(facts: EntryFacts, _: Observer) -> Action:
    """An old finished record that was taken for a rule."""
    signals = (Signal.COMPLETED, Signal.TTL, Signal.PRESSURE)
    return Demote(facts.key, signals, facts.completed or "an old finished record")


def redundant(facts: EntryFacts, observer: Observer) -> Action:
    """The cold store says the same."""
    idle = days(facts.idle(observer.now))
    reason = f"the cold store says the same; unchanged here for {idle}"
    return DropRedundant(
        facts.key, facts.redundant_with or "", (Signal.REDUNDANT, Signal.PRESSURE), reason
    )


def cold_for(target: Target) -> MakeAction:
    """Return how an entry of `target` leaves that can be recalled when it is needed."""

    def action(facts: EntryFacts, observer: Observer) -> Action:
        if target is Target.USER and splittable(facts):
            return split(facts, observer)
        sure = f"{facts.classification.confidence:.0%} sure"
        reason = f"can be recalled when it is needed ({sure}){_because(facts)}"
        return Demote(facts.key, (Signal.COLD_CLASS, Signal.PRESSURE), reason)

    return action


def splittable(facts: EntryFacts) -> bool:
    """Whether the entry is long, unprotected, and has sentences of both kinds."""
    long = is_long(facts.entry.text) and not (facts.protected or facts.stub)
    return long and split_entry(facts.entry.text, facts.sentences) is not None


def split(facts: EntryFacts, _: Observer) -> Action:
    """Core sentences stay, the long tail sinks."""
    halves = split_entry(facts.entry.text, facts.sentences)
    kept, sunk = halves or (facts.entry.text, ())
    count = sum(not sentence.core for sentence in facts.sentences)
    reason = f"long: its core stays word for word, {count} sentence(s) sink"
    return Split(facts.key, kept, sunk, (Signal.COLD_CLASS, Signal.PRESSURE), reason)


def compressed_fits(facts: EntryFacts) -> bool:
    """Whether there is a shorter wording to use."""
    return facts.compressed is not None and not facts.protected


def compressed(facts: EntryFacts, observer: Observer) -> Action:
    """The same in fewer words; the full text sinks."""
    reason = f"long and unchanged for {days(facts.idle(observer.now))}: said in fewer words"
    return Compress(facts.key, facts.compressed or "", (Signal.IDLE, Signal.PRESSURE), reason)


def stubbed(facts: EntryFacts, observer: Observer) -> Action:
    """A pointer stays, the full text sinks."""
    idle = days(facts.idle(observer.now))
    reason = f"unchanged for {idle} and {facts.dormancy_reason or 'nobody asks about it'}"
    signals = (Signal.IDLE, Signal.DORMANT, Signal.PRESSURE)
    return Stub(facts.key, stub_text(facts.entry.text), signals, reason)


def collected(facts: EntryFacts, observer: Observer) -> Action:
    """An old pointer goes; its memory stays recallable."""
    reason = (
        f"a pointer, {days(facts.age(observer.now))} old; its full text stays in the cold store"
    )
    return CollectStub(facts.key, facts.meta.memory_id, (Signal.PRESSURE,), reason)


def topical(facts: EntryFacts, _: Observer) -> Action:
    """Only turns about its topic need it."""
    reason = "concerns one topic only: recalled when that comes up"
    return Demote(facts.key, (Signal.COLD_CLASS, Signal.PRESSURE), reason)


def forced(facts: EntryFacts, observer: Observer) -> Action:
    """The file stands above its budget and nothing else is left to move."""
    if observer.collectable(facts) or facts.stub:
        return collected(facts, observer)
    reason = "the file would stand above its budget and nothing colder is left"
    return Demote(facts.key, (Signal.PRESSURE,), reason)


def by_age(observer: Observer) -> Order:
    """Oldest first, larger before smaller."""

    def order(facts: EntryFacts) -> tuple[float, ...]:
        return (-facts.age(observer.now).total_seconds(), -facts.size)

    return order


def by_coldness(observer: Observer) -> Order:
    """Surest class first, in steps of a tenth, then longest unchanged, then largest."""

    def order(facts: EntryFacts) -> tuple[float, ...]:
        needed = facts.classification.needed
        sure = round(facts.classification.confidence if needed is None else 1.0 - needed, 1)
        behavioural = float(facts.classification.behavioural)
        return (behavioural, -sure, -facts.idle(observer.now).days, -facts.size)

    return order


def by_doubt(observer: Observer) -> Order:
    """What is needed least surely first: pointers, then taste before identity, longest unchanged, largest."""

    def order(facts: EntryFacts) -> tuple[float, ...]:
        found = facts.classification
        warmth = found.confidence if found.route is Route.HOT else 0.0
        warmth = warmth if found.needed is None else found.needed
        idle = facts.idle(observer.now).days
        return (float(not facts.stub), float(facts.identity), round(warmth, 1), -idle, -facts.size)

    return order


def by_size(facts: EntryFacts) -> tuple[float, ...]:
    """Largest first."""
    return (-facts.size,)


def _because(facts: EntryFacts) -> str:
    return f": {facts.classification.reasons[0]}" if facts.classification.reasons else ""
