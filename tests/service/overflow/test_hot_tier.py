"""The hot tier: types and ages of what is found, writes that survive other writers."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memorycore.errors import HotFileUnavailableError, InvalidInputError
from memorycore.model.hot import EntryMeta, Origin
from memorycore.model.memory import EventKind
from memorycore.model.routing import EntryType, Target
from memorycore.policy.overflow.stubs import stub_text
from memorycore.policy.text import entry_key

MEMORY = Target.MEMORY
Rig = Any
Fill = Callable[..., str]


def meta(rig: Rig, **changes: Any) -> EntryMeta:
    now = rig.clock.now()
    return replace(EntryMeta(EntryType.RULE, now, now, Origin.STORE), **changes)


def metas(rig: Rig) -> dict[str, EntryMeta]:
    return {entry.text: entry.meta for entry in rig.tier.reconcile(MEMORY).entries}


def test_entries_found_in_a_file_are_typed_and_count_as_written_now(rig: Rig) -> None:
    rig.write("hot rule of 2019-01-01", "cold note", "guard line", stub_text("Garden: pumps"))

    found = metas(rig)

    assert [m.type for m in found.values()] == [
        EntryType.RULE,
        EntryType.STATE,
        EntryType.STATE if not found["guard line"].protected else EntryType.RULE,
        EntryType.STUB,
    ]
    assert all(m.written_at == rig.clock.now() for m in found.values())
    assert [m.protected for m in found.values()] == [False, False, True, False]
    assert all(m.origin is Origin.ADOPTED for m in found.values())


def test_reconciling_changes_no_byte_of_the_file(rig: Rig) -> None:
    rig.write("hot rule", "cold note")
    before = rig.hot.path(MEMORY).read_bytes()

    rig.tier.reconcile(MEMORY)
    rig.tier.reconcile(MEMORY)

    assert rig.hot.path(MEMORY).read_bytes() == before


def test_an_edited_entry_keeps_its_age_and_a_new_one_has_none(rig: Rig) -> None:
    rig.write("cold the staging box listens on port 8125", "hot rule")
    written = rig.clock.now()
    rig.tier.reconcile(MEMORY)
    rig.clock.advance(days=5)
    rig.write("cold the staging box listens on port 8126", "hot rule", "cold grocery list")

    found = metas(rig)

    edited = found["cold the staging box listens on port 8126"]
    assert edited.written_at == written
    assert edited.updated_at == rig.clock.now()
    assert found["cold grocery list"].written_at == rig.clock.now()


def test_a_lost_sidecar_makes_nothing_old_and_keeps_pointers_pointers(rig: Rig) -> None:
    rig.write("cold note", stub_text("Garden: pumps"))
    rig.age(days=90)
    rig.hot.sidecar_path(MEMORY).unlink()
    other = rig.again()

    found = metas(other)

    assert all(m.written_at == rig.clock.now() for m in found.values())
    assert [m.type for m in found.values()] == [EntryType.STATE, EntryType.STUB]


def test_a_sidecar_lost_or_unwritable_in_mid_run_makes_nothing_new_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.write("cold note")
    written = rig.clock.now()
    rig.tier.reconcile(MEMORY)
    rig.hot.sidecar_path(MEMORY).unlink()

    def fail(*_: object) -> None:
        raise HotFileUnavailableError("the disk is read-only")

    monkeypatch.setattr(rig.hot, "annotate", fail)
    rig.clock.advance(days=8)

    assert metas(rig)["cold note"].written_at == written
    assert metas(rig)["cold note"].written_at == written
    assert len(rig.events) == 1


def test_entries_that_came_and_went_are_told_in_the_history(rig: Rig) -> None:
    rig.write("hot rule", "cold note")
    rig.tier.reconcile(MEMORY)
    rig.write("hot rule")
    rig.tier.reconcile(MEMORY)

    told = [(event.kind, event.entry_key) for event in rig.events]
    assert told == [
        (EventKind.ADOPTED, entry_key("hot rule")),
        (EventKind.ADOPTED, entry_key("cold note")),
        (EventKind.REMOVED, entry_key("cold note")),
    ]


def test_a_text_that_stands_in_the_file_is_not_added_again(rig: Rig) -> None:
    rig.write("hot rule")
    before = rig.hot.path(MEMORY).read_bytes()

    rig.tier.add(MEMORY, " hot rule\n", meta=meta(rig))

    assert rig.hot.path(MEMORY).read_bytes() == before


@pytest.mark.parametrize(("room", "stands"), [(0, True), (-1, False)])
def test_a_capped_add_keeps_to_the_cap_to_the_character(
    rig: Rig, fill: Fill, room: int, *, stands: bool
) -> None:
    rig.write(fill("hot rule", 100))
    text = "👩‍👩‍👧‍👦 家族"
    cap = 100 + 3 + len(text) + room

    snapshot = rig.tier.add(MEMORY, text, meta=meta(rig), cap=cap)

    assert (text in [entry.text for entry in snapshot.entries]) is stands
    assert snapshot.characters <= cap


def test_replacing_keeps_place_and_other_entries(rig: Rig) -> None:
    rig.write("hot one", "hot two", "hot three")

    rig.tier.replace(MEMORY, entry_key("hot two"), "hot second", meta=meta(rig))

    assert rig.texts() == ["hot one", "hot second", "hot three"]


def test_replacing_what_is_gone_is_refused_and_changes_nothing(rig: Rig) -> None:
    rig.write("hot one")

    with pytest.raises(InvalidInputError):
        rig.tier.replace(MEMORY, entry_key("hot two"), "hot second", meta=meta(rig))

    assert rig.texts() == ["hot one"]


def test_replacing_by_a_text_that_stands_already_leaves_one(rig: Rig) -> None:
    rig.write("hot one", "hot two")

    rig.tier.replace(MEMORY, entry_key("hot two"), "hot one", meta=meta(rig))

    assert rig.texts() == ["hot one"]


def test_removing_passes_over_what_is_not_there(rig: Rig) -> None:
    rig.write("hot one", "hot two")

    rig.tier.remove(MEMORY, [entry_key("hot two"), entry_key("never")])

    assert rig.texts() == ["hot one"]


def test_shrinking_is_allowed_while_the_file_stands_above_its_budget(rig: Rig, fill: Fill) -> None:
    rig.write(*[fill(f"hot s{n}x", 300) for n in range(5)])
    first = rig.hot.read(MEMORY).entries[0].key

    rig.tier.replace(MEMORY, first, "hot short", meta=meta(rig))
    rig.tier.remove(MEMORY, [rig.hot.read(MEMORY).entries[1].key])

    assert len(rig.texts()) == 4
    assert "hot short" in rig.texts()


def test_writers_at_the_same_time_all_get_their_entry_in(rig: Rig) -> None:
    rigs = [rig, rig.again("b:2:2"), rig.again("c:3:3")]

    def write(number: int) -> None:
        own = rigs[number]
        for entry in range(8):
            own.tier.add(MEMORY, f"hot {number}-{entry}", meta=meta(own))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(rig.texts()) == sorted(f"hot {n}-{e}" for n in range(3) for e in range(8))


def test_a_hand_edit_while_running_is_adopted_and_the_next_write_goes_through(rig: Rig) -> None:
    rig.write("hot one")
    rig.tier.reconcile(MEMORY)
    path = rig.hot.path(MEMORY)
    path.write_text("hot by hand\n§\nhot one\n\n\n", encoding="utf-8")

    rig.tier.add(MEMORY, "hot two", meta=meta(rig))

    assert rig.texts() == ["hot by hand", "hot one", "hot two"]
    assert all(entry.meta for entry in rig.tier.reconcile(MEMORY).entries)


def test_usage_counts_protected_characters_apart(rig: Rig) -> None:
    rig.write("guard four", "hot two")

    usage = rig.tier.usage(MEMORY)

    assert (usage.entries, usage.characters, usage.limit) == (2, 20, 1000)
    assert usage.protected_characters == len("guard four")
    assert usage.pressure == pytest.approx(0.02)


def test_an_entry_is_classified_once_however_often_it_is_read(rig: Rig) -> None:
    seen: list[str] = []
    inner = rig.tier.classification

    rig.write("hot one")
    for _ in range(3):
        rig.tier.reconcile(MEMORY)
        seen.append(inner("hot one", MEMORY).reasons[0])
    first = inner("hot one", MEMORY)

    assert all(inner("hot one", MEMORY) is first for _ in range(3))
    assert rig.clock.now() - metas(rig)["hot one"].written_at == timedelta(0)
