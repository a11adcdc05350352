"""Overflow on real files: what moves, what stays, and what a failing cold tier changes."""

from collections.abc import Callable
from typing import Any

import pytest
from filelock import FileLock

from memorycore.model.memory import TrashReason
from memorycore.model.plan import Demote, Keep
from memorycore.model.routing import EntryType, Target

Rig = Any
Fill = Callable[..., str]
ColdFile = Callable[..., list[str]]
MEMORY, USER = Target.MEMORY, Target.USER


def test_what_leaves_the_file_is_in_the_cold_store_to_the_letter(
    rig: Rig, cold_file: ColdFile, fill: Fill
) -> None:
    texts = [*cold_file(5), fill("hot rule")]
    rig.write(*texts)

    report = rig.overflow.run(MEMORY)

    left = rig.texts()
    assert report.characters_after <= 400
    assert report.characters_after == rig.hot.read(MEMORY).characters
    assert sorted(left + rig.cold.texts()) == sorted(texts)
    assert texts[-1] in left


def test_a_dry_run_changes_neither_file_nor_store(rig: Rig, cold_file: ColdFile) -> None:
    rig.write(*cold_file(6))
    before = rig.hot.path(MEMORY).read_bytes()

    plan = rig.overflow.plan(MEMORY)

    assert any(isinstance(action, Demote) for action in plan.actions)
    assert rig.hot.path(MEMORY).read_bytes() == before
    assert rig.cold.texts() == []
    assert rig.database.journal.open_intents() == []


def test_the_dry_run_foretells_what_the_run_does(rig: Rig, cold_file: ColdFile, fill: Fill) -> None:
    rig.write(*cold_file(6), fill("stale note"))

    plan = rig.overflow.plan(MEMORY)
    report = rig.overflow.run(MEMORY)

    assert report.actions == tuple(a for a in plan.actions if not isinstance(a, Keep))
    assert report.characters_after == plan.characters_after


def test_running_again_changes_nothing(rig: Rig, cold_file: ColdFile) -> None:
    rig.write(*cold_file(6))
    rig.overflow.run(MEMORY)
    before = rig.hot.path(MEMORY).read_bytes()

    report = rig.overflow.run(MEMORY)

    assert report.moved == 0
    assert rig.hot.path(MEMORY).read_bytes() == before


def test_the_record_of_a_moved_entry_goes_with_it(rig: Rig, cold_file: ColdFile) -> None:
    written = rig.clock.now()
    rig.write(*cold_file(5))
    rig.age(days=3)

    rig.overflow.run(MEMORY)

    draft = next(iter(rig.cold.live.values()))
    assert draft.created_at == written
    assert draft.type is EntryType.STATE
    assert draft.source == "MEMORY.md"
    assert draft.provenance.reason


def test_states_leave_after_a_week_even_without_pressure(rig: Rig) -> None:
    rig.write("cold status of the week", "hot rule that stays")
    rig.age(days=8)

    rig.overflow.run(MEMORY)

    assert rig.texts() == ["hot rule that stays"]
    assert rig.cold.texts() == ["cold status of the week"]


@pytest.mark.parametrize("fault", ["down", "queueing", "lying"])
def test_nothing_leaves_while_the_cold_tier_does_not_hold_it(
    rig: Rig, fault: str, cold_file: ColdFile
) -> None:
    rig.write(*cold_file(6))
    before = rig.hot.path(MEMORY).read_bytes()
    setattr(rig.cold, fault, True)

    report = rig.overflow.run(MEMORY)

    assert rig.hot.path(MEMORY).read_bytes() == before
    assert report.moved == 0
    assert report.failed
    assert rig.cold.texts() == []
    assert rig.database.journal.open_intents() == []


def test_once_the_cold_tier_is_back_the_same_run_succeeds(rig: Rig, cold_file: ColdFile) -> None:
    rig.write(*cold_file(6))
    rig.cold.down = True
    rig.overflow.run(MEMORY)
    rig.cold.down = False

    assert rig.overflow.run(MEMORY).characters_after <= 400


