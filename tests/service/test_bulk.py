"""Import, export and re-embedding: nothing doubled, nothing lost, nothing half done."""

import json
import stat
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from typing_extensions import override

from memorycore import MemoryCore, Settings, open_core
from memorycore.errors import EmbedderError, InvalidInputError
from memorycore.ports import Embedder
from memorycore.service.bulk import BATCH
from memorycore.testing import CountingIds, FakeClock, HashEmbedder

Opener = Callable[..., MemoryCore]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    cores: list[MemoryCore] = []

    def open_one(name: str = "one", embedder: Embedder | None = None) -> MemoryCore:
        base = tmp_path / name
        core = open_core(
            Settings(memory_dir=base / "hot", data_dir=base / "data"),
            clock=FakeClock(),
            ids=CountingIds(f"{name}-{len(cores)}"),
            embedder=embedder or HashEmbedder(),
        )
        cores.append(core)
        return core

    yield open_one
    for core in cores:
        core.close()


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def exported(core: MemoryCore, folder: Path) -> list[dict[str, object]]:
    core.export(folder / "all.jsonl")
    return lines(folder / "all.jsonl")


def test_a_batch_is_stored_with_the_fields_it_brings(opened: Opener, tmp_path: Path) -> None:
    told = datetime(2025, 5, 4, 3, tzinfo=UTC)
    report = opened().import_memories(
        [
            {"content": "The kiln was relined.", "source": "diary", "importance": 0.7},
            {"content": "Die Fähre fährt um sieben.", "created_at": told.isoformat()},
            {"content": "El horno está roto.", "author": "ana", "scope": "project:x"},
        ],
        dedup=False,
    )
    assert (report.read, report.stored, report.rejected) == (3, 3, ())
    by_text = {line["content"]: line for line in exported(opened(), tmp_path)}
    assert by_text["The kiln was relined."]["importance"] == 0.7
    assert by_text["The kiln was relined."]["source"] == "diary"
    assert by_text["Die Fähre fährt um sieben."]["created_at"] == told.isoformat()
    assert by_text["El horno está roto."]["scope"] == "project:x"


@pytest.mark.parametrize("dedup", [True, False])
def test_exact_repeats_are_dropped_within_a_batch_and_across_runs(
    opened: Opener, dedup: bool
) -> None:
    core = opened()
    records = [{"content": text} for text in ("Tea at four.", " Tea at four.", "Coffee at five.")]
    first = core.import_memories(records, dedup=dedup)
    assert (first.stored, first.duplicates) == (2, 1)
    second = core.import_memories(records, dedup=dedup)
    assert (second.stored, second.duplicates) == (0, 3)
    assert core.usage().cold.live == 2


def test_what_cannot_be_used_is_named_by_its_position_and_the_rest_is_kept(
    opened: Opener,
) -> None:
    report = opened().import_memories(
        [
            {"content": "Tea at four."},
            {"content": "   "},
            {"text": "no content"},
            {"content": 5},
            {"content": "broken \ud800"},
            {"content": "x", "importance": 7},
            {"content": "y", "created_at": "yesterday"},
            {"content": "z", "type": "poem"},
            {"content": "the key is AKIAIOSFODNN7EXAMPLE, secret wJalrXUtnFEMI/K7MDENG/bPxRfiCY"},
            {"content": "Coffee at five."},
        ],
        dedup=False,
    )
    assert [position for position, _ in report.rejected] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert report.stored == 2
    assert "AKIA" not in str(report)


