"""The changes that carry a decision about a new text out, and what the caller is told."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memorycore.model.limits import Retention
from memorycore.model.memory import Memory, TrashReason
from memorycore.policy.cold_write import (
    AddNew,
    Decision,
    MergeInto,
    Outdated,
    Recognise,
    Replace,
)
from memorycore.ports import (
    Change,
    Confirm,
    Discard,
    Draft,
    IdFactory,
    Insert,
    Outcome,
    Remembered,
    Revise,
)
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors

WORDING = "said in other words; the memory it joined holds all of it"
"""Note on a text that was recognised or merged: its own wording stays in the trash for a while."""

Steps = tuple[Sequence[Change], Remembered]
"""Changes of one transaction and the answer to give once they are durable."""


@dataclass(frozen=True, slots=True)
class ColdSteps:
    """Turns decisions into changes."""

    vectors: Vectors
    model: StoreModel
    retention: Retention
    ids: IdFactory

    def of(self, decision: Decision, draft: Draft, *, at: datetime) -> Steps:
        """Return the changes of `decision` and the answer."""
        match decision:
            case Recognise(memory, reason):
                return self._fold_in(memory, draft, reason, at=at)
            case MergeInto():
                return self._merge_into(decision, draft, at=at)
            case Replace():
                return self._replace(decision, draft, at=at)
            case Outdated(memory, reason):
                return self._keep_as_outdated(memory, draft, reason, at=at)
            case AddNew(reason):
                memory = self.memory(draft, at=at)
                return [self._insert(memory)], Remembered(
                    Outcome.STORED, memory.id, memory.content, reason
                )

    def confirm(self, memory: Memory, draft: Draft) -> Steps:
        """Return the changes for a text that is stored already, to the letter."""
        reason = "the same text is stored already"
        answer = Remembered(Outcome.DUPLICATE, memory.id, memory.content, reason)
        return [Confirm(memory.id, draft.importance)], answer

    def discard(self, draft: Draft, reason: TrashReason, *, at: datetime) -> Steps:
        """Return the changes that put a text straight into the trash."""
        memory = self.memory(draft, at=at)
        note = draft.provenance.reason
        changes = [self._insert(memory), Discard(memory.id, reason, self.expiry(at), note=note)]
        return changes, Remembered(Outcome.STORED, memory.id, memory.content, note)

    def memory(self, draft: Draft, *, at: datetime) -> Memory:
        """Return the row of a draft told at its own moment, or now (`at`)."""
        told_at = draft.created_at or at
        return Memory(
            id=self.ids.new_id(),
            content=draft.content,
            author=draft.author,
            scope=draft.scope,
            importance=draft.importance,
            type=draft.type,
            protected=draft.protected,
            source=draft.source,
            created_at=told_at,
            updated_at=told_at,
            confirmed_at=told_at,
        )

    def expiry(self, at: datetime) -> datetime:
        """Return until when something trashed now is kept."""
        return at + self.retention.trash

    def _fold_in(self, memory: Memory, draft: Draft, reason: str, *, at: datetime) -> Steps:
        changes = [Confirm(memory.id, draft.importance), *self._wording(memory.id, draft, at)]
        return changes, Remembered(Outcome.DUPLICATE, memory.id, memory.content, reason)

    def _merge_into(self, decision: MergeInto, draft: Draft, *, at: datetime) -> Steps:
        memory, content = decision.memory, decision.content
        vector = self.model.accept(self.vectors.passage(content))
        importance = max(memory.importance, draft.importance)
        changes = [
            Revise(memory.id, content, vector, importance, memory.revision),
            *self._wording(memory.id, draft, at),
        ]
        return changes, Remembered(
            Outcome.MERGED, memory.id, content, decision.reason, related_id=memory.id
        )

    def _replace(self, decision: Replace, draft: Draft, *, at: datetime) -> Steps:
        oldest = decision.memories[0]
        new = replace(self.memory(draft, at=at), supersedes=oldest.id)
        cause = TrashReason.REVERSAL if decision.reversal else TrashReason.SUPERSEDED
        changes = [
            Discard(old.id, cause, self.expiry(at), decision.reason, new.id, old.revision)
            for old in decision.memories
        ]
        return [self._insert(new), *changes], Remembered(
            Outcome.SUPERSEDED, new.id, new.content, decision.reason, related_id=oldest.id
        )

    def _keep_as_outdated(self, newer: Memory, draft: Draft, reason: str, *, at: datetime) -> Steps:
        old = self.memory(draft, at=at)
        discard = Discard(old.id, TrashReason.SUPERSEDED, self.expiry(at), reason, newer.id)
        return [Insert(old, None), discard], Remembered(
            Outcome.OUTDATED, old.id, old.content, reason, related_id=newer.id
        )

    def _wording(self, memory_id: str, draft: Draft, at: datetime) -> list[Change]:
        variant = self.memory(draft, at=at)
        discard = Discard(variant.id, TrashReason.MERGED, self.expiry(at), WORDING, memory_id)
        return [Insert(variant, None), discard]

    def _insert(self, memory: Memory) -> Insert:
        return Insert(memory, self.model.accept(self.vectors.passage(memory.content)))
