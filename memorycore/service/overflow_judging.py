"""Second opinions for overflow: shorter wordings (S1) and dormant topics (S4)."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memorycore.errors import JudgeError
from memorycore.model.limits import HotAges
from memorycore.model.routing import Route
from memorycore.policy.activity import QUERY_KIND, Topic, dormancy_of
from memorycore.policy.overflow.coverage import covers
from memorycore.policy.overflow.facts import Dormancy, EntryFacts
from memorycore.policy.overflow.signals import Observer
from memorycore.policy.validation import splits_hot_file
from memorycore.ports.cold import Vector
from memorycore.ports.judging import Judge
from memorycore.ports.local import ActivityLog
from memorycore.service.vectors import Vectors

_log = logging.getLogger(__name__)

COMPRESSIONS = 2
"""Most entries a judge is asked to shorten in one planning."""

JUDGED_TOPICS = 6
"""Most topics whose dormancy is judged in one planning; three may become pointers."""

EVIDENCE_QUERIES = 50
"""Queries the window must hold before their silence means anything."""

JUDGE_QUERIES = 10
"""Queries a language model must see before it may call a topic dormant."""

LATEST_QUERIES = 300
"""Most queries of the window that are looked at, the latest."""


class Judging:
    """Asks the judge, or the query log when there is none. Without either it says nothing.

    Args:
        judge: A language model, or None.
        activity: The log of recent queries, or None when it is switched off.
        vectors: Embeds entries and queries where no judge decides.
        ages: How far back the window reaches.
    """

    def __init__(
        self,
        judge: Judge | None,
        activity: ActivityLog | None,
        vectors: Vectors | None,
        *,
        ages: HotAges,
    ) -> None:
        self._judge = judge
        self._activity = activity
        self._vectors = vectors
        self._ages = ages

    def shortened(self, facts: list[EntryFacts], observer: Observer) -> list[EntryFacts]:
        """Return the facts with what the judge made of long idle entries."""
        if self._judge is None:
            return facts
        long = [
            item
            for item in facts
            if observer.compressible(item) and item.classification.route is Route.HOT
        ]
        shorter = {item.key: _shorter(self._judge, item.entry.text) for item in long[:COMPRESSIONS]}
        return [replace(item, compressed=shorter.get(item.key)) for item in facts]

    def judged(self, facts: list[EntryFacts], observer: Observer) -> list[EntryFacts]:
        """Return the facts with the verdict on topics that have long been idle."""
        idle = sorted(
            (item for item in facts if observer.stubbable(item)),
            key=lambda item: item.meta.updated_at,
        )[:JUDGED_TOPICS]
        if self._activity is None or not idle:
            return facts
        since = observer.now - self._ages.activity_window
        notes = self._activity.since(since, kind=QUERY_KIND)[-LATEST_QUERIES:]
        verdicts = self._verdicts(idle, facts, [note.text for note in notes])
        return [
            replace(item, dormancy=verdicts[item.key][0], dormancy_reason=verdicts[item.key][1])
            if item.key in verdicts
            else item
            for item in facts
        ]

    def _verdicts(
        self, idle: Sequence[EntryFacts], facts: Sequence[EntryFacts], queries: Sequence[str]
    ) -> Mapping[str, tuple[Dormancy, str]]:
        if self._judge is not None and len(queries) >= JUDGE_QUERIES:
            return {item.key: _verdict(self._judge, item.entry.text, queries) for item in idle}
        if len(queries) < EVIDENCE_QUERIES:
            reason = f"{len(queries)} queries in the window are too few to call a topic dormant"
            return {item.key: (Dormancy.UNKNOWN, reason) for item in idle}
        vectors = self._embedded([*(item.entry.text for item in facts), *queries])
        topics = {item.key: _topic(item.entry.text, vectors) for item in facts}
        asked = [_topic(query, vectors) for query in queries]
        return {item.key: dormancy_of(topics[item.key], [*topics.values()], asked) for item in idle}

    def _embedded(self, texts: Sequence[str]) -> Mapping[str, Vector | None]:
        if self._vectors is None:
            return {}
        return dict(zip(texts, self._vectors.passages(texts), strict=True))


def _topic(text: str, vectors: Mapping[str, Vector | None]) -> Topic:
    return Topic(text, vectors.get(text))


def _verdict(judge: Judge, text: str, queries: Sequence[str]) -> tuple[Dormancy, str]:
    try:
        dormant = judge.dormant(text, queries)
    except JudgeError as error:
        _log.warning("judge_failed question=dormant reason=%s", error)
        return Dormancy.UNKNOWN, "the judge gave no answer: counts as active"
    if dormant:
        return Dormancy.DORMANT, f"the judge found none of {len(queries)} queries to touch it"
    return Dormancy.ACTIVE, "the judge found it among the recent queries"


def _shorter(judge: Judge, text: str) -> str | None:
    limit = len(text) // 2
    try:
        shorter = judge.compress(text, limit=limit).strip()
    except JudgeError as error:
        _log.warning("judge_failed question=compress reason=%s", error)
        return None
    usable = shorter and len(shorter) <= limit and not splits_hot_file(shorter)
    return shorter if usable and covers(shorter, text) else None
