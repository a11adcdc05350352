"""Telling a service of the cold-store contract what a store holds."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memorycore.errors import MemoryCoreError
from memorycore.model.memory import LOCAL_AUTHOR, Memory, Provenance
from memorycore.ports import ColdStore, Draft, Outcome
from memorycore.ports.transfer import Transfer
from memorycore.service.migration import (
    Holding,
    MigrationReport,
    holding_of,
    pages_of,
    silent,
)
from memorycore.service.parts import Progress

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MigrationToService:
    """Tells a service of the cold-store contract every live memory of this machine's own author.

    The contract carries texts with their importance, scope, source and date: no trash, no history, no vectors.
    Repeating it is harmless, as the service knows a text it has.
    """

    source: Transfer
    remember: Callable[[Draft, str], tuple[Outcome, str]]
    store: ColdStore
    provenance: Provenance

    def run(self, *, progress: Progress | None = None) -> MigrationReport:
        """Send every live memory and read each back.

        Raises:
            ColdTierError: The service does not answer or fails; run it again to go on.
        """
        tell = progress or silent
        held = holding_of(self.source)
        outcomes = dict.fromkeys(Outcome, 0)
        foreign = unread = 0
        for memory in _live(self.source):
            if memory.author != LOCAL_AUTHOR:
                foreign += 1
                continue
            outcome, found = self._send(memory)
            outcomes[outcome] += 1
            unread += not found
            tell("memories", sum(outcomes.values()), held.live)
        moved = sum(outcomes.values())
        notes = [*_not_carried(held)]
        notes += [f"{count} {kind.value}" for kind, count in outcomes.items() if count]
        if foreign:
            notes.append(f"{foreign} of other authors stay: a token speaks for one author")
        if unread:
            notes.append(f"{unread} could not be read back as they were sent")
        known = outcomes[Outcome.DUPLICATE]
        return MigrationReport(
            "mcp",
            dry_run=False,
            source=held,
            moved=moved - known,
            unchanged=known,
            verified=not unread,
            notes=tuple(notes),
        )

    def _send(self, memory: Memory) -> tuple[Outcome, bool]:
        draft = Draft(
            memory.content,
            self.provenance,
            scope=memory.scope,
            importance=memory.importance,
            type=memory.type,
            protected=memory.protected,
            source=memory.source,
            created_at=memory.created_at,
        )
        outcome, memory_id = self.remember(draft, f"migrate-{memory.id}-{memory.revision}")
        if outcome in (Outcome.MERGED, Outcome.SUPERSEDED, Outcome.OUTDATED):
            return outcome, True
        try:
            kept = self.store.read(memory_id)
        except MemoryCoreError:
            log.warning("migration.not_read_back memory=%s", memory.id)
            return outcome, False
        return outcome, kept is not None and kept.strip() == memory.content.strip()


def _live(store: Transfer) -> Iterator[Memory]:
    for page in pages_of(store):
        yield from (whole.memory for whole in page if whole.trash is None)


def _not_carried(held: Holding) -> tuple[str, ...]:
    left = f"{held.trashed} trashed, {held.revisions} old texts and {held.events} events stay here"
    return (f"the contract carries live memories only: {left}",)
