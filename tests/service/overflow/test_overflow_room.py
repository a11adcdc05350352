"""Making room for a write: never a refusal for space, never above the budget unless protection demands it."""

from collections.abc import Callable
from typing import Any

import pytest

from memorycore.model.hot import Origin
from memorycore.model.routing import Target
from memorycore.policy.text import entry_key

MEMORY, USER = Target.MEMORY, Target.USER
Rig = Any
Fill = Callable[..., str]
LIMIT = 1000


def add(rig: Rig, text: str, target: Target) -> bool:
    """Write as the write path does: make room, then add within the budget; tell whether it stands."""
    rig.overflow.make_room(target, len(text) + 3)
    meta = rig.tier.new_meta(text, target, origin=Origin.STORE, at=rig.clock.now())
    snapshot = rig.tier.add(target, text, meta=meta, cap=LIMIT)
    return any(entry.key == entry_key(text) for entry in snapshot.entries)


def fill_to(rig: Rig, fill: Fill, share: float, *, kind: str, target: Target) -> list[str]:
    size = int(share * LIMIT / 10) - 3
    texts = [fill(f"{kind} f{index}y", size) for index in range(10)]
    texts[-1] = fill(f"{kind} f9y", int(share * LIMIT) - sum(map(len, texts[:-1])) - 27)
    rig.write(*texts, target=target)
    assert rig.hot.read(target).characters == int(share * LIMIT)
    return texts


@pytest.mark.parametrize("target", [MEMORY, USER])
@pytest.mark.parametrize("kind", ["cold", "hot", "stale"])
@pytest.mark.parametrize("share", [0.59, 0.60, 0.79, 0.80, 1.0, 1.5])
def test_a_write_never_leaves_the_file_above_its_budget_and_loses_nothing(
    rig: Rig, fill: Fill, share: float, kind: str, target: Target
) -> None:
    texts = fill_to(rig, fill, share, kind=kind, target=target)
    new = fill("hot new", 120)

    added = add(rig, new, target)

    known = rig.texts(target) + rig.cold.texts() + [d.content for d, _ in rig.cold.trash.values()]
    assert rig.hot.read(target).characters <= LIMIT
    assert set(texts) <= set(known)
    assert added or kind == "hot"


def test_below_the_soft_watermark_a_write_that_fits_moves_nothing(rig: Rig, fill: Fill) -> None:
    texts = fill_to(rig, fill, 0.59, kind="cold", target=MEMORY)

    rig.overflow.make_room(MEMORY, 120)

    assert rig.texts() == texts


@pytest.mark.parametrize("share", [0.60, 0.79])
def test_at_the_soft_watermark_one_write_brings_the_file_to_its_target(
    rig: Rig, fill: Fill, share: float
) -> None:
    fill_to(rig, fill, share, kind="cold", target=MEMORY)

    report = rig.overflow.make_room(MEMORY, 10)

    assert 0.3 * LIMIT < report.characters_after <= 0.4 * LIMIT


def test_protected_entries_stay_even_when_they_alone_exceed_the_budget(
    rig: Rig, fill: Fill
) -> None:
    texts = fill_to(rig, fill, 1.5, kind="guard", target=MEMORY)

    report = rig.overflow.make_room(MEMORY, 100)

    assert rig.texts() == texts
    assert "above the budget" in report.note
    assert "protected" in report.note


def test_a_file_above_its_budget_gives_up_unprotected_behaviour_but_no_more_than_needed(
    rig: Rig, fill: Fill
) -> None:
    texts = fill_to(rig, fill, 1.5, kind="hot", target=MEMORY)

    report = rig.overflow.make_room(MEMORY, 0)

    assert 0.8 * LIMIT < report.characters_after <= LIMIT
    assert set(rig.texts() + rig.cold.texts()) == set(texts)


def test_for_a_protected_entry_ordinary_behaviour_makes_room(rig: Rig, fill: Fill) -> None:
    fill_to(rig, fill, 0.99, kind="hot", target=MEMORY)

    rig.overflow.make_room(MEMORY, 200, protected=True)

    assert rig.hot.read(MEMORY).characters <= LIMIT - 200


@pytest.mark.parametrize("size", [1001, 6000])
def test_for_an_entry_larger_than_the_budget_behaviour_is_not_sacrificed(
    rig: Rig, fill: Fill, size: int
) -> None:
    texts = [fill("hot one", 200), fill("cold two", 500)]
    rig.write(*texts)

    assert not add(rig, fill("hot giant", size), MEMORY)
    assert texts[0] in rig.texts()


def test_room_for_an_ordinary_entry_is_not_made_of_behaviour_beyond_the_budget(
    rig: Rig, fill: Fill
) -> None:
    fill_to(rig, fill, 1.5, kind="hot", target=MEMORY)

    rig.overflow.make_room(MEMORY, 900)

    assert rig.hot.read(MEMORY).characters > 0.8 * LIMIT


def test_behaviour_stays_when_a_protected_entry_would_not_fit_even_without_it(
    rig: Rig, fill: Fill
) -> None:
    texts = [fill("guard big", 500), fill("hot one", 300)]
    rig.write(*texts)

    rig.overflow.make_room(MEMORY, 600, protected=True)

    assert rig.texts() == texts


def test_a_batch_of_writes_ends_within_the_budget_with_every_text_somewhere(
    rig: Rig, fill: Fill
) -> None:
    texts = [fill(f"{kind} b{n}z", 90) for n in range(20) for kind in ("hot", "cold")]

    refused = [text for text in texts if not add(rig, text, MEMORY)]

    assert rig.hot.read(MEMORY).characters <= LIMIT
    assert set(texts) - set(refused) <= set(rig.texts() + rig.cold.texts())


def test_the_hosts_tool_writing_at_the_same_time_is_never_undone(rig: Rig, fill: Fill) -> None:
    texts = fill_to(rig, fill, 0.95, kind="cold", target=MEMORY)
    theirs = fill("hot theirs", 40)

    def host() -> None:
        rig.cold.before_remember = None
        rig.write(*texts, theirs)

    rig.cold.before_remember = host

    added = add(rig, fill("hot ours", 100), MEMORY)

    assert added
    assert theirs in rig.texts()
    assert rig.hot.read(MEMORY).characters <= LIMIT


def test_without_a_cold_tier_nothing_leaves_and_the_write_is_told_there_is_no_room(
    rig: Rig, fill: Fill
) -> None:
    texts = fill_to(rig, fill, 0.98, kind="cold", target=MEMORY)
    rig.cold.down = True

    assert not add(rig, fill("hot new", 100), MEMORY)
    assert rig.texts() == texts
