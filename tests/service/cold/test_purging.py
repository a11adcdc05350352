"""After a purge no byte of the text stands in anything on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memorycore.adapters.clock import SystemClock
from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.model.memory import EventKind, Provenance, TrashReason
from memorycore.model.routing import Target
from memorycore.policy.text import content_hash, entry_key
from memorycore.ports import Activity, Discard, Intent, OutboxItem, Revise

if TYPE_CHECKING:
    from cold_bench import Bench

pytest_plugins = ["cold_bench"]

BY = Provenance("tester", "pytest", "asked to")
TEXT = "Ines hid the \u00abblue\u00bb ledger behind the third hive"
MARK = "third hive"


def leftovers(folder: Path, *needles: bytes) -> list[str]:
    """Return the files below `folder` that hold one of `needles`."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    ]


def forms(text: str) -> tuple[bytes, ...]:
    return (
        text.encode(),
        json.dumps(text)[1:-1].encode(),
        text.encode("utf-16-le"),
        content_hash(text).encode(),
        bytes.fromhex(content_hash(text)),
        entry_key(text).encode(),
    )


@pytest.fixture
def purged(bench: Bench) -> Iterator[Callable[[str], Any]]:
    def run(query: str) -> Any:
        result = bench.forgetting().purge(query, provenance=BY)
        assert leftovers(bench.folder, *forms(TEXT), MARK.encode()) == []
        return result

    yield run


def test_a_live_memory_leaves_database_log_index_vectors_and_history(
    bench: Bench, purged: Callable[[str], Any]
) -> None:
    memory = bench.keep(TEXT)
    bench.keep("Otto keeps goats")
    bench.repository.apply(
        [Revise(memory.id, f"{TEXT}, wrapped in wax", None, 0.5, 1)],
        provenance=BY,
        at=bench.clock.now(),
    )
    assert purged("everything about Ines").purged == 1
    assert bench.live() == ["Otto keeps goats"]


@pytest.mark.parametrize("reason", list(TrashReason))
def test_what_lies_in_the_trash_is_reached_too(
    bench: Bench, purged: Callable[[str], Any], reason: TrashReason
) -> None:
    memory = bench.keep(TEXT)
    now = bench.clock.now()
    discard = Discard(memory.id, reason, now + timedelta(days=30), "note")
    bench.repository.apply([discard], provenance=BY, at=now)
    assert purged("everything about Ines").purged == 1
    assert bench.trashed() == {}


def test_copies_in_longer_texts_are_cut_out_and_the_rest_of_them_stays(
    bench: Bench, purged: Callable[[str], Any]
) -> None:
    memory = bench.keep(TEXT)
    bench.keep(f"Otto keeps goats. {TEXT}. The harvest is in July.")
    purged(memory.id)
    assert bench.live() == ["Otto keeps goats. The harvest is in July."]


def test_an_older_wording_of_another_memory_leaves_its_history(
    bench: Bench, purged: Callable[[str], Any]
) -> None:
    memory = bench.keep(TEXT, scope="project:x")
    other = bench.keep(TEXT)
    bench.repository.apply(
        [Revise(other.id, "the ledger is in the safe", None, 0.5, 1)],
        provenance=BY,
        at=bench.clock.now(),
    )
    purged(memory.id)
    assert bench.live() == ["the ledger is in the safe"]


def test_queries_outbox_and_open_intents_keep_nothing(
    bench: Bench, purged: Callable[[str], Any]
) -> None:
    memory, now = bench.keep(TEXT), bench.clock.now()
    bench.database.activity.note(Activity(now, "write", TEXT[:30]))
    bench.database.activity.note(Activity(now, "query", f"where is it: {TEXT}"))
    bench.database.outbox.enqueue(OutboxItem("o1", "remember", {"content": TEXT}, now))
    bench.database.journal.begin(
        Intent("i1", "demote", "begun", "me", now + timedelta(minutes=1), {"text": TEXT})
    )
    purged(memory.id)
    assert bench.database.outbox.count() == 0