def test_what_went_before_the_cold_tier_failed_is_not_taken_back(
    rig: Rig, cold_file: ColdFile
) -> None:
    texts = cold_file(6)
    rig.write(*texts)

    def fail_later() -> None:
        rig.cold.down = len(rig.cold.live) >= 2

    rig.cold.before_remember = fail_later

    report = rig.overflow.run(MEMORY)

    rig.cold.down = False
    assert report.moved == 2
    assert sorted(rig.texts() + rig.cold.texts()) == sorted(texts)


def test_the_hosts_writes_during_a_run_survive(rig: Rig, cold_file: ColdFile, fill: Fill) -> None:
    texts = cold_file(6)
    rig.write(*texts)
    added = fill("hot new rule", 60)

    def host() -> None:
        rig.cold.before_remember = None
        rig.write(*texts, added)

    rig.cold.before_remember = host

    rig.overflow.run(MEMORY)

    assert added in rig.texts()
    assert sorted([*rig.texts(), *rig.cold.texts()]) == sorted([*texts, added])


def test_what_the_user_removed_during_a_run_does_not_live_on_in_the_cold_store(
    rig: Rig, cold_file: ColdFile
) -> None:
    texts = cold_file(6)
    rig.write(*texts)
    victim = next(
        action.key for action in rig.overflow.plan(MEMORY).actions if isinstance(action, Demote)
    )
    gone = next(entry.text for entry in rig.hot.read(MEMORY).entries if entry.key == victim)

    def host() -> None:
        if gone in rig.cold.texts():
            rig.cold.before_remember = None
            rig.write(*[text for text in texts if text != gone])

    rig.cold.before_remember = host

    rig.overflow.run(MEMORY)

    assert gone not in rig.texts() + rig.cold.texts()
    assert rig.cold.trashed(TrashReason.RELEASED) == [gone]


def test_the_hosts_lock_is_free_while_the_cold_tier_is_at_work(
    rig: Rig, cold_file: ColdFile
) -> None:
    rig.write(*cold_file(6))
    path = rig.hot.path(MEMORY)
    taken = []

    def host() -> None:
        with FileLock(f"{path}.lock", timeout=0):
            taken.append(True)

    rig.cold.before_remember = host

    report = rig.overflow.run(MEMORY)

    assert report.moved == len(taken) > 0


def test_each_file_is_relieved_on_its_own(rig: Rig, cold_file: ColdFile) -> None:
    rig.write(*cold_file(6), target=USER)
    rig.write("cold small note")

    assert rig.overflow.run(MEMORY).moved == 0
    assert rig.overflow.run(USER).characters_after <= 400


def test_hand_written_markdown_keeps_its_layout_and_loses_only_what_sinks(rig: Rig) -> None:
    lines = [f"- cold item-{n} " + "z" * 120 for n in range(6)]
    text = "# Notes\n\n" + "\n".join(lines) + "\n\n## Rules\n\n- guard keep this word for word\n"
    rig.hot.path(MEMORY).parent.mkdir()
    rig.hot.path(MEMORY).write_text(text, encoding="utf-8")

    rig.overflow.run(MEMORY)

    after = rig.hot.path(MEMORY).read_text(encoding="utf-8")
    assert "§" not in after
    assert after.startswith("# Notes\n")
    assert "- guard keep this word for word" in after
    gone = [line for line in lines if line not in after]
    assert sorted(line.removeprefix("- ") for line in gone) == sorted(rig.cold.texts())
    assert len(after) <= 400


def test_every_move_is_told_in_the_history(rig: Rig, cold_file: ColdFile) -> None:
    rig.write(*cold_file(6))

    report = rig.overflow.run(MEMORY)

    told = [event for event in rig.events if event.provenance.tool == "overflow"]
    assert len(told) == report.moved
    assert all(event.memory_id and event.entry_key and event.provenance.reason for event in told)


def test_a_file_that_does_not_decode_keeps_no_other_file_from_its_turn(
    rig: Rig, cold_file: ColdFile
) -> None:
    rig.write(*cold_file(6), target=USER)
    rig.hot.path(MEMORY).write_bytes(b"caf\xe9")

    broken, fine = (rig.overflow.attempt(target) for target in (MEMORY, USER))

    assert broken.failed
    assert fine.characters_after <= 400
    assert rig.hot.path(MEMORY).read_bytes() == b"caf\xe9"
