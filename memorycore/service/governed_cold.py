"""The cold tier over rows this process governs: every write is compared with what it is close to."""

import logging
from dataclasses import dataclass
from datetime import datetime

from memorycore.errors import ColdConflictError, JudgeError, UnknownMemoryError
from memorycore.model.limits import ColdLimits
from memorycore.model.memory import Memory, Provenance, TrashedMemory, TrashReason
from memorycore.model.relation import Match
from memorycore.model.results import ColdUsage, RecallResult
from memorycore.policy.cold_write import (
    AddNew,
    Decision,
    Neighbour,
    Replace,
    came_first,
    plan_cold_write,
)
from memorycore.policy.merging import merge
from memorycore.policy.overflow.anchor import ANCHOR_SOURCE
from memorycore.policy.relation.comparing import Comparer, is_ambiguous
from memorycore.policy.text import content_hash
from memorycore.ports import (
    Clock,
    ColdRepository,
    Discard,
    Draft,
    Judge,
    Outcome,
    RecallQuery,
    Remembered,
    Revise,
    SearchRequest,
    Vector,
)
from memorycore.service.cold_steps import ColdSteps, Steps
from memorycore.service.recalling import Recaller

log = logging.getLogger(__name__)

NEIGHBOURS = 6
"""Prominent memories each kind of search gives to compare a new text with; hardly ever are there more."""

TRIES = 3
"""Attempts when another process changes a row between the look and the write."""


@dataclass(frozen=True, slots=True)
class ColdRules:
    """What the governed write decides by."""

    comparer: Comparer
    judge: Judge | None
    limits: ColdLimits


