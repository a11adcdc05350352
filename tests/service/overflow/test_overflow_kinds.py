"""The ways an entry leaves besides moving whole: merged, shortened, split, binned, or withheld."""

from collections.abc import Callable
from typing import Any

import pytest

from memorycore.model.memory import TrashReason
from memorycore.model.plan import Discard, Merge
from memorycore.model.routing import Target

Rig = Any
Fill = Callable[..., str]
ColdFile = Callable[..., list[str]]
MEMORY, USER = Target.MEMORY, Target.USER


def test_stale_text_lies_in_the_trash_whole(rig: Rig, fill: Fill) -> None:
    rig.write(fill("stale note", 500), fill("hot rule", 200))

    report = rig.overflow.run(MEMORY)

    assert isinstance(report.actions[0], Discard)
    assert rig.cold.trashed(TrashReason.STALE) == [fill("stale note", 500)]


def test_near_duplicates_become_one_and_their_wording_is_recoverable(rig: Rig, fill: Fill) -> None:
    one = "cold alpha beta gamma delta epsilon zeta eta theta " + "y" * 200
    two = "cold alpha beta gamma delta epsilon zeta eta iota " + "y" * 200
    rig.write(one, two, fill("guard rule", 180))

    report = rig.overflow.run(MEMORY, until="soft")

    assert isinstance(report.actions[0], Merge)
    assert len(rig.texts()) == 2
    assert {"theta", "iota"} <= set(rig.texts()[0].split())
    assert sorted(rig.cold.trashed(TrashReason.MERGED)) == sorted([one, two])


def test_an_equivalent_cold_copy_lets_an_idle_entry_go_without_a_second_one(
    rig: Rig, cold_file: ColdFile, fill: Fill
) -> None:
    texts = [*cold_file(2, 300), fill("guard rule", 80)]
    rig.write(*texts)
    rig.overflow.run(MEMORY)
    assert len(rig.cold.texts()) == 1
    rig.write(*texts)
    rig.age(days=31)

    rig.overflow.run(MEMORY)

    assert sorted(rig.cold.texts()) == sorted(set(rig.cold.texts()))
    assert rig.texts() == [texts[-1]]


def test_preferences_that_left_user_md_are_one_recall_away(
    build_rig: Callable[..., Rig], fill: Fill
) -> None:
    rig = build_rig(limits=dict.fromkeys(Target, 1000))
    texts = [fill(f"hot taste-{n}", 300) for n in range(5)]
    rig.write(*texts, target=USER)

    rig.overflow.make_room(USER, 100)

    anchors = [d for d in rig.cold.live.values() if d.source == "preference-anchor"]
    assert len(anchors) == 1
    assert anchors[0].importance >= 0.8
    assert len(anchors[0].content) <= 800
    assert "taste-" in anchors[0].content


def test_an_entry_with_a_secret_is_copied_nowhere_and_says_so(rig: Rig, fill: Fill) -> None:
    secret = fill("cold hunter2 note", 300)
    rig.write(secret, fill("cold other", 300), fill("cold third", 300))
    rig.age(days=40)

    rig.overflow.run(MEMORY)
    rig.overflow.make_room(MEMORY, 900)

    assert rig.texts() == [secret]
    assert not any("hunter2" in text for text in rig.cold.texts())
    plan = rig.overflow.plan(MEMORY)
    assert "secret" in plan.actions[0].reason
    assert "hunter2" not in plan.actions[0].reason


class Shortener:
    """A judge that shortens every text to the same one."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def compress(self, text: str, *, limit: int) -> str:
        return self._answer

    def dormant(self, topic: str, queries: object) -> bool:
        return False


def idle_constant(rig: Rig) -> str:
    """Write one long idle entry that is hot but no behaviour, and let a month pass."""
    text = "plain heron keeps its queue on port 8125 " + "with many words around it " * 22
    rig.write(text.strip())
    rig.age(days=31)
    return text.strip()


@pytest.mark.parametrize(
    ("answer", "used"),
    [
        ("plain heron: queue on port 8125", True),
        ("plain heron: queue on port 8126", False),
        ("plain heron: queue\n§\non port 8125", False),
        ("", False),
    ],
)
def test_a_shorter_wording_is_used_only_if_it_keeps_every_number_and_stays_one_entry(
    build_rig: Callable[..., Rig], answer: str, *, used: bool
) -> None:
    rig = build_rig(judge=Shortener(answer), limits=dict.fromkeys(Target, 800))
    text = idle_constant(rig)

    rig.overflow.run(MEMORY)

    assert (rig.texts() == [answer]) is used
    assert (text in rig.texts() + rig.cold.texts()) is True


def test_a_split_whose_second_half_cannot_sink_leaves_the_entry_whole_and_no_copy(
    rig: Rig,
) -> None:
    core = "hot answers come first and stay short in every report that is written here."
    one = "cold tale of the goats behind the river house that were called after composers."
    two = "cold tale of the boat that was sold in autumn to a neighbour from the mill."
    text = f"{core}\n{one}\n{core.replace('first', 'last')}\n{two}"
    rig.write(text, "guard " + "z" * 600, target=USER)

    def fail_later() -> None:
        rig.cold.down = len(rig.cold.live) >= 1

    rig.cold.before_remember = fail_later
    rig.overflow.run(USER)
    rig.cold.before_remember = None
    rig.cold.down = False

    assert text in rig.texts(USER)

    report = rig.overflow.run(USER)

    assert [type(action).__name__ for action in report.actions] == ["Split"]
    assert one in rig.cold.texts() and two in rig.cold.texts()
    assert one not in rig.texts(USER)[0]


def test_of_two_preferences_that_say_the_same_the_longer_stays_as_it_stands(
    rig: Rig, fill: Fill
) -> None:
    short = "hot answers short first verdict " * 3
    long = short + "verdict short first answers hot"
    rig.write(short.strip(), long, fill("guard rule", 600))

    report = rig.overflow.run(MEMORY)

    assert [type(action) for action in report.actions] == [Merge]
    assert rig.texts()[0] == long
    assert rig.cold.trashed(TrashReason.MERGED) == [short.strip()]


def test_protected_entries_are_never_reworded_even_when_they_say_the_same(
    rig: Rig, fill: Fill
) -> None:
    texts = ["guard push never main", "guard never push main", fill("guard rule", 800)]
    rig.write(*texts)

    rig.overflow.run(MEMORY)

    assert rig.texts() == texts
