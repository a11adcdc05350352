"""A store of notes that have nothing to do with each other: none may replace or swallow another."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import memorycore
from memorycore.model.results import StoreStatus
from memorycore.service.core import MemoryCore
from memorycore.settings import Settings

DATA = Path(__file__).parents[1] / "data" / "eval" / "routing.jsonl"
RULES, FACTS = 70, 45


def notes(route: str, count: int) -> list[str]:
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    return [row["text"] for row in rows if row["route"] == route][:count]


@pytest.fixture
def core(tmp_path: Path) -> Iterator[MemoryCore]:
    settings = Settings(
        memory_dir=tmp_path / "hot",
        data_dir=tmp_path / "data",
        memory_char_limit=60_000,
        user_char_limit=60_000,
    )
    with memorycore.open_core(settings) as opened:
        yield opened


def test_every_rule_and_preference_stays_in_the_hot_file(core: MemoryCore, tmp_path: Path) -> None:
    told = {text: core.store_fact(text).status for text in notes("hot", RULES)}
    stored = [text for text, status in told.items() if status is StoreStatus.STORED]
    kept = (tmp_path / "hot" / "MEMORY.md").read_text("utf-8")
    assert len(stored) > RULES * 0.9
    assert [text for text in stored if text.strip() not in kept] == []


def test_every_fact_is_a_memory_of_its_own(core: MemoryCore) -> None:
    told = [core.store_fact(text, scope="work", importance=0.3) for text in notes("cold", FACTS)]
    apart = [one for one in told if one.status is not StoreStatus.COLD_STORED]
    assert apart == []