class GovernedCold:
    """Implements `ColdStore` over a `ColdRepository`."""

    def __init__(
        self,
        repository: ColdRepository,
        *,
        backend: str,
        rules: ColdRules,
        steps: ColdSteps,
        recaller: Recaller,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._backend = backend
        self._rules = rules
        self._steps = steps
        self._vectors = steps.vectors
        self._model = steps.model
        self._recaller = recaller
        self._clock = clock

    def remember(self, draft: Draft) -> Remembered:
        """Keep a text: insert, recognise, merge or supersede, in one transaction."""
        for attempt in range(TRIES):
            try:
                return self._remember(draft)
            except ColdConflictError as fault:
                if attempt == TRIES - 1:
                    raise
                log.warning("cold.conflict attempt=%s cause=%s", attempt + 1, fault)
        raise AssertionError(TRIES)

    def recall(self, query: RecallQuery) -> RecallResult:
        """Find what is relevant."""
        return self._recaller.recall(query)

    def update(self, memory_id: str, content: str, *, provenance: Provenance) -> Remembered:
        """Replace a memory's text in place; the old one ends as a revision.

        Raises:
            UnknownMemoryError: No live memory has that id.
        """
        memory = self._repository.get([memory_id]).get(memory_id)
        if memory is None:
            message = f"there is no live memory {memory_id}"
            raise UnknownMemoryError(message)
        vector = self._model.accept(self._vectors.passage(content))
        change = Revise(memory_id, content, vector, memory.importance, memory.revision)
        self._repository.apply([change], provenance=provenance, at=self._clock.now())
        return Remembered(Outcome.MERGED, memory_id, content, provenance.reason)

    def forget(self, memory_id: str, *, reason: TrashReason, provenance: Provenance) -> bool:
        """Move a memory to the trash."""
        if memory_id not in self._repository.get([memory_id]):
            return False
        now = self._clock.now()
        change = Discard(memory_id, reason, self._steps.expiry(now), note=provenance.reason)
        self._repository.apply([change], provenance=provenance, at=now)
        return True

    def read(self, memory_id: str) -> str | None:
        """Return the live text under an id."""
        memory = self._repository.get([memory_id]).get(memory_id)
        return memory.content if memory else None

    def stats(self) -> ColdUsage:
        """Return counts and health."""
        counts = self._repository.counts()
        recorded = self._model.recorded()
        return ColdUsage(
            backend=self._backend,
            live=counts.live,
            trashed=counts.trashed,
            pending_vectors=counts.pending_vectors,
            queued=0,
            bytes=counts.bytes,
            soft_limit=self._rules.limits.soft,
            hard_limit=self._rules.limits.hard,
            embedder=recorded[0] if recorded else None,
            degraded=self._model.degraded(),
        )

    def discard(self, draft: Draft, *, reason: TrashReason) -> str:
        """Put a text straight into the trash, whole and recoverable; return its id."""
        digest = content_hash(draft.content)
        known = self._repository.find(digest, author=draft.author, scope=draft.scope)
        if known is not None:
            return known.id
        now = self._clock.now()
        trashed = self._trashed(digest, draft)
        steps = self._steps.discard(draft, reason, trashed=trashed, at=now)
        return self._write(steps, draft, now).memory_id

    def outdated_by(self, draft: Draft) -> tuple[Memory, ...]:
        """Return the live memories whose value `draft` replaces, without writing anything."""
        match self._decide(draft, self._clock.now()):
            case Replace(memories=memories):
                return memories
            case _:
                return ()

    def _remember(self, draft: Draft) -> Remembered:
        now = self._clock.now()
        digest = content_hash(draft.content)
        known = self._repository.find(digest, author=draft.author, scope=draft.scope)
        trashed = self._trashed(digest, draft) if known is None else None
        known = known or self._joined(trashed)
        if known is not None:
            return self._write(self._steps.confirm(known, draft), draft, now)
        decision = self._decide(draft, draft.created_at or now)
        return self._write(self._steps.of(decision, draft, trashed=trashed, at=now), draft, now)

    def _trashed(self, digest: str, draft: Draft) -> TrashedMemory | None:
        return self._repository.find_trashed(digest, author=draft.author, scope=draft.scope)

    def _joined(self, trashed: TrashedMemory | None) -> Memory | None:
        """Return the live memory into which the very same text was merged before."""
        if trashed is None or trashed.reason is not TrashReason.MERGED:
            return None
        successor = trashed.successor_id
        return self._repository.get([successor]).get(successor) if successor else None

    def _decide(self, draft: Draft, told_at: datetime) -> Decision:
        if draft.source == ANCHOR_SOURCE:
            return AddNew("a digest of memories that are kept besides it")
        vector = self._model.accept(self._vectors.passage(draft.content))
        request = SearchRequest(
            draft.content,
            vector,
            draft.author,
            (draft.scope,),
            limit=NEIGHBOURS,
            prominent=True,
        )
        neighbours = [
            self._relate(found.memory, found.vector, draft.content, vector, told_at=told_at)
            for found in self._repository.search(request)
            if found.memory.source != ANCHOR_SOURCE
        ]
        return plan_cold_write(draft.content, neighbours, merge=merge)

    def _relate(
        self,
        memory: Memory,
        memory_vector: Vector | None,
        text: str,
        vector: Vector | None,
        *,
        told_at: datetime,
    ) -> Neighbour:
        older = came_first(memory, told_at=told_at)
        pair = [(memory.content, memory_vector), (text, vector)]
        (first, first_vector), (second, second_vector) = pair if older else reversed(pair)
        match = self._rules.comparer.compare(
            first, second, older_vector=first_vector, newer_vector=second_vector
        )
        return Neighbour(memory, self._second_opinion(match, first, second), older)

    def _second_opinion(self, match: Match, older: str, newer: str) -> Match:
        if self._rules.judge is None or not is_ambiguous(match):
            return match
        try:
            relation = self._rules.judge.relation(older, newer)
        except JudgeError as fault:
            log.warning("judge.failed question=relation cause=%s", fault)
            return match
        return Match(relation, match.score, f"the judge decided: {relation.value}")

    def _write(self, steps: Steps, draft: Draft, at: datetime) -> Remembered:
        changes, answer = steps
        self._repository.apply(changes, provenance=draft.provenance, at=at)
        return answer