def test_several_batches_report_progress_and_keep_every_memory(opened: Opener) -> None:
    core = opened()
    seen: list[tuple[int, int | None]] = []
    count = 2 * BATCH + 3
    report = core.import_memories(
        [{"content": f"fact number {number} of the ledger"} for number in range(count)],
        dedup=False,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert report.stored == core.usage().cold.live == count
    assert seen == [(BATCH, count), (2 * BATCH, count), (count, count)]
    assert core.recall(f"fact number {count - 1} ledger").hits


def test_a_vector_at_hand_is_used_when_the_stores_model_made_it(opened: Opener) -> None:
    embedder = HashEmbedder()
    core = opened(embedder=embedder)
    own = embedder.embed_passages(["Tea at four."])[0]
    calls = embedder.calls
    core.import_memories(
        [{"content": "Tea at four.", "vector": own.tolist(), "vector_model": embedder.model}],
        dedup=False,
    )
    assert embedder.calls == calls
    core.import_memories(
        [{"content": "Coffee at five.", "vector": own.tolist(), "vector_model": "another"}],
        dedup=False,
    )
    assert embedder.calls == calls + 1
    bad = core.import_memories([{"content": "Milk at six.", "vector": ["a"]}], dedup=False)
    assert len(bad.rejected) == 1


def test_a_text_the_user_deleted_does_not_come_back_by_an_import(opened: Opener) -> None:
    core = opened()
    core.import_memories([{"content": "The old boat is called Petrel."}], dedup=False)
    core.release("The old boat is called Petrel.")
    for dedup in (True, False):
        report = core.import_memories([{"content": "The old boat is called Petrel."}], dedup=dedup)
        assert report.stored == 0
        assert "trash" in report.rejected[0][1]
    assert core.usage().cold.live == 0


def test_an_export_is_private_whole_and_comes_back_in_another_store(
    opened: Opener, tmp_path: Path
) -> None:
    first = opened("one")
    first.store_fact("Always answer in British English.", importance=0.95)
    first.import_memories(
        [{"content": f"fact {number}: 路由器 {number}", "importance": 0.6} for number in range(30)],
        dedup=False,
    )
    path = tmp_path / "all.jsonl"
    assert first.export(path) == len(lines(path)) == 31
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    second = opened("two")
    report = second.import_file(path)
    assert (report.read, report.rejected) == (31, ())
    assert [line["content"] for line in exported(second, tmp_path) if line["tier"] == "hot"] == [
        "Always answer in British English."
    ]
    assert second.usage().cold.live == 30
    assert second.import_file(path).stored == 0


def test_a_damaged_line_of_a_file_costs_itself_only(opened: Opener, tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"content": "Tea."}\n{broken\n\n[1]\n{"content": "Coffee."}\n', "utf-8")
    report = opened().import_file(path)
    assert report.stored == 2
    assert [position for position, _ in report.rejected] == [1, 2]


def test_files_that_cannot_be_used_are_told_and_an_old_export_stays(
    opened: Opener, tmp_path: Path
) -> None:
    core = opened()
    with pytest.raises(InvalidInputError, match="cannot be read"):
        core.import_file(tmp_path / "missing.jsonl")
    (tmp_path / "latin").write_bytes(b'{"content": "caf\xe9"}\n')
    with pytest.raises(InvalidInputError, match="cannot be read"):
        core.import_file(tmp_path / "latin")
    with pytest.raises(InvalidInputError, match="cannot be written"):
        core.export(tmp_path / "no" / "such" / "folder.jsonl")
    taken = tmp_path / "taken"
    taken.mkdir()
    with pytest.raises(InvalidInputError, match="cannot be written"):
        core.export(taken)
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".tmp")] == []


class Stopping(HashEmbedder):
    """Embeds some texts, then fails until told otherwise."""

    def __init__(self, after: int) -> None:
        super().__init__(dimension=32, model="stopping/1")
        self.left = after
        self.made = 0

    @override
    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if self.left <= 0:
            message = "no more today"
            raise EmbedderError(message)
        self.left -= len(texts)
        self.made += len(texts)
        return super().embed_passages(texts)


def test_a_store_moves_to_another_model_resuming_where_it_stopped(opened: Opener) -> None:
    facts = [{"content": f"fact number {number} of the ledger"} for number in range(300)]
    before = opened()
    before.import_memories(facts, dedup=False)
    before.close()
    embedder = Stopping(after=1)
    core = opened(embedder=embedder)
    assert "reembed" in (core.recall("fact ledger").degraded or "")
    with pytest.raises(EmbedderError):
        core.reembed()
    made = embedder.made
    assert 0 < made < 300
    assert "reembed" in (core.recall("fact ledger").degraded or "")
    embedder.left = 10_000
    stages: list[tuple[str, int, int]] = []
    report = core.reembed(progress=lambda *stage: stages.append(stage))
    assert (report.embedded, report.resumed, report.model) == (300, True, "stopping/1")
    assert embedder.made == 300
    assert stages[-1][1:] == (300 - made, 300) or stages[-1][1:] == (300, 300)
    found = core.recall("fact number 17 of the ledger")
    assert found.degraded is None
    assert found.hits[0].dense_score is not None


def test_embedding_anew_with_the_same_model_changes_nothing_to_see(opened: Opener) -> None:
    core = opened()
    core.import_memories([{"content": "Tea at four."}], dedup=False)
    first = core.recall("tea at four").hits[0]
    assert core.reembed().embedded == 1
    again = core.recall("tea at four").hits[0]
    assert (again.id, again.dense_score) == (first.id, first.dense_score)
    assert core.doctor().healthy
