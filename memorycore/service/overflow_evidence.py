"""Gathering what planning an overflow needs to know, before any lock is taken."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from memorycore.errors import ColdTierError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot
from memorycore.model.limits import HotAges
from memorycore.model.relation import Relation
from memorycore.model.routing import Route, Screening, Target, Verdict
from memorycore.policy.markers import Lexicon
from memorycore.policy.overflow.coverage import covers
from memorycore.policy.overflow.facts import (
    EntryFacts,
    MergeProposal,
    OverflowView,
    Sentence,
    Warmth,
)
from memorycore.policy.overflow.ladder import Ladder
from memorycore.policy.overflow.recheck import old_completion
from memorycore.policy.overflow.signals import Observer
from memorycore.policy.overflow.splitting import is_long, parts_of
from memorycore.policy.overflow.warmth import tells_identity, warmth_of
from memorycore.ports.ambient import Clock
from memorycore.ports.cold_store import ColdStore, RecallQuery
from memorycore.ports.judging import Judge
from memorycore.ports.local import ActivityLog
from memorycore.service.hot_tier import HotTier
from memorycore.service.overflow_judging import Judging
from memorycore.service.overflow_merging import Merging, Relating
from memorycore.service.vectors import Vectors

_log = logging.getLogger(__name__)

LOOK_UPS = 12
"""Most cold look-ups for redundancy in one planning."""

REMEMBERED = 2048
"""Entries of which is kept what depends on the text alone and takes milliseconds to read off it."""


Screen = Callable[[str], Screening]
"""Looks for secrets and injections in a text."""


@dataclass(frozen=True, slots=True)
class Insight:
    """Optional helpers of judgement; without them the signals that need them stay silent."""

    lexicon: Lexicon
    activity: ActivityLog | None = None
    vectors: Vectors | None = None
    judge: Judge | None = None
    screen: Screen | None = None


@dataclass(frozen=True, slots=True)
class _Nature:
    identity: bool
    taste: bool
    withheld: str


class Evidence:
    """Looks at the entries of a file: classes always, dearer signals only when the ladder opens them."""

    def __init__(
        self,
        tier: HotTier,
        cold: ColdStore,
        *,
        relating: Relating,
        insight: Insight,
        ages: HotAges,
        clock: Clock,
    ) -> None:
        self._tier = tier
        self._cold = cold
        self._relating = relating
        self._insight = insight
        self._ages = ages
        self._clock = clock
        self._merging = Merging(relating, insight.vectors)
        self._judging = Judging(insight.judge, insight.activity, insight.vectors, ages=ages)
        self._natures: dict[tuple[Target, str], _Nature] = {}
        self._warmth: dict[tuple[Target, str], Warmth] = {}

    def view(
        self, snapshot: HotSnapshot, ladder: Ladder, *, thorough: bool = False
    ) -> OverflowView:
        """Return the file with the facts on its entries.

        Args:
            snapshot: The file, reconciled.
            ladder: The steps that are open; what none of them needs is not looked at.
            thorough: Look at everything that asks no language model, as an explanation needs it.
        """
        now = self._clock.now()
        observer = Observer(self._ages, now)
        facts = self._classified(snapshot)
        merges: tuple[MergeProposal, ...] = ()
        if ladder.relieve or thorough:
            facts = [self._with_completion(item, now) for item in facts]
            facts = self._with_redundancy(facts, observer)
            facts = [self._with_sentences(item, snapshot.target) for item in facts]
            merges = self._merging.proposals(facts)
        if ladder.relieve:
            facts = self._judging.shortened(facts, observer)
        if ladder.urgent:
            facts = [self._with_warmth(item, snapshot.target) for item in facts]
            facts = self._judging.judged(facts, observer)
        return OverflowView(snapshot, tuple(facts), merges)

    def _classified(self, snapshot: HotSnapshot) -> list[EntryFacts]:
        return [
            self._facts_of(entry, entry.meta, snapshot.target)
            for entry in snapshot.entries
            if entry.meta is not None
        ]

    def _facts_of(self, entry: HotEntry, meta: EntryMeta, target: Target) -> EntryFacts:
        nature = self._nature(entry.text, target)
        return EntryFacts(
            entry=entry,
            meta=meta,
            classification=self._tier.classification(entry.text, target),
            identity=nature.identity,
            taste=nature.taste,
            withheld=nature.withheld,
        )

    def _nature(self, text: str, target: Target) -> _Nature:
        known = self._natures.get((target, text))
        if known is None:
            if len(self._natures) >= REMEMBERED:
                self._natures.clear()
            lexicon = self._insight.lexicon
            known = self._natures[target, text] = _Nature(
                identity=target is Target.USER and tells_identity(text, lexicon),
                taste=lexicon.has("preference", text),
                withheld=self._withheld(text),
            )
        return known

    def _withheld(self, text: str) -> str:
        found = self._insight.screen(text) if self._insight.screen else None
        if found is None or found.verdict is not Verdict.SECRET:
            return ""
        return f"holds a secret ({', '.join(found.kinds)}), which is copied nowhere; remove it"

    def _with_completion(self, facts: EntryFacts, now: datetime) -> EntryFacts:
        text, age = facts.entry.text, self._ages.recheck_age
        return replace(
            facts, completed=old_completion(text, self._insight.lexicon, now=now, age=age)
        )

    def _with_warmth(self, facts: EntryFacts, target: Target) -> EntryFacts:
        found = facts.classification
        if found.route is not Route.HOT or facts.protected:
            return facts
        known = self._warmth.get((target, facts.key))
        if known is None:
            if len(self._warmth) >= REMEMBERED:
                self._warmth.clear()
            known = self._warmth[target, facts.key] = warmth_of(
                facts.entry.text, found, self._insight.lexicon, target=target
            )
        return replace(facts, warmth=known)

    def _with_redundancy(self, facts: list[EntryFacts], observer: Observer) -> list[EntryFacts]:
        looked = 0
        result = []
        for item in facts:
            wanted = observer.redundant(replace(item, redundant_with="?")) and looked < LOOK_UPS
            looked += wanted
            twin = self._cold_twin(item.entry.text) if wanted else None
            result.append(replace(item, redundant_with=twin) if twin else item)
        return result

    def _cold_twin(self, text: str) -> str | None:
        query = RecallQuery(text, top_k=2, count=False, revive=False)
        try:
            hits = self._cold.recall(query).hits
        except ColdTierError as error:
            _log.warning("overflow_no_redundancy_check reason=%s", error)
            return None
        for hit in hits:
            match = self._relating.comparer.compare(text, hit.content)
            if match.relation is Relation.SAME and covers(hit.content, text):
                return hit.id
        return None

    def _with_sentences(self, facts: EntryFacts, target: Target) -> EntryFacts:
        if (
            target is not Target.USER
            or facts.protected
            or facts.stub
            or not is_long(facts.entry.text)
        ):
            return facts
        parts = parts_of(facts.entry.text)
        return replace(facts, sentences=tuple(self._sentence(part, target) for part in parts))

    def _sentence(self, text: str, target: Target) -> Sentence:
        found = self._tier.classification(text, target)
        core = found.protected or found.behavioural or found.route is Route.HOT
        return Sentence(text, core)
