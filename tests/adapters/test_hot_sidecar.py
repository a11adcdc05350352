"""What the sidecar keeps of each entry, and that its damage costs nothing but itself."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.model.hot import EntryMeta, HotSnapshot, NewEntry, Origin
from memorycore.model.routing import EntryType, Target
from memorycore.policy.text import entry_key
from memorycore.ports.hot import HotStore

NOON = datetime(2026, 4, 2, 12, tzinfo=UTC)
MEMORY = Target.MEMORY


class StillClock:
    def now(self) -> datetime:
        return NOON

    def monotonic(self) -> float:
        return 0.0


def store_in(folder: Path, *, lock_timeout: float = 5.0) -> HotStore:
    limits = {Target.MEMORY: 2200, Target.USER: 1375}
    return MarkdownHotStore(folder, limits=limits, clock=StillClock(), lock_timeout=lock_timeout)


def meta(*, memory_id: str | None = None, at: datetime = NOON) -> EntryMeta:
    return EntryMeta(EntryType.RULE, at, at, Origin.STORE, memory_id=memory_id)


def put(store: HotStore, *texts: str) -> HotSnapshot:
    entries = [NewEntry(text, meta()) for text in texts]
    return store.commit(MEMORY, entries, expected=store.read(MEMORY).revision)


def test_metadata_comes_back_and_leaves_with_its_entry(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    revision = put(store, "a").revision
    store.commit(MEMORY, [NewEntry("stub", meta(memory_id="m1"))], expected=revision)
    put(store, "stub", "c")
    assert store.read(MEMORY).entries[0].meta == meta()
    records = json.loads((tmp_path / "MEMORY.meta.json").read_bytes())["entries"]
    assert set(records) == {entry_key("stub"), entry_key("c")}


def test_annotating_types_what_the_host_wrote_without_touching_the_file(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("by the host \n", encoding="utf-8")
    store = store_in(tmp_path)
    store.annotate(MEMORY, {entry_key("by the host"): meta(), entry_key("gone"): meta()})
    assert (tmp_path / "MEMORY.md").read_bytes() == b"by the host \n"
    assert [entry.meta for entry in store.read(MEMORY).entries] == [meta()]
    assert entry_key("gone") not in (tmp_path / "MEMORY.meta.json").read_text(encoding="utf-8")


def test_keeping_an_entry_without_metadata_does_not_forget_what_is_known(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    revision = put(store, "a").revision
    snapshot = store.commit(MEMORY, [NewEntry("a", None)], expected=revision)
    assert snapshot.entries[0].meta == meta()


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"entries": 3}',
        b'{"entries": {"KEY": {"type": "rule"}}}',
        b'{"entries": {"KEY": {"type": "x", "written_at": 1, "updated_at": [], "origin": null}}}',
    ],
)
def test_a_damaged_sidecar_counts_as_none_and_is_rebuilt(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "MEMORY.md").write_text("a", encoding="utf-8")
    (tmp_path / "MEMORY.meta.json").write_bytes(damage.replace(b"KEY", entry_key("a").encode()))
    store = store_in(tmp_path)
    assert [entry.meta for entry in store.read(MEMORY).entries] == [None]
    store.annotate(MEMORY, {entry_key("a"): meta()})
    assert store.read(MEMORY).entries[0].meta == meta()


def test_a_clock_at_zero_in_the_sidecar_makes_no_entry_old(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    (tmp_path / "MEMORY.md").write_text("a", encoding="utf-8")
    store.annotate(MEMORY, {entry_key("a"): meta(at=datetime(1970, 1, 1, tzinfo=UTC))})
    assert store.read(MEMORY).entries[0].meta is None


def test_fields_of_a_later_release_are_kept(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    put(store, "a")
    path = tmp_path / "MEMORY.meta.json"
    document = json.loads(path.read_bytes())
    document["schema_note"] = "later"
    document["entries"][entry_key("a")]["colour"] = "teal"
    path.write_text(json.dumps(document), encoding="utf-8")
    store.annotate(MEMORY, {entry_key("a"): meta(at=NOON + timedelta(days=1))})
    document = json.loads(path.read_bytes())
    assert document["schema_note"] == "later"
    assert document["entries"][entry_key("a")]["colour"] == "teal"


def test_a_sidecar_that_cannot_be_written_stops_no_write(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.meta.json").mkdir()
    put(store_in(tmp_path), "a")
    assert (tmp_path / "MEMORY.md").read_text(encoding="utf-8") == "a"


def test_an_entry_shaped_like_a_document_stays_one_entry_when_we_wrote_it(tmp_path: Path) -> None:
    text = "# Release\n- tag it\n- push the tag\n- tell the channel"
    store = store_in(tmp_path)
    put(store, text)
    assert [entry.text for entry in store_in(tmp_path).read(MEMORY).entries] == [text]


def test_what_we_took_out_is_told_from_what_somebody_else_removed(tmp_path: Path) -> None:
    store = MarkdownHotStore(tmp_path, limits=dict.fromkeys(Target, 2200), clock=StillClock())
    put(store, "a", "b", "c")
    put(store, "b", "c")
    (tmp_path / "MEMORY.md").write_text("c", encoding="utf-8")
    assert store.taken(MEMORY) == {entry_key("a")}
    put(store, "c", "a")
    assert store.taken(MEMORY) == frozenset()
