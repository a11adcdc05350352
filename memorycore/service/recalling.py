"""Recall: find what is meant, say nothing when nothing fits, bring back what age took away."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from memorycore.errors import ColdTierError
from memorycore.model.limits import Retention
from memorycore.model.memory import GLOBAL_SCOPE, Memory, Provenance
from memorycore.model.results import Hit, RecallResult
from memorycore.policy.calibration import rebased
from memorycore.policy.ranking import Evidence, Ranked, rank, standing
from memorycore.policy.ranking_words import Coverage, WordWeights, weigh
from memorycore.policy.recall_prior import RecallPrior
from memorycore.policy.tokens import held_tokens, query_groups, query_tokens
from memorycore.ports import (
    Candidate,
    Clock,
    ColdRepository,
    RecallQuery,
    Revive,
    SearchRequest,
    Vector,
)
from memorycore.service.store_model import StoreModel
from memorycore.service.vector_spaces import VectorSpaces, View
from memorycore.service.vectors import Vectors

log = logging.getLogger(__name__)

POOL = 32
"""Candidates each kind of evidence gives, at least."""

ABOUT_POOL = 400
"""Memories that name a subject, looked at when recall is limited to it."""

ANSWERS = 0.5
"""Share of the best score from which a hit counts as recalled: what only fills the list was not used."""

MAX_QUERY = 4000
"""Characters of a query that are read."""

REVIVED = Provenance("recall", "recall", "the best answer to a query lay in the trash")


class Recaller:
    """Searches one repository; thread-safe."""

    def __init__(
        self,
        repository: ColdRepository,
        vectors: Vectors,
        *,
        model: StoreModel,
        clock: Clock,
        prior: RecallPrior | None = None,
        retention: Retention | None = None,
    ) -> None:
        self._repository = repository
        self._vectors = vectors
        self._model = model
        self._clock = clock
        self._prior = prior or RecallPrior()
        self._half_life: timedelta = (retention or Retention()).decay_half_life
        self._spaces = VectorSpaces(repository, self._prior.space)

    def recall(self, query: RecallQuery, *, beside: Sequence[Candidate] = ()) -> RecallResult:
        """Return the memories that answer `query`, best first, or none.

        `beside` are candidates of another place, such as hot entries, ranked together with the store's.

        Raises:
            ColdTierError: The store cannot be read.
        """
        text = query.text[:MAX_QUERY].strip()
        if not text or query.top_k < 1:
            return RecallResult(query.text, (), abstained=True, degraded=self._model.degraded())
        vector = None if self._model.mismatch() else self._vectors.query(text)
        degraded = None
        if vector is None:
            degraded = self._model.degraded() or "keyword-only: the embedder gave no vector"
        now = self._clock.now()
        view = self._view() if vector is not None else None
        candidates = [*self._candidates(replace(query, text=text), vector, view), *beside]
        evidence, covered, rows = self._evidence(candidates, text=text, vector=vector, view=view)
        ranked = rank(
            evidence,
            self._prior.weights,
            now=query.as_of or now,
            half_life=self._half_life,
            dense=vector is not None,
        )
        chosen = _chosen(self._standing(text, ranked, vector, view, rows=rows + len(beside)))
        revived = self._revive(chosen, now) if query.revive and query.as_of is None else None
        live = [one for one in chosen if not one.evidence.trashed or one is revived][: query.top_k]
        hits = tuple(
            _hit(one, covered, explain=query.explain, revived=one is revived) for one in live
        )
        if hits and query.count and query.as_of is None:
            self._note(hits, now)
        return RecallResult(query.text, hits, abstained=not hits, degraded=degraded)

    def _standing(
        self,
        text: str,
        ranked: Sequence[Ranked],
        vector: Vector | None,
        view: View | None,
        *,
        rows: int,
    ) -> Sequence[Ranked]:
        """Return what answers: all that is near when an overview is asked for, else what stands above the noise."""
        weights = self._prior.weights
        if self._prior.overview.asked_by(text):
            return ranked
        return standing(
            ranked,
            weights,
            lift=view.lift(vector, subject=weights.subject) if view and vector is not None else 0.0,
            dense=vector is not None,
            measured=view is None or view.space is not None,
            rows=rows,
        )

    def _candidates(
        self, query: RecallQuery, vector: Vector | None, view: View | None
    ) -> Sequence[Candidate]:
        scopes = tuple(dict.fromkeys((GLOBAL_SCOPE, query.scope or GLOBAL_SCOPE)))
        request = SearchRequest(
            text=query.text,
            vector=vector,
            author=query.author,
            scopes=scopes,
            limit=max(POOL, 2 * query.top_k),
            as_of=query.as_of,
            trashed=query.revive and query.as_of is None,
            projection=view.projection if view else None,
        )
        if not query.about:
            return self._repository.search(request)
        subject = frozenset(query_tokens(query.about))
        named = self._repository.search(replace(request, text=query.about, limit=ABOUT_POOL))
        return [one for one in named if subject <= held_tokens(one.memory.content)]

    def _view(self) -> View | None:
        embedder = self._vectors.embedder
        return self._spaces.current(embedder.model) if embedder else None

    def _evidence(
        self,
        candidates: Sequence[Candidate],
        *,
        text: str,
        vector: Vector | None,
        view: View | None,
    ) -> tuple[list[Evidence], dict[str, Coverage], int]:
        """Return the evidence, which words each candidate holds, and how many memories there are."""
        groups = query_groups(text)
        counted = self._repository.token_statistics(query_tokens(text))
        weights = WordWeights(counted.rows, counted.frequencies, self._prior.common)
        asked = weigh(groups, weights)
        covered = {one.memory.id: asked.cover(_words(one)) for one in candidates}
        similar = _similarities(vector, view, candidates)
        evidence = [
            Evidence(
                memory=one.memory,
                similarity=similar.get(one.memory.id),
                coverage=covered[one.memory.id].share,
                trashed=one.trashed is not None,
            )
            for one in candidates
        ]
        return evidence, covered, counted.rows

    def _revive(self, chosen: Sequence[Ranked], now: datetime) -> Ranked | None:
        if not chosen or not chosen[0].evidence.trashed:
            return None
        first = chosen[0]
        try:
            self._repository.apply([Revive(first.evidence.memory.id)], provenance=REVIVED, at=now)
        except ColdTierError as fault:
            log.warning("recall.revive_failed id=%s cause=%s", first.evidence.memory.id, fault)
            return None
        return first

    def _note(self, hits: Sequence[Hit], now: datetime) -> None:
        """Count the recall of what answered; a store that cannot be written now must still be readable."""
        answering = [hit.id for hit in hits if hit.score >= ANSWERS * hits[0].score]
        try:
            self._repository.note_recalled(answering, at=now)
        except ColdTierError as fault:
            log.info("recall.not_counted cause=%s", fault)


def _words(one: Candidate) -> frozenset[str]:
    """Return the tokens of a candidate; those that only their vectors brought share no words worth a look."""
    if one.keyword is None and one.dense is not None:
        return frozenset()
    return held_tokens(one.memory.content)


def _similarities(
    vector: Vector | None, view: View | None, candidates: Sequence[Candidate]
) -> dict[str, float]:
    if vector is None or view is None:
        return {}
    known = [one for one in candidates if one.vector is not None and len(one.vector) == len(vector)]
    if not known:
        return {}
    matrix = np.stack([one.vector for one in known if one.vector is not None])
    space = view.space
    scores = rebased(matrix @ vector) if space is None else space.similarities(vector, matrix)
    return {one.memory.id: float(score) for one, score in zip(known, scores, strict=True)}


def _chosen(placed: Sequence[Ranked]) -> list[Ranked]:
    """Keep the live ones, and of the trash only the one that beats every live memory."""
    return [one for place, one in enumerate(placed) if place == 0 or not one.evidence.trashed]


def _hit(one: Ranked, covered: dict[str, Coverage], *, explain: bool, revived: bool) -> Hit:
    memory: Memory = one.evidence.memory
    similarity = one.evidence.similarity
    return Hit(
        id=memory.id,
        content=memory.content,
        score=round(one.score, 4),
        dense_score=None if similarity is None else round(similarity, 4),
        keyword_score=round(one.evidence.coverage, 4),
        importance=memory.importance,
        created_at=memory.created_at,
        last_recalled=memory.last_recalled,
        revived=revived,
        why=_reasons(one, covered[memory.id]) if explain else (),
    )


def _reasons(one: Ranked, coverage: Coverage) -> tuple[str, ...]:
    reasons = []
    if one.evidence.similarity is not None:
        reasons.append(f"similar in meaning: {one.evidence.similarity:.2f}")
    if coverage.words:
        reasons.append(
            f"holds {', '.join(coverage.words)} ({coverage.share:.0%} of the query's weight)"
        )
    if one.freshness < 0.95:
        reasons.append(f"not touched lately: freshness {one.freshness:.2f}")
    if one.use > 0:
        reasons.append(f"recalled {one.evidence.memory.recall_count} times before")
    if one.evidence.trashed:
        reasons.append("lay in the trash")
    return tuple(reasons)
