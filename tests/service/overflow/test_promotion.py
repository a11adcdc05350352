"""Pointers and their way back: S4 makes them, recall undoes them, collection leaves the memory."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from memorycore.model.hot import Origin
from memorycore.model.plan import CollectStub, Stub
from memorycore.model.relation import Relation
from memorycore.model.routing import EntryType, Target
from memorycore.policy.activity import Topic, dormancy_of
from memorycore.policy.overflow.facts import Dormancy
from memorycore.ports.local import Activity

MEMORY = Target.MEMORY
Rig = Any
Fill = Callable[..., str]


class Sleepy:
    """A judge that calls every topic dormant but those it is told to be active."""

    def __init__(self, active: str = "never") -> None:
        self.active = active

    def relation(self, older: str, newer: str) -> Relation:
        return Relation.DISTINCT

    def merge(self, older: str, newer: str) -> str:
        return older

    def compress(self, text: str, *, limit: int) -> str:
        return text

    def dormant(self, topic: str, queries: Sequence[str]) -> bool:
        return self.active not in topic


@pytest.fixture
def pointed(build_rig: Callable[..., Rig], fill: Fill) -> Rig:
    """A file at hard pressure whose topics nobody asked about for 46 days, after one run."""
    rig = build_rig(judge=Sleepy("p3q"))
    rig.write(*[fill(f"hot p{n}q", 230) for n in range(4)])
    rig.age(days=46)
    for number in range(12):
        rig.database.activity.note(Activity(rig.clock.now(), "query", f"weather {number}"))
    rig.overflow.run(MEMORY)
    return rig


def test_dormant_topics_become_pointers_with_their_memory_in_the_sidecar(pointed: Rig) -> None:
    entries = pointed.hot.read(MEMORY).entries
    stubs = [entry for entry in entries if entry.meta.type is EntryType.STUB]

    assert len(stubs) == 3
    assert all(len(stub.text) <= 40 and "recall" in stub.text for stub in stubs)
    assert all("p3q" not in stub.text for stub in stubs)
    assert all(stub.meta.memory_id in pointed.cold.live for stub in stubs)


def test_a_pointer_becomes_its_text_again_and_the_cold_copy_goes(pointed: Rig, fill: Fill) -> None:
    stub = next(e for e in pointed.hot.read(MEMORY).entries if e.meta.type is EntryType.STUB)
    text = pointed.cold.read(stub.meta.memory_id)

    key = pointed.relief.promotion.promote(stub.meta.memory_id, limit=1.0)

    entry = next(e for e in pointed.hot.read(MEMORY).entries if e.key == key)
    assert entry.text == text
    assert entry.meta.origin is Origin.PROMOTED
    assert entry.meta.type is EntryType.RULE
    assert text not in pointed.cold.texts()
    assert pointed.database.journal.open_intents() == []


def test_without_room_a_pointer_stays_one(pointed: Rig) -> None:
    stub = next(e for e in pointed.hot.read(MEMORY).entries if e.meta.type is EntryType.STUB)
    before = pointed.hot.path(MEMORY).read_bytes()

    assert pointed.relief.promotion.promote(stub.meta.memory_id, limit=0.3) is None
    assert pointed.hot.path(MEMORY).read_bytes() == before
    assert stub.meta.memory_id in pointed.cold.live


def test_a_memory_without_a_pointer_is_not_promoted(pointed: Rig) -> None:
    assert pointed.relief.promotion.promote("m-unknown", limit=1.0) is None


def test_a_crash_between_both_halves_of_a_promotion_is_finished(pointed: Rig) -> None:
    stub = next(e for e in pointed.hot.read(MEMORY).entries if e.meta.type is EntryType.STUB)
    text = pointed.cold.read(stub.meta.memory_id)
    pointed.cold.forget = _die

    with pytest.raises(KeyboardInterrupt):
        pointed.relief.promotion.promote(stub.meta.memory_id, limit=1.0)
    del pointed.cold.forget
    pointed.dead.add(pointed.token)
    other = pointed.again()

    assert "promotion" in other.relief.recovery.recover()[0]
    assert text in other.texts()
    assert text not in other.cold.texts()
    assert other.database.journal.open_intents() == []


def _die(*_: object, **__: object) -> bool:
    raise KeyboardInterrupt


def test_collecting_a_pointer_leaves_its_memory_alone(pointed: Rig, fill: Fill) -> None:
    live = dict(pointed.cold.live)
    pointed.clock.advance(days=2)
    texts = [*pointed.texts(), fill("guard bulk", 620)]
    pointed.write(*texts)

    report = pointed.overflow.run(MEMORY)

    assert any(isinstance(action, CollectStub) for action in report.actions)
    assert not any(isinstance(action, Stub) for action in report.actions)
    assert live.items() <= pointed.cold.live.items()


@pytest.mark.parametrize("queries", [0, 9])
def test_too_few_queries_mean_active(
    build_rig: Callable[..., Rig], fill: Fill, queries: int
) -> None:
    rig = build_rig(judge=Sleepy())
    rig.write(*[fill(f"hot p{n}q", 230) for n in range(4)])
    rig.age(days=46)
    for number in range(queries):
        rig.database.activity.note(Activity(rig.clock.now(), "query", f"weather {number}"))

    assert rig.overflow.run(MEMORY).moved == 0


def unit(*values: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


GARDEN = Topic("pump waters the beds at six", unit(1, 0, 0))
TAXES = Topic("tax return goes out in March", unit(0, 1, 0))
ABOUT_GARDEN = [Topic(f"hose length {n}", unit(1, 0.1, 0.2)) for n in range(50)]


def test_a_topic_no_query_comes_near_is_dormant() -> None:
    verdict, _ = dormancy_of(TAXES, [GARDEN, TAXES], ABOUT_GARDEN)

    assert verdict is Dormancy.DORMANT


@pytest.mark.parametrize(
    "query",
    [
        Topic("when is the March fair", unit(0, 0, 1)),
        Topic("anything at all", unit(0.1, 1, 0.1)),
    ],
)
def test_one_query_by_word_or_by_meaning_keeps_a_topic_active(query: Topic) -> None:
    verdict, _ = dormancy_of(TAXES, [GARDEN, TAXES], [*ABOUT_GARDEN, query])

    assert verdict is Dormancy.ACTIVE


def test_without_vectors_silence_proves_nothing() -> None:
    blind = [Topic(query.text, None) for query in ABOUT_GARDEN]

    verdict, _ = dormancy_of(TAXES, [GARDEN, TAXES], blind)

    assert verdict is Dormancy.UNKNOWN