def test_logged_queries_that_name_what_is_purged_go_with_it(bench: Bench) -> None:
    now = bench.clock.now()
    bench.keep(TEXT)
    for query in ("what did Ines hide?", "where is Otto?"):
        bench.database.activity.note(Activity(now, "query", query))
    bench.forgetting().purge("everything about Ines", provenance=BY)
    assert [line.text for line in bench.database.activity.since(now)] == ["where is Otto?"]
    assert leftovers(bench.folder, b"Ines", b"ines") == []


def test_a_logged_query_in_the_words_of_what_is_purged_goes_whatever_its_case(
    bench: Bench,
) -> None:
    now, memory = bench.clock.now(), bench.keep("Never mail the Heron list on Fridays")
    for query in ("never mail the heron list", "MAIL THE  HERON list on fridays", "heron sounds"):
        bench.database.activity.note(Activity(now, "query", query))
    bench.forgetting().purge(memory.id, provenance=BY)
    assert [line.text for line in bench.database.activity.since(now)] == ["heron sounds"]


def test_hot_entries_their_sidecar_and_our_backups_keep_nothing(
    bench_with: Callable[..., Bench], tmp_path: Path
) -> None:
    folder = tmp_path / "hot"
    folder.mkdir()
    store = MarkdownHotStore(folder, limits=dict.fromkeys(Target, 5000), clock=SystemClock())
    bench = bench_with(hot_store=store)
    (folder / "MEMORY.md").write_text(f"Always sweep\n§\n{TEXT}", encoding="utf-8")
    (folder / "MEMORY.md.bak.1-abc").write_text(f"Always sweep\n§\n{TEXT}", encoding="utf-8")
    (tmp_path / "data" / "export.jsonl").write_text(json.dumps({"content": TEXT}), encoding="utf-8")
    bench.hot.reconcile(Target.MEMORY)
    bench.database.activity.note(Activity(bench.clock.now(), "write", TEXT[:40]))
    result = bench.forgetting().purge("everything about Ines", provenance=BY)
    assert result.purged == 1
    assert bench.hot_texts() == ["Always sweep"]
    assert leftovers(tmp_path, *forms(TEXT), MARK.encode()) == []
    assert "Always sweep" in (folder / "MEMORY.md.bak.1-abc").read_text(encoding="utf-8")


def test_what_was_once_a_hot_entry_leaves_no_hash_in_the_history(
    bench: Bench, purged: Callable[[str], Any]
) -> None:
    bench.hot_store.write_by_hand(Target.MEMORY, TEXT)
    bench.hot.reconcile(Target.MEMORY)
    bench.forgetting().release("everything about Ines", provenance=BY)
    assert any(event.entry_key == entry_key(TEXT) for event in bench.repository.events())
    purged("everything about Ines")
    assert all(event.entry_key != entry_key(TEXT) for event in bench.repository.events())


def test_a_set_aside_database_that_may_hold_the_text_is_named(bench: Bench) -> None:
    memory = bench.keep(TEXT)
    aside = bench.folder / "data" / "memorycore.db.damaged"
    aside.write_bytes(b"SQLite format 3\x00" + TEXT.encode())
    result = bench.forgetting().purge(memory.id, provenance=BY)
    assert aside.name in result.reason


def test_what_remains_is_that_when_and_by_whom(bench: Bench) -> None:
    memory = bench.keep(TEXT)
    bench.forgetting().purge(memory.id, provenance=Provenance("ada", "cli", "asked by post"))
    last = bench.repository.events()[-1]
    assert last.kind is EventKind.PURGED
    assert (last.at, last.provenance.actor, last.provenance.tool) == (
        bench.clock.now(),
        "ada",
        "cli",
    )


def test_purging_one_thing_leaves_its_neighbours_whole(bench: Bench) -> None:
    near = ["Ines hid the red ledger", "Otto hid the blue ledger", "the third hive is empty"]
    for text in near:
        bench.keep(text)
    memory = bench.keep(TEXT)
    bench.forgetting().purge(memory.id, provenance=BY)
    assert bench.live() == sorted(near)
