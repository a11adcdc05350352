"""After a crash at any step both tiers agree again: each fact once, no intent open."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from memorycore.errors import HotFileUnavailableError
from memorycore.model.memory import TrashReason
from memorycore.model.routing import EntryType, Target
from memorycore.ports.local import Activity, Intent
from memorycore.testing import FakeClock

MEMORY = Target.MEMORY
Rig = Any
Fill = Callable[..., str]
ColdFile = Callable[..., list[str]]


class Crash(BaseException):
    """Ends a process in the middle of a step, as SIGKILL does: nothing of ours runs after it."""


class Killer:
    """Raises `Crash` at the n-th journal, cold or hot step."""

    def __init__(self, at: int) -> None:
        self._left = at
        self.hit = False

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.hit = True
            raise Crash

    def wrap(self, owner: object, name: str) -> None:
        """Make every call of a method two steps: just before it and just after it."""
        found = getattr(owner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            self.step()
            result = found(*args, **kwargs)
            self.step()
            return result

        setattr(owner, name, call)


STEPS = {
    "database.journal": ["begin", "advance", "done"],
    "cold": ["remember", "discard", "forget"],
    "hot": ["commit"],
}


def die_at(rig: Rig, at: int) -> bool:
    """Run an overflow that dies at step `at`; tell whether it got that far."""
    killer = Killer(at)
    for path, names in STEPS.items():
        owner = rig
        for part in path.split("."):
            owner = getattr(owner, part)
        for name in names:
            killer.wrap(owner, name)
    with suppress(Crash):
        rig.overflow.run(MEMORY)
    for path, names in STEPS.items():
        owner = rig
        for part in path.split("."):
            owner = getattr(owner, part)
        for name in names:
            delattr(owner, name)
    rig.dead.add(rig.token)
    return killer.hit


def mixed(fill: Fill) -> list[str]:
    twin = "cold alpha beta gamma delta epsilon zeta eta theta " + "y" * 90
    return [
        fill("cold one", 120),
        twin,
        twin.replace("theta", "iota"),
        fill("stale gone", 120),
        fill("hot keep", 120),
        fill("guard keep", 120),
        fill("cold two", 130),
        fill("cold three", 140),
    ]


@pytest.mark.parametrize("at", range(1, 25))
def test_killed_at_any_step_every_fact_is_somewhere_and_none_is_twice(
    build_rig: Callable[..., Rig], fill: Fill, at: int
) -> None:
    rig = build_rig()
    texts = mixed(fill)
    rig.write(*texts)

    if not die_at(rig, at):
        pytest.skip("the run has fewer steps")
    other = rig.again()
    other.relief.recovery.recover()

    hot, cold = other.texts(), other.cold.texts()
    trash = [draft.content for draft, _ in other.cold.trash.values()]
    words = " ".join([*hot, *cold, *trash])
    assert all(word in words for text in texts for word in text.split())
    assert not set(hot) & set(cold)
    assert other.database.journal.open_intents() == []
    assert other.overflow.run(MEMORY).characters_after <= 600


@pytest.mark.parametrize("at", range(3, 20, 2))
def test_a_crash_between_pointer_and_full_text_leaves_one_of_them(
    build_rig: Callable[..., Rig], fill: Fill, at: int
) -> None:
    rig = build_rig(judge=Sleepy())
    texts = [fill(f"hot p{n}q", 230) for n in range(4)]
    rig.write(*texts)
    note_queries(rig, 12)
    rig.age(days=46)
    note_queries(rig, 12)

    if not die_at(rig, at):
        pytest.skip("the run has fewer steps")
    other = rig.again()
    other.relief.recovery.recover()

    snapshot = other.hot.read(MEMORY)
    full = {entry.text for entry in snapshot.entries}
    stubs = [e.meta for e in snapshot.entries if e.meta and e.meta.type is EntryType.STUB]
    assert not full & set(other.cold.texts())
    assert set(texts) <= full | set(other.cold.texts())
    assert all(meta.memory_id in other.cold.live for meta in stubs)


class Sleepy:
    """A judge for whom every topic is dormant."""

    def relation(self, older: str, newer: str) -> Any:
        raise NotImplementedError

    def merge(self, older: str, newer: str) -> str:
        raise NotImplementedError

    def compress(self, text: str, *, limit: int) -> str:
        return text

    def dormant(self, topic: str, queries: Any) -> bool:
        return True


def note_queries(rig: Rig, count: int) -> None:
    for number in range(count):
        rig.database.activity.note(Activity(rig.clock.now(), "query", f"weather {number}"))


def test_recovering_twice_does_nothing_the_second_time(
    build_rig: Callable[..., Rig], cold_file: ColdFile
) -> None:
    rig = build_rig()
    rig.write(*cold_file(6))
    die_at(rig, 9)
    other = rig.again()

    assert other.relief.recovery.recover()
    before = other.hot.path(MEMORY).read_bytes()

    assert other.relief.recovery.recover() == []
    assert other.hot.path(MEMORY).read_bytes() == before


def test_the_intent_of_a_living_owner_is_left_alone_until_its_lease_ends(
    build_rig: Callable[..., Rig], cold_file: ColdFile
) -> None:
    rig = build_rig()
    rig.write(*cold_file(6))
    die_at(rig, 9)
    rig.dead.clear()
    other = rig.again()

    assert other.relief.recovery.recover() == []
    assert "another process" in other.overflow.run(MEMORY).failed[0]

    rig.clock.advance(minutes=2)

    assert other.relief.recovery.recover()


def test_a_file_that_cannot_be_written_is_finished_once_it_can(
    build_rig: Callable[..., Rig], cold_file: ColdFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = build_rig()
    texts = cold_file(6)
    rig.write(*texts)

    def fail(*_: object, **__: object) -> None:
        raise HotFileUnavailableError("the disk is full")

    monkeypatch.setattr(rig.hot, "commit", fail)
    with pytest.raises(HotFileUnavailableError):
        rig.overflow.run(MEMORY)
    monkeypatch.undo()

    assert rig.texts() == texts
    assert len(rig.database.journal.open_intents()) == 1
    rig.relief.recovery.recover()
    assert not set(rig.texts()) & set(rig.cold.texts())
    assert sorted(rig.texts() + rig.cold.texts()) == sorted(texts)


def test_an_entry_protected_since_the_crash_stays(
    build_rig: Callable[..., Rig], cold_file: ColdFile
) -> None:
    rig = build_rig()
    texts = cold_file(6)
    rig.write(*texts)
    die_at(rig, 8)
    moved = rig.cold.texts()[0]
    entry = next(entry for entry in rig.hot.read(MEMORY).entries if entry.text == moved)
    rig.hot.annotate(MEMORY, {entry.key: replace(entry.meta, protected=True)})
    other = rig.again()

    other.relief.recovery.recover()

    assert moved in other.texts()
    assert moved not in other.cold.texts()
    assert moved in other.cold.trashed(TrashReason.MERGED)


def test_the_step_of_another_release_is_told_and_kept(build_rig: Callable[..., Rig]) -> None:
    rig = build_rig()
    rig.dead.add("gone:9:9")
    intent = Intent("x", "teleport", "begun", "gone:9:9", FakeClock().now(), {})
    rig.database.journal.begin(intent)

    told = rig.relief.recovery.recover()

    assert "teleport" in told[0]
    assert rig.database.journal.open_intents() == [intent]


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"target": "attic", "moves": [], "reached": 0, "fresh": {}},
        {"target": "memory", "moves": "all", "reached": 1, "fresh": {}},
        {"target": "memory", "moves": [{"does": "Demote"}], "reached": 1, "fresh": []},
    ],
)
def test_a_record_nobody_can_read_moves_nothing_and_blocks_nothing(
    build_rig: Callable[..., Rig], cold_file: ColdFile, payload: dict[str, Any]
) -> None:
    rig = build_rig()
    texts = cold_file(3)
    rig.write(*texts)
    rig.dead.add("gone:9:9")
    rig.database.journal.begin(
        Intent("x", "overflow", "sinking", "gone:9:9", FakeClock().now(), payload)
    )

    told = rig.relief.recovery.recover()

    assert "nobody can read" in told[0]
    assert rig.texts() == texts
    assert rig.database.journal.open_intents() == []
