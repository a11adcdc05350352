"""Duplicates and conflicts among the memories that changed, each compared with its neighbours."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import assert_never

from memorycore.model.memory import Memory, TrashReason
from memorycore.policy.maintenance import (
    Absorb,
    Combine,
    Replace,
    Step,
    conflict_cap,
    due_at,
    in_order,
    plan_pair,
)
from memorycore.policy.overflow.anchor import ANCHOR_SOURCE
from memorycore.ports import Change, Confirm, Discard, Revise, SearchRequest, Vector
from memorycore.service.pass_tools import BATCH, PassTools

log = logging.getLogger(__name__)

NEIGHBOURS = 8
"""Memories compared with each changed one; a twin is among the first few of a hybrid search."""

WATERMARK = "maintenance.watermark"
"""Named state: the change number up to which every row has been compared."""

CURSOR = "maintenance.cursor"
"""Named state of an interrupted pass: `since:until:last id`."""


@dataclass(slots=True)
class Tally:
    """Counts of one pass, and the earliest moment at which a row that was looked at may be due by age."""

    examined: int = 0
    duplicates: int = 0
    merged: int = 0
    superseded: int = 0
    next_due: datetime | None = None
    notes: list[str] = field(default_factory=list)


class Deduplication:
    """Compares changed rows with their neighbours until nothing changes any more."""

    def __init__(self, tools: PassTools, *, checkpoint: Callable[[str, int, int], None]) -> None:
        self._tools = tools
        self._repository = tools.repository
        self._checkpoint = checkpoint
        self._replaceable = 0
        self._compared: set[frozenset[tuple[str, int]]] = set()

    def run(self, tally: Tally, *, full: bool) -> None:
        """Work from the watermark to the present; an interrupted pass goes on where it stopped.

        What the pass changes counts as changed again, so that it ends only when a round changes nothing:
        the next pass over an untouched store then has nothing to look at.
        """
        self._replaceable = conflict_cap(self._repository.counts().live)
        since, until, after = self._position(full=full)
        while since < until:
            if not self._round(tally, since, until, after):
                return
            self._repository.set_state(CURSOR, None)
            self._repository.set_state(WATERMARK, str(until))
            since, until, after = until, self._repository.change_number(), None

    def _position(self, *, full: bool) -> tuple[int, int, str | None]:
        now = self._repository.change_number()
        if full:
            return -1, now, None
        saved = self._repository.state(CURSOR)
        if saved is not None:
            since, until, after = saved.split(":", 2)
            return int(since), int(until), after or None
        seen = int(self._repository.state(WATERMARK) or -1)
        return (seen if seen <= now else -1), now, None

    def _round(self, tally: Tally, since: int, until: int, after: str | None) -> bool:
        """Compare the rows changed since; False when the cap was reached, and the next pass goes on there."""
        total = self._repository.counts().live if since < 0 else 0
        while batch := self._repository.scan(after=after, limit=BATCH, changed_since=since):
            for memory in batch:
                self._checkpoint("compare", tally.examined, total)
                if tally.superseded >= self._replaceable:
                    self._repository.set_state(CURSOR, f"{since}:{until}:{after or ''}")
                    self._note_cap(tally)
                    return False
                self._examine(memory.id, tally)
                after = memory.id
                self._keep_place(tally.examined, since, until, after)
            self._repository.set_state(CURSOR, f"{since}:{until}:{after}")
        return True

    def _note_cap(self, tally: Tally) -> None:
        tally.notes.append(
            f"{self._replaceable} memories were replaced by newer values; the next pass goes on"
        )
        log.warning("maintenance.conflict_cap cap=%s", self._replaceable)

    def _keep_place(self, examined: int, since: int, until: int, after: str) -> None:
        if examined % 20 == 0:
            self._repository.set_state(CURSOR, f"{since}:{until}:{after}")

    def _examine(self, memory_id: str, tally: Tally) -> None:
        memory = self._repository.get([memory_id]).get(memory_id)
        if memory is None:
            return
        tally.examined += 1
        self._note_due(memory, tally)
        for step in self._steps(memory):
            if self._tools.apply(self._changes(step), reason=step.reason):
                _count(step, tally)
            else:
                self._compared.clear()
            if isinstance(step, Combine) or memory.id == _lost(step).id:
                return

    def _note_due(self, memory: Memory, tally: Tally) -> None:
        due = due_at(memory, self._tools.retention)
        if due is not None and (tally.next_due is None or due < tally.next_due):
            tally.next_due = due

    def _steps(self, memory: Memory) -> list[Step]:
        """Return what is to be done, replacements first: a value must fall before its duplicate is kept."""
        vector = self._repository.vectors([memory.id]).get(memory.id)
        neighbours = self._neighbours(memory, vector)
        vectors = self._repository.vectors([other.id for other in neighbours])
        steps: list[Step] = []
        for other in neighbours:
            if self._met_before(memory, other):
                continue
            older, newer = in_order(memory, other)
            known = {memory.id: vector, other.id: vectors.get(other.id)}
            match = self._tools.comparer.compare(
                older.content,
                newer.content,
                older_vector=known[older.id],
                newer_vector=known[newer.id],
            )
            step = plan_pair(older, newer, match, merge=self._tools.merge)
            if step is not None:
                steps.append(step)
        return sorted(steps, key=lambda step: not isinstance(step, Replace))

    def _met_before(self, memory: Memory, other: Memory) -> bool:
        """Tell whether this pass compared the two in the wording they have now, from the other one's side."""
        pair = frozenset(((memory.id, memory.revision), (other.id, other.revision)))
        known = pair in self._compared
        self._compared.add(pair)
        return known

    def _neighbours(self, memory: Memory, vector: Vector | None) -> Sequence[Memory]:
        request = SearchRequest(
            memory.content,
            vector,
            memory.author,
            (memory.scope,),
            limit=NEIGHBOURS + 1,
            prominent=True,
        )
        found = [candidate.memory for candidate in self._repository.search(request)]
        return [
            other
            for other in found
            if other.id != memory.id and ANCHOR_SOURCE not in {memory.source, other.source}
        ]

    def _changes(self, step: Step) -> list[Change]:
        expiry = self._tools.expiry(self._tools.clock.now())
        match step:
            case Absorb(keeper, loser, reason):
                changes: list[Change] = [_merged(loser, keeper, reason, expiry)]
                if loser.importance > keeper.importance:
                    changes.append(Confirm(keeper.id, loser.importance))
                return changes
            case Combine(keeper, loser, text, reason):
                vector = self._tools.model.accept(self._tools.vectors.passage(text))
                importance = max(keeper.importance, loser.importance)
                revise = Revise(keeper.id, text, vector, importance, keeper.revision)
                return [_merged(loser, keeper, reason, expiry), revise]
            case Replace(older, newer, cause, reason):
                return [Discard(older.id, cause, expiry, reason, newer.id, older.revision)]
            case _:
                assert_never(step)


def _merged(loser: Memory, keeper: Memory, reason: str, expiry: datetime) -> Discard:
    return Discard(loser.id, TrashReason.MERGED, expiry, reason, keeper.id, loser.revision)


def _lost(step: Step) -> Memory:
    return step.older if isinstance(step, Replace) else step.loser


def _count(step: Step, tally: Tally) -> None:
    match step:
        case Absorb():
            tally.duplicates += 1
        case Combine():
            tally.merged += 1
        case Replace():
            tally.superseded += 1
        case _:
            assert_never(step)
