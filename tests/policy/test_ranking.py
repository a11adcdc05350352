"""Ranking: evidence adds up to an order; age and use correct it a little; noise is nothing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.model.memory import Memory
from memorycore.model.routing import EntryType
from memorycore.policy.ranking import (
    FADES_BY,
    USE_ADDS,
    Evidence,
    Ranked,
    RankingWeights,
    freshness,
    rank,
    standing,
    usage,
)
from memorycore.policy.ranking_words import WordWeights, weigh
from memorycore.policy.tokens import index_tokens, query_groups

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HALF_LIFE = timedelta(days=90)
WEIGHTS = RankingWeights()


def memory(key: str = "a", *, days: float = 0, **fields: Any) -> Memory:
    told = NOW - timedelta(days=days)
    values: dict[str, Any] = {
        "content": key,
        "author": "",
        "scope": "global",
        "importance": 0.5,
        "type": EntryType.STATE,
        "protected": False,
        "source": None,
        "created_at": told,
        "updated_at": told,
        "confirmed_at": told,
    }
    return Memory(id=key, **(values | fields))


def ranked(*evidence: Evidence, dense: bool = True) -> list[Ranked]:
    return rank(evidence, WEIGHTS, now=NOW, half_life=HALF_LIFE, dense=dense)


def order(*evidence: Evidence, dense: bool = True) -> list[str]:
    return [one.evidence.memory.id for one in ranked(*evidence, dense=dense)]


def test_meaning_and_words_add_up() -> None:
    assert order(
        Evidence(memory("words"), 0.3, 1.0),
        Evidence(memory("both"), 0.6, 1.0),
        Evidence(memory("meaning"), 0.6, 0.0),
        Evidence(memory("neither"), 0.1, 0.1),
    ) == ["both", "words", "meaning", "neither"]


def test_a_few_shared_words_change_nothing() -> None:
    none, few = ranked(Evidence(memory("a"), 0.5, 0.0), Evidence(memory("b"), 0.5, 0.15))
    assert none.relevance == few.relevance


@given(st.floats(-1, 1), st.floats(0, 1), st.booleans())
def test_a_score_lies_between_nothing_and_one(similar: float, share: float, dense: bool) -> None:
    [one] = ranked(Evidence(memory(), similar if dense else None, share), dense=dense)
    assert 0 <= one.score <= 1


def test_the_score_does_not_depend_on_the_other_candidates() -> None:
    alone = ranked(Evidence(memory("a"), 0.4, 0.3))[0]
    among = ranked(Evidence(memory("a"), 0.4, 0.3), Evidence(memory("b"), 0.9, 1.0))[1]
    assert alone == among


def test_age_breaks_ties_and_never_beats_a_clearly_better_answer() -> None:
    assert order(
        Evidence(memory("old", days=900), 0.5, 0.0), Evidence(memory("new"), 0.5, 0.0)
    ) == ["new", "old"]
    assert order(
        Evidence(memory("old", days=9000), 0.5 + 2 * FADES_BY, 0.0),
        Evidence(memory("new"), 0.5, 0.0),
    ) == ["old", "new"]


def test_a_memory_fades_by_half_every_half_life_since_it_was_last_touched() -> None:
    def fresh(one: Memory) -> float:
        return freshness(one, now=NOW, half_life=HALF_LIFE)

    assert fresh(memory(days=90)) == pytest.approx(0.5)
    assert fresh(memory(days=180, last_recalled=NOW - timedelta(days=90))) == pytest.approx(0.5)
    assert fresh(memory(days=180, confirmed_at=NOW)) == 1
    assert fresh(memory(days=900, importance=0.8)) == 1
    assert fresh(memory(days=-5)) == 1


def test_use_is_bounded_and_decides_between_equals_only() -> None:
    assert usage(memory(recall_count=0)) == 0
    assert usage(memory(recall_count=10**9)) == 1
    assert order(
        Evidence(memory("loved", recall_count=10**6), 0.5, 0.0),
        Evidence(memory("better"), 0.5 + 2 * USE_ADDS, 0.0),
    ) == ["better", "loved"]


def test_nothing_stands_when_the_best_is_noise() -> None:
    faint = ranked(Evidence(memory(), WEIGHTS.floor - 0.01, 0.0))
    assert standing(faint, WEIGHTS, lift=0.0, dense=True) == []
    assert standing(faint, WEIGHTS, lift=0.02, dense=True) == faint
    assert standing([], WEIGHTS, lift=1.0, dense=True) == []


def test_what_is_far_below_the_best_is_left_out() -> None:
    best, near, far = ranked(
        Evidence(memory("best"), 0.8, 0.0),
        Evidence(memory("near"), 0.6, 0.0),
        Evidence(memory("far"), 0.1, 0.0),
    )
    assert standing([best, near, far], WEIGHTS, lift=0.0, dense=True) == [best, near]


def test_without_vectors_words_alone_decide() -> None:
    some = ranked(
        Evidence(memory("most"), None, 0.8), Evidence(memory("few"), None, 0.2), dense=False
    )
    kept = standing(some, WEIGHTS, lift=0.0, dense=False)
    assert [one.evidence.memory.id for one in kept] == ["most"]


def weights(rows: int = 1000, **frequencies: int) -> WordWeights:
    return WordWeights(rows, frequencies, {"the": 0.4, "is": 0.3, "what": 0.3})


def share(query: str, text: str, known: WordWeights) -> float:
    return weigh(query_groups(query), known).cover(frozenset(index_tokens(text))).share


def test_rare_words_weigh_more_than_common_ones() -> None:
    known = weights(the=700, harbour=3)
    assert share("what is the harbour", "harbour", known) > 0.5
    assert share("what is the harbour", "what is the boat", known) < 0.45


def test_in_a_tiny_store_common_words_are_common_all_the_same() -> None:
    known = WordWeights(3, {"the": 1, "harbour": 1}, {"the": 0.4, "is": 0.3, "what": 0.3})
    assert share("what is the harbour", "harbour", known) > 0.5


def test_a_query_of_common_words_only_proves_little() -> None:
    assert share("what is the", "what is the matter", weights(the=700)) < 0.8
    assert share("zanzibar", "the road to zanzibar", weights(the=700, zanzibar=1)) > 0.8


def test_an_identifier_counts_whole_or_by_its_pieces() -> None:
    known = weights()
    assert share("gen-itgc", "run gen-itgc now", known) == 1
    assert share("gen-itgc", "run genitgc now", known) == 1
    assert 0 < share("gen-itgc", "run gen now", known) < 1


def test_the_words_found_are_named_as_typed() -> None:
    covered = weigh(query_groups("Harbour tariffs"), weights()).cover(
        frozenset(index_tokens("the harbour's tariff"))
    )
    assert covered.words == ("Harbour", "tariffs")
