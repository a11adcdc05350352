"""The changes that carry a decision about a new text out, and what the caller is told."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memorycore.model.limits import Retention
from memorycore.model.memory import Memory, TrashedMemory, TrashReason
from memorycore.policy.cold_write import (
    AddNew,
    Decision,
    MergeInto,
    Outdated,
    Recognise,
    Replace,
)
from memorycore.policy.text import content_hash
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
class _Row:
    memory: Memory
    in_trash: bool


@dataclass(frozen=True, slots=True)
class ColdSteps:
    """Turns decisions into changes."""

    vectors: Vectors
    model: StoreModel
    retention: Retention
    ids: IdFactory

    def of(
        self, decision: Decision, draft: Draft, *, trashed: TrashedMemory | None, at: datetime
    ) -> Steps:
        """Return the changes of `decision` and the answer; `trashed` is the row of the same text in the trash."""
        row = self._row(draft, trashed, at=at)
        match decision:
            case Recognise(memory, reason):
                changes = [Confirm(memory.id, draft.importance), *self._wording(row, memory.id, at)]
                return changes, Remembered(Outcome.DUPLICATE, memory.id, memory.content, reason)
            case MergeInto():
                return self._merge_into(decision, row, at=at)
            case Replace():
                return self._replace(decision, row, at=at)
            case Outdated(memory, reason):
                changes = self._straight_to_trash(
                    row, TrashReason.SUPERSEDED, reason, memory.id, at
                )
                return changes, Remembered(
                    Outcome.OUTDATED, row.memory.id, draft.content, reason, related_id=memory.id
                )
            case AddNew(reason):
                return [self._insert(row.memory)], Remembered(
                    Outcome.STORED, row.memory.id, draft.content, reason
                )

    def confirm(self, memory: Memory, draft: Draft) -> Steps:
        """Return the changes for a text that is stored already, to the letter."""
        reason = "the same text is stored already"
        answer = Remembered(Outcome.DUPLICATE, memory.id, memory.content, reason)
        return [Confirm(memory.id, draft.importance)], answer

    def discard(
        self, draft: Draft, reason: TrashReason, *, trashed: TrashedMemory | None, at: datetime
    ) -> Steps:
        """Return the changes that put a text straight into the trash, unless it lies there already."""
        row = self._row(draft, trashed, at=at)
        note = draft.provenance.reason
        answer = Remembered(Outcome.STORED, row.memory.id, draft.content, note)
        return self._straight_to_trash(row, reason, note, None, at), answer

    def expiry(self, at: datetime) -> datetime:
        """Return until when something trashed now is kept."""
        return at + self.retention.trash

    def _row(self, draft: Draft, trashed: TrashedMemory | None, *, at: datetime) -> _Row:
        """Return the row of a draft told at its own moment, or now (`at`); a text in the trash keeps its id."""
        memory_id = trashed.memory.id if trashed else self.ids.new_id()
        memory = draft.as_memory(memory_id, at=at)
        return _Row(memory, in_trash=trashed is not None)

    def _merge_into(self, decision: MergeInto, row: _Row, *, at: datetime) -> Steps:
        memory, content = decision.memory, decision.content
        vector = self.model.accept(self.vectors.passage(content))
        importance = max(memory.importance, row.memory.importance)
        said_whole = content_hash(content) == content_hash(row.memory.content)
        changes = [
            Revise(memory.id, content, vector, importance, memory.revision),
            *([] if said_whole else self._wording(row, memory.id, at)),
        ]
        return changes, Remembered(
            Outcome.MERGED, memory.id, content, decision.reason, related_id=memory.id
        )

    def _replace(self, decision: Replace, row: _Row, *, at: datetime) -> Steps:
        replaced = decision.memories[0]
        new = replace(row.memory, supersedes=replaced.id)
        cause = TrashReason.REVERSAL if decision.reversal else TrashReason.SUPERSEDED
        changes = [
            Discard(old.id, cause, self.expiry(at), decision.reason, new.id, old.revision)
            for old in decision.memories
        ]
        return [self._insert(new), *changes], Remembered(
            Outcome.SUPERSEDED, new.id, new.content, decision.reason, related_id=replaced.id
        )

    def _wording(self, row: _Row, memory_id: str, at: datetime) -> list[Change]:
        return self._straight_to_trash(row, TrashReason.MERGED, WORDING, memory_id, at)

    def _straight_to_trash(
        self, row: _Row, reason: TrashReason, note: str, successor: str | None, at: datetime
    ) -> list[Change]:
        if row.in_trash:
            return []
        discard = Discard(row.memory.id, reason, self.expiry(at), note, successor)
        return [self._insert(row.memory), discard]

    def _insert(self, memory: Memory) -> Insert:
        return Insert(memory, self.model.accept(self.vectors.passage(memory.content)))
