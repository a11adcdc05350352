"""Hermes homes on real cores, without the host: the stage for the tests of provider and hooks."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import override

from memorycore.bootstrap import open_core
from memorycore.entrypoints.hermes import HermesMemory
from memorycore.entrypoints.hermes.governor import Opened
from memorycore.entrypoints.hermes.home import Homes
from memorycore.model.results import RecallResult
from memorycore.service.core import MemoryCore
from memorycore.settings import Settings
from memorycore.testing import FakeClock, HashEmbedder

FACT = "The metrics gateway of project heron listens on port 9417 of host alder"
QUESTION = "metrics gateway heron port 9417 host alder"
RULE = "Always answer in German when the question is in German"


class TroubledCore(MemoryCore):
    """A core whose recall can be made to fail or to hang."""

    fault: Exception | None = None
    gate: threading.Event | None = None

    @override
    def prefetch(
        self, query: str, *, top_k: int = 20, budget: float | None = None, count: bool = False
    ) -> RecallResult:
        if self.gate:
            self.gate.wait(10)
        if self.fault:
            raise self.fault
        return super().prefetch(query, top_k=top_k, budget=budget, count=count)


@dataclass
class Stage:
    """Homes on real cores, and the clock they go by."""

    clock: FakeClock
    cores: dict[Path, MemoryCore] = field(default_factory=dict)
    providers: list[HermesMemory] = field(default_factory=list)
    refuse: Exception | None = None
    opened: int = 0
    jobs: bool = False

    def __post_init__(self) -> None:
        self.homes = Homes(open_home=self.open, clock=self.clock)

    def open(self, home: Path) -> Opened:
        self.opened += 1
        if self.refuse:
            raise self.refuse
        settings = Settings(
            memory_dir=home / "memories",
            data_dir=home / "memorycore",
            memory_char_limit=2200,
            user_char_limit=1375,
        )
        core = open_core(settings, clock=self.clock, embedder=HashEmbedder(), tool="hermes")
        core.__class__ = TroubledCore
        self.cores[home] = core
        return Opened(core, jobs_enabled=self.jobs, index_topics=("heron", "garden"))

    def core(self, home: Path) -> TroubledCore:
        """Return the core of a home some agent uses."""
        assert self.homes.attach(home, "probe").opened
        self.homes.detach(home)
        core = self.cores[home]
        assert isinstance(core, TroubledCore)
        return core

    def provider(
        self, home: Path, *, session: str = "s1", context: str = "primary"
    ) -> HermesMemory:
        provider = HermesMemory(homes=self.homes)
        self.providers.append(provider)
        provider.initialize(session, hermes_home=str(home), agent_context=context, platform="cli")
        return provider

    def settle(self, home: Path, act: Callable[[], object] = lambda: None) -> None:
        act()
        assert self.homes.attach(home, "probe").worker.drain(20)
        self.homes.detach(home)


def write(home: Path, *entries: str) -> None:
    (home / "memories" / "MEMORY.md").write_text("\n§\n".join(entries), encoding="utf-8")


def entries(home: Path) -> list[str]:
    path = home / "memories" / "MEMORY.md"
    return path.read_text(encoding="utf-8").split("\n§\n") if path.exists() else []


def filler(number: int) -> str:
    return f"Always name the unit of gauge {number} in the {number}th hall when you report what it reads"


def remember(core: MemoryCore, *texts: str) -> None:
    core.import_memories([{"content": text} for text in texts], dedup=False)
