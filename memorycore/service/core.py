"""The public face: one object for storing, finding, moving, forgetting and explaining."""

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from memorycore.model.memory import GLOBAL_SCOPE, LOCAL_AUTHOR, Event, Provenance, TrashedMemory
from memorycore.model.plan import Plan
from memorycore.model.relation import Match
from memorycore.model.results import (
    AuditReport,
    DoctorReport,
    ImportReport,
    MaintenanceReport,
    OverflowReport,
    PurgeResult,
    RecallResult,
    ReembedReport,
    ReleaseResult,
    ReviveResult,
    StoreResult,
    SupersedeResult,
    UsageReport,
)
from memorycore.model.routing import Classification, Screening, Target
from memorycore.policy.merging import merge
from memorycore.ports import Draft, RecallQuery
from memorycore.service.arguments import checked_importance, checked_scope, one_target, targets
from memorycore.service.jobs import Jobs
from memorycore.service.parts import Parts, Progress


class MemoryCore:
    """Governs the memory of one agent. Synchronous and thread-safe; use it as a context manager or `close` it.

    `tool` names the caller (`cli`, `mcp`, `python`) in the provenance of every change.
    """

    def __init__(self, parts: Parts, *, tool: str = "python") -> None:
        self._parts = parts
        self._tool = tool
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; the object is of no use afterwards."""
        self._parts.close()

    @property
    def jobs(self) -> Jobs:
        """Return the jobs a scheduler runs."""
        return self._parts.jobs

    def store_fact(
        self,
        content: str,
        *,
        importance: float = 0.5,
        scope: str = GLOBAL_SCOPE,
        target: str | Target = Target.MEMORY,
        author: str | None = None,
        source: str | None = None,
    ) -> StoreResult:
        """Store one fact: screened, typed, routed to the hot file or the cold store.

        Args:
            content: The fact, up to 200,000 characters.
            importance: 0 to 1; from 0.9 on it is kept hot, from 0.8 on it never decays.
            scope: `global`, or a name such as `project:heron` or `session:<id>`; named scopes are kept cold.
            target: `memory` for the work, `user` for the person.
            author: Whose memory this is; None is the one user of this machine.
            source: Where it comes from, in the caller's words.

        Raises:
            InvalidInputError: An argument is out of range; text that cannot be kept is `rejected` instead.
        """
        draft = Draft(
            content,
            self._provenance("stored on request", author),
            author=author or LOCAL_AUTHOR,
            scope=checked_scope(scope),
            importance=checked_importance(importance),
            source=source,
        )
        with self._lock:
            result = self._parts.writing.store(draft, one_target(target))
            self._parts.gate.after_write()
            return result

    def recall(
        self,
        query: str,
        *,
        top_k: int = 5,
        author: str | None = None,
        scope: str | None = None,
        as_of: datetime | None = None,
        about: str | None = None,
        explain: bool = False,
    ) -> RecallResult:
        """Find what is relevant to `query` in both tiers; nothing when nothing is.

        Args:
            query: Words, a question, an identifier, in any language.
            top_k: Most hits to return, 1 to 100.
            author: Whose memories; None is the one user of this machine.
            scope: None sees the global scope, a name sees that scope and global.
            as_of: Read the cold store as it was at this moment (aware).
            about: Only memories that name this.
            explain: Fill `why` of each hit.

        Raises:
            InvalidInputError: `top_k` or `as_of` cannot be used.
        """
        return self._parts.finding.recall(
            RecallQuery(
                query,
                top_k=top_k,
                author=author or LOCAL_AUTHOR,
                scope=scope,
                as_of=as_of,
                about=about,
                explain=explain,
            )
        )

    def prefetch(
        self, query: str, *, top_k: int = 20, budget: float | None = None, count: bool = False
    ) -> RecallResult:
        """Recall for the next prompt: nothing is revived, and usage is counted only with `count`.

        `budget` is in seconds.
        """
        return self._parts.finding.recall(
            RecallQuery(query, top_k=top_k, count=count, revive=False, budget=budget)
        )

    def plan_overflow(self, target: str = "both") -> dict[str, Plan]:
        """Return what an overflow would do, by target; writes nothing."""
        return {item.value: self._parts.overflow.plan(item) for item in targets(target)}

    def overflow(self, target: str = "both") -> dict[str, OverflowReport]:
        """Bring the hot files down to the target watermark where they are above the soft one."""
        with self._lock:
            return {item.value: self._parts.overflow.attempt(item) for item in targets(target)}

    def make_room(
        self, target: str | Target, characters: int, *, protected: bool = False
    ) -> OverflowReport:
        """Relieve a hot file so that it can grow by `characters`, for a host about to write it itself.

        With `protected` even unprotected behaviour leaves when nothing else can.
        """
        with self._lock:
            return self._parts.overflow.make_room(
                one_target(target), characters, protected=protected
            )

    def maintain(
        self, *, full: bool = False, progress: Progress | None = None
    ) -> MaintenanceReport:
        """Run one maintenance pass over what changed, or with `full` over everything."""
        return self._parts.maintenance.run(full=full, progress=progress)

    def usage(self) -> UsageReport:
        """Return how full both tiers are, and the state of the jobs."""
        return self._parts.reporting.usage()

    def audit(self, target: str = "both") -> AuditReport:
        """Explain every hot entry: what it is, whether it may leave, when and why."""
        return self._parts.auditing.audit(targets(target))

    def supersede(
        self, old: str, new_content: str, *, author: str | None = None
    ) -> SupersedeResult:
        """Replace what `old` (an id or a query) names by `new_content`; the old goes to the trash."""
        with self._lock:
            return self._parts.forgetting.supersede(
                old,
                new_content,
                provenance=self._provenance("superseded on request", author),
                author=author or LOCAL_AUTHOR,
            )

    def release(
        self, query: str, *, dry_run: bool = False, author: str | None = None
    ) -> ReleaseResult:
        """Forget softly what `query` is about: it goes to the trash for 30 days."""
        with self._lock:
            return self._parts.forgetting.release(
                query,
                dry_run=dry_run,
                provenance=self._provenance("released on request", author),
                author=author or LOCAL_AUTHOR,
            )

    def purge(
        self, query_or_id: str, *, dry_run: bool = False, author: str | None = None
    ) -> PurgeResult:
        """Forget for good: no byte of the text stays in anything MemoryCore wrote."""
        with self._lock:
            return self._parts.forgetting.purge(
                query_or_id,
                dry_run=dry_run,
                provenance=self._provenance("purged on request", author),
                author=author or LOCAL_AUTHOR,
            )

    def forget(self, memory_id: str, *, author: str | None = None) -> ReleaseResult:
        """Move one memory, named by its id, to the trash.

        Raises:
            UnknownMemoryError: No memory of `author` (None: the one user of this machine) has that id.
        """
        with self._lock:
            return self._parts.forgetting.forget(
                memory_id,
                provenance=self._provenance("forgotten on request", author),
                author=author or LOCAL_AUTHOR,
            )

    def trash(self) -> list[TrashedMemory]:
        """Return what lies in the trash, newest first."""
        return self._parts.trash.list()

    def revive(self, memory_id: str, *, author: str | None = None) -> ReviveResult:
        """Bring a memory back from the trash; with `author` only one of theirs."""
        with self._lock:
            return self._parts.trash.revive(
                memory_id, provenance=self._provenance("revived on request", author), author=author
            )

    def history(self, memory_id: str, *, author: str | None = None) -> list[Event]:
        """Return who did what to a memory, when, how and why, oldest first; with `author` only of theirs."""
        return self._parts.history.of(memory_id, author=author)

    def export(self, path: str | Path) -> int:
        """Write every memory and hot entry as JSON lines; return how many."""
        return self._parts.bulk.export(Path(path))

    def import_file(self, path: str | Path) -> ImportReport:
        """Import JSON lines as `export` writes them."""
        return self._parts.bulk.import_file(Path(path))

    def import_memories(
        self,
        records: Iterable[Mapping[str, Any]],
        *,
        dedup: bool = True,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> ImportReport:
        """Import many memories at once.

        Args:
            records: Mappings with `content` and, optionally, source, author, scope, importance, created_at.
            dedup: Compare each with what is stored, as `store_fact` does; else only drop exact repeats.
            progress: Called with how many are done, and how many there are if that is known.
        """
        return self._parts.bulk.import_memories(records, dedup=dedup, progress=progress)

    def classify(
        self, content: str, *, importance: float = 0.5, target: str | Target = Target.MEMORY
    ) -> Classification:
        """Return route, type and protection of a text, with the reasons; writes nothing."""
        return self._parts.classify(content, one_target(target), importance)

    def compare(self, older: str, newer: str) -> Match:
        """Return how a newer text relates to an older one."""
        first, second = self._parts.vectors.passages([older, newer])
        return self._parts.comparer.compare(older, newer, older_vector=first, newer_vector=second)

    def merge(self, older: str, newer: str) -> str:
        """Return the one text that a `similar` pair becomes."""
        return merge(older, newer)

    def screen(self, content: str) -> Screening:
        """Return whether a text holds a secret or an injection, and of which kinds."""
        return self._parts.screen(content)

    def reembed(self, *, progress: Progress | None = None) -> ReembedReport:
        """Make every vector anew with the configured embedder; resumes where it was interrupted."""
        return self._parts.reembedding.run(progress=progress)

    def doctor(self) -> DoctorReport:
        """Check files, store, embedder, remote and journal, with advice for whatever is wrong."""
        return self._parts.doctor.examine()

    def recover(self) -> list[str]:
        """Finish or undo what a crashed process left open; return in words what was done."""
        return self._parts.recover()

    def _provenance(self, reason: str, author: str | None) -> Provenance:
        return Provenance(actor=author or "user", tool=self._tool, reason=reason)
