"""Recall over both tiers: the cold store, and what stands in the hot files."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from memorycore.errors import ColdTierError, HotTierError, InvalidInputError
from memorycore.model.hot import HotEntry
from memorycore.model.memory import GLOBAL_SCOPE, LOCAL_AUTHOR, Memory
from memorycore.model.results import Hit, RecallResult
from memorycore.model.routing import EntryType, Target
from memorycore.policy.text import content_hash
from memorycore.policy.tokens import held_tokens, query_tokens
from memorycore.policy.validation import is_broken
from memorycore.ports import Candidate, Clock, ColdStore, Draft, RecallQuery
from memorycore.service.activity import ActivityNotes
from memorycore.service.hot_tier import HotTier
from memorycore.service.recalling import Recaller
from memorycore.service.vectors import Vectors

log = logging.getLogger(__name__)

MOST = 100
"""Most hits one recall may ask for."""

MOST_QUEUED = 200
"""Texts in the outbox that are searched, the newest of them: more wait only when a remote is down for long."""

Promote = Callable[[str], object]
"""Brings the pointer to a recalled memory back to full text where there is room."""


Waiting = Callable[[], Sequence[tuple[str, Draft]]]
"""Returns the texts in the outbox with the ids of their items, oldest first."""


def nothing_waits() -> Sequence[tuple[str, Draft]]:
    """Return what an empty outbox holds."""
    return ()


class Finding:
    """Recalls. `local` ranks; `remote` is the cold tier when it is another service, else None.

    What waits for the remote is found like everything else.
    """

    def __init__(
        self,
        *,
        local: Recaller,
        remote: ColdStore | None,
        hot: HotTier,
        vectors: Vectors,
        notes: ActivityNotes,
        promote: Promote,
        clock: Clock,
        waiting: Waiting = nothing_waits,
    ) -> None:
        self._local = local
        self._remote = remote
        self._hot = hot
        self._vectors = vectors
        self._notes = notes
        self._promote = promote
        self._clock = clock
        self._waiting = waiting

    def recall(self, query: RecallQuery) -> RecallResult:
        """Find what is relevant in both tiers.

        Raises:
            InvalidInputError: `top_k` is out of range, `as_of` is naive or the query is no text.
        """
        _check(query)
        entries = [entry for target in Target for entry in self._entries(target)]
        found = self._local.recall(query, beside=self._candidates(entries, query))
        if self._remote is not None:
            found = self._with_remote(found, query)
        if query.count:
            self._notes.note_query(query.text)
            self._promote_pointers(entries, found)
        return found

    def _promote_pointers(self, entries: Sequence[HotEntry], found: RecallResult) -> None:
        pointers = {one.meta.memory_id for one in entries if one.meta and _is_stub(one)}
        for hit in found.hits:
            if hit.id in pointers:
                try:
                    self._promote(hit.id)
                except (HotTierError, ColdTierError, InvalidInputError) as fault:
                    log.warning("recall.promotion_failed id=%s cause=%s", hit.id, fault)

    def _with_remote(self, local: RecallResult, query: RecallQuery) -> RecallResult:
        if self._remote is None:
            return local
        try:
            far = self._remote.recall(query)
        except ColdTierError as fault:
            log.warning("recall.remote_failed cause=%s", fault)
            return replace(local, degraded=f"without the remote cold tier: {fault}")
        seen = {content_hash(hit.content) for hit in far.hits}
        near = [hit for hit in local.hits if content_hash(hit.content) not in seen]
        hits = sorted([*far.hits, *near], key=_by_score)[: query.top_k]
        return RecallResult(query.text, tuple(hits), abstained=not hits, degraded=far.degraded)

    def _candidates(self, entries: Sequence[HotEntry], query: RecallQuery) -> list[Candidate]:
        if query.author != LOCAL_AUTHOR:
            return []
        full = [entry for entry in entries if not _is_stub(entry) and _fits(entry, query)]
        memories = [self._as_memory(entry) for entry in full]
        memories += [memory for memory in self._queued() if _may_see(memory, query)]
        vectors = self._vectors.passages([memory.content for memory in memories])
        return [
            Candidate(memory, None, None, vector=vector)
            for memory, vector in zip(memories, vectors, strict=True)
        ]

    def _queued(self) -> list[Memory]:
        try:
            waiting = self._waiting()[-MOST_QUEUED:]
        except ColdTierError as fault:
            log.warning("recall.outbox_unreadable cause=%s", fault)
            return []
        now = self._clock.now()
        return [_waiting_memory(item_id, draft, now) for item_id, draft in waiting]

    def _entries(self, target: Target) -> tuple[HotEntry, ...]:
        try:
            return self._hot.reconcile(target).entries
        except HotTierError as fault:
            log.warning("recall.hot_unreadable target=%s cause=%s", target.value, fault)
            return ()

    def _as_memory(self, entry: HotEntry) -> Memory:
        now = self._clock.now()
        told = entry.meta.written_at if entry.meta else now
        return Memory(
            id=entry.key,
            content=entry.text,
            author=LOCAL_AUTHOR,
            scope=GLOBAL_SCOPE,
            importance=entry.meta.importance if entry.meta else 0.5,
            type=entry.meta.type if entry.meta else EntryType.RULE,
            protected=entry.meta.protected if entry.meta else False,
            source="hot file",
            created_at=told,
            updated_at=told,
            confirmed_at=now,
        )


def _check(query: RecallQuery) -> None:
    text: object = query.text
    if not isinstance(text, str):
        message = f"the query must be text, not {type(text).__name__}"
        raise InvalidInputError(message)
    if is_broken(query.text):
        message = "the query holds broken Unicode (a lone surrogate); send it as valid UTF-8"
        raise InvalidInputError(message)
    if not 1 <= query.top_k <= MOST:
        message = f"top_k must be between 1 and {MOST}, not {query.top_k}"
        raise InvalidInputError(message)
    if isinstance(query.as_of, datetime) and query.as_of.tzinfo is None:
        example = datetime(2026, 1, 31, tzinfo=UTC).isoformat()
        message = f"as_of must carry a time zone, as in {example}"
        raise InvalidInputError(message)


def _is_stub(entry: HotEntry) -> bool:
    return entry.meta is not None and entry.meta.type is EntryType.STUB


def _fits(entry: HotEntry, query: RecallQuery) -> bool:
    if query.as_of is not None and not (entry.meta and entry.meta.written_at <= query.as_of):
        return False
    subject = frozenset(query_tokens(query.about)) if query.about else frozenset()
    return subject <= held_tokens(entry.text)


def _may_see(memory: Memory, query: RecallQuery) -> bool:
    if memory.scope not in (GLOBAL_SCOPE, query.scope):
        return False
    if query.as_of is not None and memory.created_at > query.as_of:
        return False
    subject = frozenset(query_tokens(query.about)) if query.about else frozenset()
    return subject <= held_tokens(memory.content)


def _waiting_memory(item_id: str, draft: Draft, now: datetime) -> Memory:
    told = draft.created_at or now
    return Memory(
        id=item_id,
        content=draft.content,
        author=draft.author,
        scope=draft.scope,
        importance=draft.importance,
        type=draft.type,
        protected=draft.protected,
        source="outbox",
        created_at=told,
        updated_at=told,
        confirmed_at=told,
    )


def _by_score(hit: Hit) -> float:
    return -hit.score
