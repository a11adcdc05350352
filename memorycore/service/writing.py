"""Storing a fact: validate, screen, type, route, make room, write, tell."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from memorycore.errors import HotTierError, InvalidInputError
from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot, Origin
from memorycore.model.memory import GLOBAL_SCOPE, LOCAL_AUTHOR, TrashReason
from memorycore.model.relation import Relation
from memorycore.model.results import StoreResult, StoreStatus, TierUsage
from memorycore.model.routing import Classification, EntryType, Route, Screening, Target, Verdict
from memorycore.policy.cold_write import says_more
from memorycore.policy.overflow.facts import PROTECTED_IMPORTANCE
from memorycore.policy.prominence import standing_out
from memorycore.policy.relation.comparing import Comparer
from memorycore.policy.text import entry_key as key_of
from memorycore.policy.validation import objection, splits_hot_file
from memorycore.ports import Clock, ColdStore, Draft, Outcome, Remembered
from memorycore.service.activity import ActivityNotes
from memorycore.service.fact import COLD_STATUS, Fact
from memorycore.service.governed_cold import GovernedCold
from memorycore.service.hot_tier import HotTier, usage_of
from memorycore.service.overflow import Overflow
from memorycore.service.vectors import Vectors

log = logging.getLogger(__name__)

SEPARATOR = 3
"""Characters that one more entry costs besides its text: a line break on both sides of `§`."""

CONTRADICTED = "contradicts a protected entry of the hot file, which stays until it is superseded"
"""Warning on a fact that went cold although a protected entry says otherwise."""


@dataclass(frozen=True, slots=True)
class WriteRules:
    """What the write path decides by."""

    classify: Callable[[str, Target, float], Classification]
    screen: Callable[[str], Screening]
    comparer: Comparer
    vectors: Vectors
    notes: ActivityNotes


class Writing:
    """The write path. `trash` is the local store that keeps what is dropped as stale or replaced in a hot file."""

    def __init__(
        self,
        *,
        hot: HotTier,
        overflow: Overflow,
        cold: ColdStore,
        trash: GovernedCold,
        rules: WriteRules,
        clock: Clock,
    ) -> None:
        self._hot = hot
        self._overflow = overflow
        self._cold = cold
        self._trash = trash
        self._rules = rules
        self._clock = clock

    def correct(self, draft: Draft, target: Target) -> StoreResult:
        """Store a correction: as any fact, but never into the trash, however short and finished it reads."""
        return self.store(draft, target, lasting=True)

    def store(self, draft: Draft, target: Target, *, lasting: bool = False) -> StoreResult:
        """Store one fact and tell where it is; one known to be `lasting` is never dropped as stale."""
        refused = objection(draft.content)
        if refused:
            return self._reject(target, refused)
        draft = replace(draft, content=draft.content.strip())
        screening = self._rules.screen(draft.content)
        if screening.verdict is Verdict.SECRET:
            kinds = ", ".join(screening.kinds)
            return self._reject(
                target, f"looks like a secret ({kinds}); keep it in a vault and store where it is"
            )
        decided = self._rules.classify(draft.content, target, draft.importance)
        draft = replace(draft, type=decided.type, protected=decided.protected)
        flagged = screening.kinds if screening.verdict is Verdict.INJECTION else ()
        if lasting and decided.route is Route.STALE:
            decided = replace(decided, route=Route.COLD)
        result = self._deliver(Fact(draft, target, decided, flagged))
        self._rules.notes.note_write(draft.content)
        log.info("store status=%s target=%s", result.status.value, target.value)
        return result

    def _deliver(self, fact: Fact) -> StoreResult:
        if fact.flagged:
            kinds = ", ".join(fact.flagged)
            warning = f"reads like an instruction from outside ({kinds}); kept out of the hot tier"
            kept = self._to_cold(fact, because=warning)
            return replace(kept, warnings=(warning, *kept.warnings))
        if fact.draft.scope != GLOBAL_SCOPE or fact.draft.author != LOCAL_AUTHOR:
            return self._to_cold(fact, because="the hot file is global; scoped facts are kept cold")
        match fact.decided.route:
            case Route.HOT:
                return self._to_hot(fact)
            case Route.STALE:
                return self._to_trash(fact)
            case Route.COLD:
                return self._to_cold(fact, because=fact.because)

    def _to_trash(self, fact: Fact) -> StoreResult:
        memory_id = self._trash.discard(fact.draft, reason=TrashReason.STALE)
        reason = f"nothing lasting in it: {fact.because}; recoverable from the trash"
        return self._result(StoreStatus.STALE, fact, reason, memory_id=memory_id)

    def _to_cold(self, fact: Fact, *, because: str, fallback: bool = False) -> StoreResult:
        kept = self._cold.remember(fact.draft)
        status = COLD_STATUS[kept.outcome]
        if fallback and status is StoreStatus.COLD_STORED:
            status = StoreStatus.COLD_STORED_FALLBACK
        retired, warnings, usage = self._tidy_file(fact, kept)
        why = _replaced(retired) if retired else kept.reason
        if retired and status is StoreStatus.COLD_STORED:
            status = StoreStatus.COLD_SUPERSEDED
        return StoreResult(
            status,
            f"{because}; {why}",
            fact.target,
            memory_id=kept.memory_id,
            related_id=kept.related_id,
            usage=usage,
            warnings=warnings,
        )

    def _to_hot(self, fact: Fact) -> StoreResult:
        if splits_hot_file(fact.text):
            because = "a line that is only § would split the hot file"
            return self._to_cold(fact, because=because, fallback=True)
        try:
            snapshot = self._hot.reconcile(fact.target)
            said = self._related(fact, snapshot, Relation.SAME)
            if said and not says_more(fact.text, said[0].text):
                reason = "the hot file says it already"
                return self._result(StoreStatus.STORED, fact, reason, entry_key=said[0].key)
            return self._enter(fact, snapshot)
        except (InvalidInputError, HotTierError) as fault:
            log.warning("hot.write_failed code=%s cause=%s", fault.code, fault)
            because = f"the hot file could not take it ({fault})"
            return self._to_cold(fact, because=because, fallback=True)

    def _enter(self, fact: Fact, snapshot: HotSnapshot) -> StoreResult:
        outdated = self._related(fact, snapshot, Relation.UPDATE, Relation.REVERSAL)
        freed = sum(len(entry.text) + SEPARATOR for entry in outdated)
        needed = len(fact.text) + SEPARATOR - freed
        vital = fact.decided.protected or fact.draft.importance >= PROTECTED_IMPORTANCE
        self._overflow.make_room(fact.target, needed, protected=vital)
        fresh = self._hot.reconcile(fact.target)
        if fresh.characters + needed > fresh.limit:
            because = (
                f"belongs in the hot file, which has no room for it even after overflow "
                f"({fresh.characters} of {fresh.limit} characters)"
            )
            return self._to_cold(fact, because=because, fallback=True)
        self._trash_entries(fact, outdated)
        keys = {entry.key for entry in fresh.entries}
        gone = [entry.key for entry in outdated if entry.key in keys]
        meta = self._meta(fact)
        if gone:
            self._hot.replace(fact.target, gone[0], fact.text, meta=meta)
            self._hot.remove(fact.target, gone[1:])
        else:
            after = self._hot.add(fact.target, fact.text, meta=meta, cap=fresh.limit)
            if all(entry.key != key_of(fact.text) for entry in after.entries):
                because = "another writer took the room it had in the hot file"
                return self._to_cold(fact, because=because, fallback=True)
        reason = fact.because
        if gone:
            reason = f"{reason}; {_replaced(len(gone))}"
        self._retire_outdated_memories(fact)
        return self._result(StoreStatus.STORED, fact, reason, entry_key=key_of(fact.text))

    def _related(self, fact: Fact, snapshot: HotSnapshot, *relations: Relation) -> list[HotEntry]:
        """Return the entries that stand in one of `relations` to the fact; stubs only point and are left out."""
        entries = [entry for entry in snapshot.entries if not _is_stub(entry)]
        *vectors, own = self._rules.vectors.passages([*(e.text for e in entries), fact.text])
        found = []
        for at in standing_out(vectors, own):
            entry = entries[at]
            match = self._rules.comparer.compare(
                entry.text, fact.text, older_vector=vectors[at], newer_vector=own
            )
            if match.relation in relations:
                found.append(entry)
        return found

    def _tidy_file(
        self, fact: Fact, kept: Remembered
    ) -> tuple[int, tuple[str, ...], TierUsage | None]:
        """Let the hot file follow a cold write; return how many entries went, warnings, and how full the file is.

        A file that cannot be used now must not fail the write.
        """
        settled = kept.outcome in (Outcome.OUTDATED, Outcome.DUPLICATE, Outcome.QUEUED)
        try:
            snapshot = self._hot.reconcile(fact.target)
            retired, standing = (0, []) if settled else self._retire_outdated(fact, snapshot)
            if retired:
                snapshot = self._hot.reconcile(fact.target)
            if snapshot.characters > snapshot.limit:
                self._overflow.make_room(fact.target, 0)
                snapshot = self._hot.reconcile(fact.target)
        except HotTierError as fault:
            log.warning("hot.not_tidied target=%s cause=%s", fact.target.value, fault)
            return 0, (), self._usage(fact.target)
        warnings = tuple(f"{CONTRADICTED}: {entry.text[:80]}" for entry in standing)
        return retired, warnings, usage_of(snapshot)

    def _retire_outdated(self, fact: Fact, snapshot: HotSnapshot) -> tuple[int, list[HotEntry]]:
        """Take older values out of the hot file; return how many went, and the protected ones, which stay."""
        outdated = self._related(fact, snapshot, Relation.UPDATE, Relation.REVERSAL)
        standing = [entry for entry in outdated if entry.meta and entry.meta.protected]
        leaving = [entry for entry in outdated if entry not in standing]
        if leaving:
            self._trash_entries(fact, leaving)
            self._hot.remove(fact.target, [entry.key for entry in leaving])
        return len(leaving), standing

    def _retire_outdated_memories(self, fact: Fact) -> None:
        """Trash cold memories whose value the hot fact replaces, so that recall does not contradict the file."""
        for memory in self._trash.outdated_by(fact.draft):
            self._cold.forget(
                memory.id, reason=TrashReason.SUPERSEDED, provenance=fact.draft.provenance
            )

    def _trash_entries(self, fact: Fact, entries: list[HotEntry]) -> None:
        for entry in entries:
            old = replace(fact.draft, content=entry.text, created_at=_written(entry))
            self._trash.discard(old, reason=TrashReason.SUPERSEDED)

    def _meta(self, fact: Fact) -> EntryMeta:
        now = self._clock.now()
        return EntryMeta(
            type=fact.decided.type,
            written_at=fact.draft.created_at or now,
            updated_at=now,
            origin=Origin.STORE,
            importance=fact.draft.importance,
            protected=fact.decided.protected,
        )

    def _reject(self, target: Target, reason: str) -> StoreResult:
        return StoreResult(StoreStatus.REJECTED, reason, target, usage=self._usage(target))

    def _usage(self, target: Target) -> TierUsage | None:
        try:
            return self._hot.usage(target)
        except HotTierError as fault:
            log.warning("hot.unreadable target=%s cause=%s", target.value, fault)
            return None

    def _result(
        self,
        status: StoreStatus,
        fact: Fact,
        reason: str,
        *,
        memory_id: str | None = None,
        entry_key: str | None = None,
        related_id: str | None = None,
    ) -> StoreResult:
        return StoreResult(
            status, reason, fact.target, memory_id, entry_key, related_id, self._usage(fact.target)
        )


def _is_stub(entry: HotEntry) -> bool:
    return entry.meta is not None and entry.meta.type is EntryType.STUB


def _written(entry: HotEntry) -> datetime | None:
    return entry.meta.written_at if entry.meta else None


def _replaced(count: int) -> str:
    return f"replaced {count} older {'value' if count == 1 else 'values'} of the hot file, now in the trash"
