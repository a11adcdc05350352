"""A cold side on a real database, with rules simple enough to predict."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pytest

from memorycore.adapters.aboutness_file import load_aboutness_words
from memorycore.adapters.residue_files import FileResidue
from memorycore.bootstrap.databases import Databases
from memorycore.model.limits import ColdLimits, Retention
from memorycore.model.memory import Memory, Provenance
from memorycore.model.relation import Match, Relation
from memorycore.model.results import StoreResult, StoreStatus
from memorycore.model.routing import (
    Classification,
    EntryType,
    Route,
    Screening,
    Target,
    Verdict,
)
from memorycore.policy.relation.comparing import Comparer
from memorycore.ports import Draft, Insert, Vector
from memorycore.service.forgetting import Forgetting, ForgettingRules
from memorycore.service.holdings import Holdings
from memorycore.service.hot_tier import HotTier
from memorycore.service.lost_entries import LostEntries
from memorycore.service.maintenance import Maintenance
from memorycore.service.paraphrases import Paraphrases
from memorycore.service.pass_tools import PassTools
from memorycore.service.purging import Purging
from memorycore.service.removal import Removal
from memorycore.service.store_model import StoreModel
from memorycore.service.targets import Targets
from memorycore.service.trash import Trash
from memorycore.service.vectors import Vectors
from memorycore.testing import CountingIds, FakeClock, HashEmbedder, InMemoryHotStore

pytest_plugins = ["cold_backends"]

BY = Provenance("tester", "pytest", "asked to")


class Rulebook:
    """Relations told by the texts: `x = 1` updates `x = 2`, equal words are the same, `+` marks similar ones."""

    def compare(
        self,
        older: str,
        newer: str,
        *,
        older_vector: Vector | None = None,
        newer_vector: Vector | None = None,
    ) -> Match:
        return Match(self._relation(older, newer), 1.0, "by the rulebook")

    def _relation(self, older: str, newer: str) -> Relation:
        if older.lower().rstrip(".") == newer.lower().rstrip("."):
            return Relation.SAME
        first, second = older.split(" = "), newer.split(" = ")
        if len(first) == len(second) == 2 and first[0] == second[0]:
            return Relation.UPDATE
        if (
            "+" in older
            and "+" in newer
            and older.split("+", maxsplit=1)[0] == newer.split("+", maxsplit=1)[0]
        ):
            return Relation.SIMILAR
        return Relation.DISTINCT


def merged(older: str, newer: str) -> str:
    return f"{older}+{newer.split('+', 1)[1]}"


@dataclass
class Bench:
    """Everything on one database in a folder of the test."""

    folder: Path
    database: Databases
    clock: FakeClock = field(default_factory=FakeClock)
    ids: CountingIds = field(default_factory=CountingIds)
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    remote: Any = None
    hot_store: Any = field(default_factory=InMemoryHotStore)
    retention: Retention = field(default_factory=Retention)
    limits: ColdLimits = field(default_factory=ColdLimits)

    def __post_init__(self) -> None:
        self.repository = self.database.repository
        self.vectors = Vectors(self.embedder, clock=self.clock)
        self.model = StoreModel(self.repository, self.vectors)
        self.comparer = cast("Comparer", Rulebook())
        self.hot = HotTier(
            self.hot_store,
            classify=lambda text, _target: self.classify(text, Target.MEMORY, 0.5),
            clock=self.clock,
            record=self.repository.record,
            keep=LostEntries(
                self.repository,
                screen=self.screen,
                retention=self.retention,
                clock=self.clock,
                ids=self.ids,
            ).keep,
        )
        self.trash = Trash(self.repository, clock=self.clock, retention=self.retention)

    def classify(self, text: str, target: Target, importance: float) -> Classification:
        hot = "always" in text.lower()
        route, kind = (Route.HOT, EntryType.RULE) if hot else (Route.COLD, EntryType.STATE)
        return Classification(route, kind, hot, hot, 1.0, ("told",))

    def tools(self) -> PassTools:
        return PassTools(
            repository=self.repository,
            vectors=self.vectors,
            model=self.model,
            comparer=self.comparer,
            merge=merged,
            clock=self.clock,
            limits=self.limits,
            retention=self.retention,
        )

    def maintenance(self, owner: str = "me") -> Maintenance:
        return Maintenance(self.tools(), trash=self.trash, leases=self.database.leases, owner=owner)

    def forgetting(self) -> Forgetting:
        holdings = Holdings(self.repository, self.hot, clock=self.clock, remote=self.remote)
        removal = Removal(
            repository=self.repository,
            hot=self.hot,
            holdings=holdings,
            vectors=self.vectors,
            model=self.model,
            retention=self.retention,
            clock=self.clock,
            ids=self.ids,
            remote=self.remote,
        )
        residue = FileResidue(self.folder / "hot", self.folder / "data", database="memorycore.db")
        return Forgetting(
            holdings=holdings,
            targets=Targets(
                self.repository,
                vectors=self.vectors,
                words=load_aboutness_words(),
                comparer=self.comparer,
            ),
            removal=removal,
            purging=Purging(
                removal,
                self.database.journal,
                self.database.outbox,
                self.database.activity,
                residue,
            ),
            paraphrases=Paraphrases(self.repository, vectors=self.vectors, comparer=self.comparer),
            rules=ForgettingRules(self.classify, self.screen, self.store),
        )

    def screen(self, text: str) -> Screening:
        return Screening(Verdict.SECRET if "hunter2" in text else Verdict.CLEAN, ("password",))

    def store(self, draft: Draft, target: Target) -> StoreResult:
        kept = self.keep(draft.content, author=draft.author)
        return StoreResult(StoreStatus.COLD_STORED, "stored", target, memory_id=kept.id)

    def keep(self, content: str, **changes: Any) -> Memory:
        """Store a memory as told now, or as `changes` say."""
        now: datetime = changes.pop("told", self.clock.now())
        values: dict[str, Any] = {
            "author": "",
            "scope": "global",
            "importance": 0.5,
            "type": EntryType.STATE,
            "protected": False,
            "source": None,
            "created_at": now,
            "updated_at": now,
            "confirmed_at": now,
        }
        memory = Memory(id=self.ids.new_id(), content=content, **(values | changes))
        vector = self.model.accept(self.vectors.passage(content))
        self.repository.apply([Insert(memory, vector)], provenance=BY, at=self.clock.now())
        return memory

    def live(self) -> list[str]:
        return sorted(memory.content for memory in self.repository.scan(limit=100_000))

    def trashed(self) -> dict[str, str]:
        return {item.memory.content: item.reason.value for item in self.repository.trash()}

    def hot_texts(self) -> list[str]:
        return [e.text for target in Target for e in self.hot.reconcile(target).entries]


@pytest.fixture
def bench(open_rows: Callable[[Path], Databases], tmp_path: Path) -> Bench:
    return Bench(tmp_path, open_rows(tmp_path / "data" / "memorycore.db"))


@pytest.fixture
def bench_with(open_rows: Callable[[Path], Databases], tmp_path: Path) -> Callable[..., Bench]:
    def build(**changes: Any) -> Bench:
        return Bench(tmp_path, open_rows(tmp_path / "data" / "memorycore.db"), **changes)

    return build
