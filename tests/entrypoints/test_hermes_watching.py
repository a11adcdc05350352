"""What the plugin makes of a hot file that changed: by the host, by hand, or by governance itself."""

import json
import os
from pathlib import Path

import pytest

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.entrypoints.hermes.watching import Change, HotWatch
from memorycore.errors import CorruptHotFileError
from memorycore.model.hot import EntryMeta, NewEntry, Origin
from memorycore.model.routing import EntryType, Target
from memorycore.testing import FakeClock

MEMORY = Target.MEMORY


class Desk:
    """A folder with a file, somebody who writes it, and somebody who watches."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "MEMORY.md"
        limits = dict.fromkeys(Target, 2200)
        self.store = MarkdownHotStore(folder, limits=limits, clock=FakeClock())
        self.watch = HotWatch(self.store)

    def write(self, *entries: str) -> None:
        self.path.write_text("\n§\n".join(entries), encoding="utf-8")

    def govern(self, *entries: str, stub: bool = False) -> None:
        at = FakeClock().now()
        meta = EntryMeta(EntryType.STUB if stub else EntryType.RULE, at, at, Origin.STORE)
        wanted = [NewEntry(entry, meta) for entry in entries]
        self.store.commit(MEMORY, wanted, expected=self.store.read(MEMORY).revision)

    def look(self) -> Change:
        return self.watch.look(MEMORY)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write("likes tea", "works at night", "uses podman")
    desk.look()
    return desk


def removed(change: Change) -> list[str]:
    return [entry.text for entry in change.removed]


def test_the_first_look_and_an_unchanged_file_tell_nothing(desk: Desk, tmp_path: Path) -> None:
    assert not Desk(tmp_path).look()
    assert not desk.look()


def test_what_came_and_what_somebody_removed_is_told(desk: Desk) -> None:
    desk.write("likes tea", "uses podman", "has a dog called Rusty")
    change = desk.look()
    assert [entry.text for entry in change.appeared] == ["has a dog called Rusty"]
    assert removed(change) == ["works at night"]


def test_what_governance_moved_out_counts_as_removed_by_nobody(desk: Desk) -> None:
    desk.govern("likes tea")
    assert removed(desk.look()) == []


def test_governance_of_another_process_between_two_edits_is_told_apart(desk: Desk) -> None:
    desk.write("likes tea", "uses podman")
    Desk(desk.path.parent).govern("uses podman")
    assert removed(desk.look()) == ["works at night"]


def test_an_edited_entry_is_rewritten_not_removed(desk: Desk) -> None:
    desk.write("likes tea", "works at noon", "uses podman")
    change = desk.look()
    assert removed(change) == []
    assert [(old.text, new) for old, new in change.rewritten] == [
        ("works at night", "works at noon")
    ]


def test_an_entry_that_was_only_added_to_is_neither(desk: Desk) -> None:
    desk.write("likes tea", "works at night, never before ten", "uses podman")
    change = desk.look()
    assert not change.removed
    assert not change.rewritten


def test_an_entry_that_became_part_of_another_is_not_removed(desk: Desk) -> None:
    desk.write("Habits: likes tea; works at night; uses podman")
    assert removed(desk.look()) == []


def test_a_pointer_that_is_cleared_away_leaves_the_memory_it_points_to(desk: Desk) -> None:
    desk.govern("likes tea", "→ recall: podman setup", stub=True)
    desk.look()
    desk.write("likes tea")
    assert removed(desk.look()) == []


@pytest.mark.parametrize("ascii_only", [True, False])
def test_what_the_host_pushed_out_for_room_was_removed_by_nobody(
    desk: Desk, *, ascii_only: bool
) -> None:
    desk.write("mag Tee", 'trägt "Rot"')
    desk.look()
    line = json.dumps({"entry": 'trägt "Rot"', "target": "memory"}, ensure_ascii=ascii_only)
    desk.path.with_name("ARCHIVE.jsonl").write_text(line + "\n", encoding="utf-8")
    desk.write("mag Tee")
    change = desk.look()
    assert removed(change) == []
    assert [entry.text for entry in change.evicted] == ['trägt "Rot"']


def test_an_emptied_or_deleted_file_counts_as_removal(desk: Desk) -> None:
    desk.path.unlink()
    assert len(desk.look().removed) == 3


def test_a_file_that_cannot_be_read_removes_nothing(desk: Desk) -> None:
    desk.path.write_bytes(b"\xff\xfe")
    with pytest.raises(CorruptHotFileError):
        desk.look()
    desk.write("likes tea", "works at night", "uses podman")
    assert not desk.look()


def test_a_stat_tells_whether_to_look(desk: Desk) -> None:
    desk.watch.look(Target.USER)
    assert not desk.watch.touched()
    desk.write("likes tea")
    os.utime(desk.path, ns=(1, 1))
    assert desk.watch.touched()
