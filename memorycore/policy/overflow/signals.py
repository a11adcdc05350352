"""The signals S1 to S6 and the TTL: what each sees of one entry, and whether it lets the entry go."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memorycore.model.hot import Origin
from memorycore.model.limits import HotAges
from memorycore.model.plan import Signal
from memorycore.model.routing import EntryType, Route
from memorycore.policy.overflow.facts import PROTECTED_IMPORTANCE, Dormancy, EntryFacts, Warmth

COMPRESS_FROM = 200
"""Characters above which an idle entry may be said in fewer words."""

STALE_CONFIDENCE = 0.6
"""Below this the classifier's `stale` is doubted: the entry goes to the cold store instead of the trash."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Looks at entries at one moment."""

    ages: HotAges
    now: datetime

    def expired(self, facts: EntryFacts) -> bool:
        """TTL: a record of what was has stood long enough. Rules never leave by age."""
        return self.is_state(facts) and facts.age(self.now) >= self.ages.state_ttl

    def is_state(self, facts: EntryFacts) -> bool:
        """Whether the TTL runs for the entry."""
        return facts.meta.type is EntryType.STATE and not facts.needed

    def completed(self, facts: EntryFacts) -> bool:
        """S2: an old finished record that was taken for a rule."""
        return (
            facts.completed is not None
            and facts.meta.type is EntryType.RULE
            and not facts.needed
            and not facts.classification.behavioural
        )

    def redundant(self, facts: EntryFacts) -> bool:
        """S5: the cold store says the same, and nobody has touched the hot copy for long."""
        idle = facts.idle(self.now) >= self.ages.redundant_idle
        return facts.redundant_with is not None and idle and not facts.needed and not facts.stub

    def compressible(self, facts: EntryFacts) -> bool:
        """S1: long and idle; behaviour and protected text are never reworded."""
        return (
            facts.size > COMPRESS_FROM
            and facts.idle(self.now) >= self.ages.compress_idle
            and not (facts.protected or facts.stub or facts.classification.behavioural)
        )

    def stubbable(self, facts: EntryFacts) -> bool:
        """S1 and S4: idle long enough, and its topic may be asked about; who the user is never is."""
        return facts.idle(self.now) >= self.ages.stub_idle and not (
            facts.protected or facts.stub or facts.identity
        )

    def dormant(self, facts: EntryFacts) -> bool:
        """S4: idle, and the recent queries show that nobody asks about its topic."""
        return self.stubbable(facts) and facts.dormancy is Dormancy.DORMANT

    def collectable(self, facts: EntryFacts) -> bool:
        """A pointer that has stood for longer than a day."""
        return facts.stub and facts.age(self.now) > self.ages.stub_collect

    def stale(self, facts: EntryFacts) -> bool:
        """The entry holds nothing that outlasts its event."""
        return facts.classification.route is Route.STALE and not (facts.needed or facts.stub)

    def surely_stale(self, facts: EntryFacts) -> bool:
        """Stale beyond doubt: it may go to the trash."""
        sure = facts.classification.confidence >= STALE_CONFIDENCE
        return self.stale(facts) and sure and not facts.taste

    def cold(self, facts: EntryFacts) -> bool:
        """The entry can be recalled when it is needed; a text just promoted is given a day."""
        fresh = (
            facts.meta.origin is Origin.PROMOTED and facts.age(self.now) < self.ages.stub_collect
        )
        return not (facts.needed or facts.stub or fresh)

    def looked_up(self, facts: EntryFacts) -> bool:
        """The entry serves one machine or tool, or the classifier doubts it; under hard pressure it may go."""
        return facts.warmth is Warmth.LOOKED_UP and self._replaceable(facts)

    def topical(self, facts: EntryFacts) -> bool:
        """The entry serves turns about one topic; it may go while the file is under pressure."""
        return facts.warmth is Warmth.TOPICAL and self._replaceable(facts)

    def _replaceable(self, facts: EntryFacts) -> bool:
        return not (facts.protected or facts.identity or facts.stub)

    def explain(self, facts: EntryFacts, *, merged: str = "") -> dict[str, str]:
        """Return what each signal sees of the entry, in words; `merged` is why it could be merged, if it could."""
        return {
            Signal.TTL.value: self._ttl_words(facts),
            Signal.IDLE.value: f"unchanged for {days(facts.idle(self.now))}",
            Signal.COMPLETED.value: facts.completed or "no old finished record",
            Signal.SAME_TOPIC.value: merged or "no other entry says the same",
            Signal.DORMANT.value: facts.dormancy_reason or "topic not judged: counts as active",
            Signal.REDUNDANT.value: self._redundant_words(facts),
            Signal.PROTECTED.value: protection(facts) or "not protected",
        }

    def _redundant_words(self, facts: EntryFacts) -> str:
        if facts.redundant_with is not None:
            return f"cold memory {facts.redundant_with} says the same"
        if facts.needed or facts.idle(self.now) < self.ages.redundant_idle:
            return (
                f"not looked for: asked of entries unchanged for {days(self.ages.redundant_idle)}"
            )
        return "no equivalent cold memory"

    def _ttl_words(self, facts: EntryFacts) -> str:
        if facts.stub:
            return "a pointer: the TTL does not run"
        if facts.meta.type is EntryType.RULE:
            return "a rule: age never moves it"
        if facts.needed:
            return "a lasting fact every turn needs: age never moves it"
        left = self.ages.state_ttl - facts.age(self.now)
        return "over" if left <= timedelta(0) else f"{days(left)} left"


def protection(facts: EntryFacts) -> str:
    """Say why the entry is protected; empty when it is not."""
    if not facts.protected or facts.withheld:
        return facts.withheld
    if facts.classification.protected:
        return facts.classification.reasons[0] if facts.classification.reasons else "red line"
    if facts.meta.importance >= PROTECTED_IMPORTANCE:
        return f"importance {facts.meta.importance:.2f}"
    return "was stored as protected"


def days(span: timedelta) -> str:
    """Say a span in days, in hours below one."""
    hours = int(span.total_seconds() // 3600)
    if hours < 24:
        return f"{hours} h"
    return f"{hours // 24} day" + ("s" if hours >= 48 else "")
