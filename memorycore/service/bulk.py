"""Many memories at once: import, export, and the JSON lines between them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from memorycore.errors import (
    ColdConflictError,
    ColdTierError,
    InvalidInputError,
)
from memorycore.model.memory import REVIVED_BY_RECALL
from memorycore.model.results import ImportReport, StoreResult, StoreStatus
from memorycore.model.routing import Screening, Target, Verdict
from memorycore.policy.text import content_hash, entry_key
from memorycore.ports import (
    Clock,
    ColdRepository,
    ColdStore,
    Draft,
    IdFactory,
    Insert,
    Outcome,
    Vector,
)
from memorycore.service.exporting import Exporter
from memorycore.service.hot_tier import HotTier
from memorycore.service.import_records import IMPORTED, Imported, UnusableRecordError, read_record
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors

BATCH = 256
"""Memories embedded together and written in one transaction."""

Progress = Callable[[int, int | None], None]
"""Called with how many are done and how many there are (None: unknown)."""

StoreFact = Callable[[Draft, Target], StoreResult]
"""The write path of one fact."""

_KEPT = {
    StoreStatus.COLD_DUPLICATE: Outcome.DUPLICATE,
    StoreStatus.COLD_UPDATED: Outcome.MERGED,
    StoreStatus.COLD_SUPERSEDED: Outcome.SUPERSEDED,
}


@dataclass(slots=True)
class _Tally:
    read: int = 0
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    rejected: list[tuple[int, str]] = field(default_factory=list)

    def count(self, outcome: Outcome) -> None:
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    def reject(self, position: int, reason: str) -> None:
        self.rejected.append((position, reason))

    def report(self, seconds: float) -> ImportReport:
        known = (Outcome.DUPLICATE, Outcome.MERGED, Outcome.SUPERSEDED)
        duplicates, merged, superseded = (self.outcomes.get(outcome, 0) for outcome in known)
        stored = sum(self.outcomes.values()) - duplicates - merged - superseded
        return ImportReport(
            self.read, stored, duplicates, merged, superseded, tuple(self.rejected), seconds
        )


@dataclass(frozen=True, slots=True)
class BulkParts:
    """What an import works with: the screen, the write path for entries of the hot tier, and the embedder."""

    screen: Callable[[str], Screening]
    store_fact: StoreFact
    vectors: Vectors
    model: StoreModel


class Bulk:
    """Imports and exports. Without a `repository` (a remote store) each memory goes through `cold` alone."""

    def __init__(
        self,
        cold: ColdStore,
        repository: ColdRepository | None,
        hot: HotTier,
        *,
        parts: BulkParts,
        clock: Clock,
        ids: IdFactory,
    ) -> None:
        self._cold = cold
        self._repository = repository
        self._hot = hot
        self._exporter = Exporter(repository, hot)
        self._parts = parts
        self._clock = clock
        self._ids = ids

    def import_memories(
        self,
        records: Iterable[Mapping[str, object]],
        *,
        dedup: bool = True,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import records, each durable when its batch is reported.

        Args:
            records: Mappings with `content` and, optionally, `author, scope, source, importance, created_at, type,
                protected`, and a `vector` with the `vector_model` that made it.
            dedup: Compare each with what is stored, as a single write does; False only drops exact repeats.
            progress: Called after each batch.
        """
        started = self._clock.monotonic()
        total = len(records) if isinstance(records, Sequence) else None
        tally = _Tally()
        left = iter(records)
        while batch := list(islice(left, BATCH)):
            usable = self._usable(batch, tally)
            if dedup or self._repository is None:
                for position, one in usable:
                    self._one(position, one, tally)
            else:
                self._together(self._repository, usable, tally)
            tally.read += len(batch)
            if progress is not None:
                progress(tally.read, total)
        return tally.report(self._clock.monotonic() - started)

    def import_file(self, path: Path) -> ImportReport:
        """Import JSON lines as `export` writes them; a line that is no record is rejected with its position.

        Raises:
            InvalidInputError: The file cannot be read.
        """
        try:
            with path.open(encoding="utf-8") as file:
                return self.import_memories(_records(file))
        except (OSError, UnicodeDecodeError) as fault:
            message = f"{path} cannot be read: {fault}"
            raise InvalidInputError(message) from fault

    def export(self, path: Path) -> int:
        """Write every hot entry and live memory as JSON lines; return how many. Faults as `Exporter.export`."""
        return self._exporter.export(path)

    def _usable(
        self, batch: Sequence[Mapping[str, object]], tally: _Tally
    ) -> list[tuple[int, Imported]]:
        usable: list[tuple[int, Imported]] = []
        trash = self._repository if self._repository and self._repository.counts().trashed else None
        for position, record in enumerate(batch, tally.read):
            try:
                one = read_record(record)
            except UnusableRecordError as fault:
                tally.reject(position, str(fault))
                continue
            refused = self._refusal(one, trash)
            if refused is None:
                usable.append((position, one))
            else:
                tally.reject(position, refused)
        return usable

    def _refusal(self, one: Imported, trash: ColdRepository | None) -> str | None:
        screening = self._parts.screen(one.draft.content)
        if screening.verdict is Verdict.SECRET:
            return f"holds a secret ({', '.join(screening.kinds)})"
        if trash is None or one.hot is not None:
            return None
        draft = one.draft
        gone = trash.find_trashed(
            content_hash(draft.content), author=draft.author, scope=draft.scope
        )
        if gone is not None and gone.reason not in REVIVED_BY_RECALL:
            return (
                f"lies in the trash ({gone.reason.value}); revive {gone.memory.id} to have it back"
            )
        return None

    def _one(self, position: int, one: Imported, tally: _Tally) -> None:
        try:
            if one.hot is not None and self._stands(one.draft.content, one.hot):
                tally.count(Outcome.DUPLICATE)
            elif one.hot is not None:
                result = self._parts.store_fact(one.draft, one.hot)
                if result.status is StoreStatus.REJECTED:
                    tally.reject(position, result.reason)
                else:
                    tally.count(_KEPT.get(result.status, Outcome.STORED))
            else:
                tally.count(self._cold.remember(one.draft).outcome)
        except ColdTierError as fault:
            tally.reject(position, str(fault))

    def _stands(self, text: str, target: Target) -> bool:
        """Tell whether the hot file holds the very same entry."""
        entries = self._hot.reconcile(target).entries
        return any(entry.key == entry_key(text) for entry in entries)

    def _together(
        self, repository: ColdRepository, batch: Sequence[tuple[int, Imported]], tally: _Tally
    ) -> None:
        """Write one batch in one transaction; exact repeats are dropped, nothing else is compared."""
        fresh: dict[tuple[str, str, str], tuple[int, Imported]] = {}
        for position, one in batch:
            if one.hot is not None:
                self._one(position, one, tally)
                continue
            draft = one.draft
            key = (content_hash(draft.content), draft.author, draft.scope)
            if key in fresh or repository.find(key[0], author=key[1], scope=key[2]) is not None:
                tally.count(Outcome.DUPLICATE)
            else:
                fresh[key] = (position, one)
        if not fresh:
            return
        at = self._clock.now()
        chosen = [one for _, one in fresh.values()]
        inserts = [
            Insert(one.draft.as_memory(self._ids.new_id(), at=self._clock.now()), vector)
            for one, vector in zip(chosen, self._vectors_of(chosen), strict=True)
        ]
        try:
            repository.apply(inserts, provenance=IMPORTED, at=at)
        except ColdConflictError:
            for position, one in fresh.values():
                self._one(position, one, tally)
            return
        for _ in inserts:
            tally.count(Outcome.STORED)

    def _vectors_of(self, batch: Sequence[Imported]) -> list[Vector | None]:
        """Return a vector for each: its own where the store's model made it, else a new one."""
        signature = self._parts.model.signature()
        own = [
            one.vector
            if signature is not None and (one.vector_model, str(_length(one.vector))) == signature
            else None
            for one in batch
        ]
        missing = [
            one.draft.content for one, vector in zip(batch, own, strict=True) if vector is None
        ]
        made = iter(self._parts.vectors.passages(missing) if missing else ())
        return [
            self._parts.model.accept(next(made) if vector is None else vector) for vector in own
        ]


def _length(vector: Vector | None) -> int:
    return 0 if vector is None else len(vector)


def _records(lines: Iterable[str]) -> Iterator[Mapping[str, object]]:
    """Return the record of each line that is not blank; one that is no JSON object has no content and is refused."""
    for line in lines:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError:
            record = {}
        yield record if isinstance(record, dict) else {}
