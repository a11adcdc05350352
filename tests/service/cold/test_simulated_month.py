"""A month of a server's life on a clock that is moved by hand, and what a user asks afterwards."""

from pathlib import Path

import pytest

from memorycore.bootstrap import open_core
from memorycore.service.core import MemoryCore
from memorycore.settings import Settings
from memorycore.testing import FakeClock, HashEmbedder

pytestmark = pytest.mark.slow

FACTS = (
    "The archive of the choir lies in the cellar of the parish hall, shelf 12.",
    "Marta conducts the choir, Oskar plays the organ.",
    "The spare key of the hall hangs behind the notice board.",
    "The organ was built by Walcker in 1911 and restored in 1987.",
    "Rehearsal recordings are kept on the drive named canto-2.",
)


def live_through(core: MemoryCore, clock: FakeClock, *, days: int) -> None:
    for _ in range(days):
        for job in core.jobs.all:
            core.jobs.run_due(job.name)
        core.recall("where is the archive of the choir")
        clock.advance(days=1)


def kept_anywhere(core: MemoryCore, folder: Path) -> str:
    core.export(folder / "all.jsonl")
    exported = (folder / "all.jsonl").read_text(encoding="utf-8")
    return exported + "".join(item.memory.content for item in core.trash())


def test_after_a_month_every_fact_is_somewhere_and_what_left_says_why_and_comes_back(
    tmp_path: Path,
) -> None:
    clock = FakeClock()
    settings = Settings(memory_dir=tmp_path / "hot", data_dir=tmp_path / "data")
    with open_core(settings, clock=clock, embedder=HashEmbedder()) as core:
        for fact in FACTS:
            core.store_fact(fact)
        core.store_fact("Looked through the tenor parts today.", scope="session:7")
        live_through(core, clock, days=10)
        core.supersede("spare key hall", "The spare key of the hall is with Marta now.")
        core.release("organ Walcker")
        live_through(core, clock, days=18)

        everything = kept_anywhere(core, tmp_path)
        assert all(fact in everything for fact in FACTS)
        reasons = {item.memory.content: item.reason.value for item in core.trash()}
        assert reasons[FACTS[2]] == "superseded"
        assert reasons[FACTS[3]] == "released"
        assert reasons["Looked through the tenor parts today."] == "stale"

        gone = next(item for item in core.trash() if item.memory.content == FACTS[2])
        told = core.history(gone.memory.id)[-1]
        assert told.provenance.reason
        assert gone.successor_id is not None
        assert core.revive(gone.memory.id).memory is not None
        assert FACTS[2] in [hit.content for hit in core.recall("spare key of the hall").hits]

        jobs = {job.name: job for job in core.usage().jobs}
        assert all(job.last_error is None and job.last_run for job in jobs.values())


def test_after_thirty_days_more_the_trash_is_empty_and_the_store_unchanged(tmp_path: Path) -> None:
    clock = FakeClock()
    settings = Settings(memory_dir=tmp_path / "hot", data_dir=tmp_path / "data")
    with open_core(settings, clock=clock, embedder=HashEmbedder()) as core:
        for fact in FACTS:
            core.store_fact(fact)
        core.release("organ Walcker")
        live = core.usage().cold.live
        live_through(core, clock, days=29)
        assert len(core.trash()) == 1
        live_through(core, clock, days=3)
        assert core.trash() == []
        assert core.usage().cold.live == live
