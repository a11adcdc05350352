"""What the plugin asks of the core, and how a core is opened for a Hermes home."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memorycore.model.memory import TrashedMemory
from memorycore.model.relation import Match
from memorycore.model.results import (
    ImportReport,
    OverflowReport,
    RecallResult,
    ReleaseResult,
    ReviveResult,
    StoreResult,
    SupersedeResult,
    UsageReport,
)
from memorycore.model.routing import Classification, Target


class Named(Protocol):
    """A job, as far as the plugin cares."""

    @property
    def name(self) -> str:
        """Its name."""
        ...


class Jobs(Protocol):
    """Work that is due from time to time, once over all processes of a home."""

    @property
    def all(self) -> Sequence[Named]:
        """The jobs."""
        ...

    def run_due(self, name: str, *, cancelled: Callable[[], bool]) -> object:
        """Run a job if it is due and nobody else runs it."""
        ...


class Governor(Protocol):
    """The part of `MemoryCore` that the plugin uses."""

    def prefetch(
        self, query: str, *, top_k: int = 20, budget: float | None = None, count: bool = False
    ) -> RecallResult:
        """Recall for the next prompt; usage is counted only with `count`."""
        ...

    def recall(self, query: str, *, top_k: int = 5) -> RecallResult:
        """Find what is relevant to `query`."""
        ...

    def store_fact(
        self,
        content: str,
        *,
        importance: float = 0.5,
        target: str | Target = Target.MEMORY,
        source: str | None = None,
    ) -> StoreResult:
        """Store one fact where it belongs."""
        ...

    def overflow(self, target: str = "both") -> Mapping[str, OverflowReport]:
        """Bring files above the soft watermark down to the target."""
        ...

    def make_room(
        self, target: str | Target, characters: int, *, protected: bool = False
    ) -> OverflowReport:
        """Move entries out until `characters` more fit, or nothing may move."""
        ...

    def usage(self) -> UsageReport:
        """Reconcile both files and return how full both tiers are."""
        ...

    def classify(self, content: str, *, target: str | Target = Target.MEMORY) -> Classification:
        """Return route, type and protection of a text."""
        ...

    def compare(self, older: str, newer: str) -> Match:
        """Return how a newer text relates to an older one."""
        ...

    def release(self, query: str, *, dry_run: bool = False) -> ReleaseResult:
        """Forget softly what `query` is about."""
        ...

    def forget(self, memory_id: str) -> ReleaseResult:
        """Move one memory to the trash."""
        ...

    def supersede(self, old: str, new_content: str) -> SupersedeResult:
        """Replace what `old` names by `new_content`."""
        ...

    def trash(self) -> Sequence[TrashedMemory]:
        """Return what lies in the trash."""
        ...

    def revive(self, memory_id: str) -> ReviveResult:
        """Bring a memory back from the trash."""
        ...

    def import_memories(
        self, records: Iterable[Mapping[str, Any]], *, dedup: bool = True
    ) -> ImportReport:
        """Put many memories into the cold store."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...

    @property
    def jobs(self) -> Jobs:
        """The jobs that are due from time to time."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A core and the settings the plugin itself obeys."""

    core: Governor
    prefetch_enabled: bool = True
    jobs_enabled: bool = False
    index_topics: tuple[str, ...] = ()


OpenHome = Callable[[Path], Opened]
"""Opens the core of one Hermes home; raises `MemoryCoreError` when that cannot be."""

MEMORIES = "memories"
"""Folder of the hot files inside a home."""

DATA = "memorycore"
"""Folder of the database, the settings file and the plugin's status inside a home."""

TOOL = "hermes"
"""Names the plugin in the provenance of every change."""


def open_home(home: Path) -> Opened:
    """Open the core of `home`: the home alone says where everything lies, the environment may set the rest."""
    # The stores and the embedder pull in native libraries; listing providers must not pay for them.
    from memorycore.bootstrap import open_core  # noqa: PLC0415
    from memorycore.settings import Settings  # noqa: PLC0415

    settings = Settings(memory_dir=home / MEMORIES, data_dir=home / DATA)
    return Opened(
        open_core(settings, tool=TOOL),
        prefetch_enabled=settings.prefetch_enabled,
        jobs_enabled=settings.schedule.enabled,
        index_topics=settings.index_topics,
    )
