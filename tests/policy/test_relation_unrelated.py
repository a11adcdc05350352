"""Most texts a store holds have nothing to do with each other; such pairs must never be joined or replaced."""

import json
import random
from pathlib import Path

import pytest

from memorycore.adapters.learned_pairs import load_pair_scorer
from memorycore.adapters.relation_words import load_relation_words
from memorycore.model.relation import Relation
from memorycore.policy.relation.comparing import Comparer

DATA = Path(__file__).parents[1] / "data"
PAIRS = 1500
SEED = 20


def unrelated_pairs() -> list[tuple[str, str]]:
    texts: list[str] = []
    for name in ("eval/recall.jsonl", "eval/routing.jsonl", "train/routing.jsonl"):
        for line in (DATA / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            texts.append(row.get("memory") or row["text"])
    chance = random.Random(SEED)
    return [(chance.choice(texts), chance.choice(texts)) for _ in range(PAIRS)]


@pytest.fixture(scope="module")
def comparer() -> Comparer:
    return Comparer(load_relation_words(), load_pair_scorer(None))


def test_of_pairs_drawn_at_random_hardly_any_is_more_than_distinct(comparer: Comparer) -> None:
    """The few that remain must be texts of one template; a hundredth would ruin a store of thousands."""
    wrong = [
        (older, newer)
        for older, newer in unrelated_pairs()
        if older != newer and comparer.compare(older, newer).relation is not Relation.DISTINCT
    ]
    assert len(wrong) <= PAIRS // 1000, wrong[:10]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The deploy user is called mirela.",
            "Grafana dashboards live in the Kestrel folder.",
        ),
        ("Backups run on Sundays.", "The cat is called Mia."),
        ("The office plant is called Fred.", "The staging host is 192.0.2.41."),
        ("打印机在二楼。", "用户喜欢直接说结论。"),
        ("Принтер стоит на втором этаже.", "Отпуск согласован на июль."),
    ],
)
def test_two_short_facts_of_one_store_stay_apart(comparer: Comparer, one: str, other: str) -> None:
    assert comparer.compare(one, other).relation is Relation.DISTINCT
    assert comparer.compare(other, one).relation is Relation.DISTINCT


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "The staging database listens on port 5432.",
            "The staging database listens on port 5433.",
        ),
        ("The API port is 8410.", "The API port is 8411."),
        (
            "The API rate limit is 100 requests per minute.",
            "The API rate limit is 250 requests per minute.",
        ),
        ("Der Cache hat ein Limit von 3 GB.", "Der Cache hat ein Limit von 4 GB."),
        ("测试库的端口是5432。", "测试库的端口是5433。"),
        ("Порт сервера — 5432.", "Порт сервера — 5433."),
    ],
)
def test_another_value_for_one_and_the_same_setting_is_an_update(
    comparer: Comparer, older: str, newer: str
) -> None:
    assert comparer.compare(older, newer).relation is Relation.UPDATE
