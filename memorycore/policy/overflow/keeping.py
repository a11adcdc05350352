"""Why an entry stays, in words."""

from memorycore.model.plan import Signal
from memorycore.model.routing import Route
from memorycore.policy.overflow.facts import EntryFacts
from memorycore.policy.overflow.signals import Observer, days, protection


def reason_to_stay(facts: EntryFacts, observer: Observer) -> tuple[tuple[Signal, ...], str]:
    """Return the signals that keep an entry and the reason to show."""
    if facts.protected:
        return (Signal.PROTECTED,), f"protected: {protection(facts)}"
    if facts.stub:
        return (
            (),
            f"a pointer, {days(facts.age(observer.now))} old; its full text is in the cold store",
        )
    if facts.needed and facts.classification.route is not Route.HOT:
        return (), "says who the user is"
    if facts.needed:
        reasons = facts.classification.reasons
        return (), reasons[0] if reasons else "every turn needs it"
    return (), "may leave when there is pressure; there is room for it now"
