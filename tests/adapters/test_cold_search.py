"""Search in a cold store: what words and vectors find, and that filters come before any cut."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from cold_rows import BY, DAY, NOW, found, look, put, row, trash, unit

from memorycore.bootstrap.databases import Databases
from memorycore.model.memory import TrashReason
from memorycore.ports import Discard, Erase, Insert, Revise, Revive, VectorMatrix

pytest_plugins = ["cold_backends"]


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("设备清单 NAS 在书房", ["设备", "清单", "书房", "NAS", "nas", "房", "设备在书房吗"]),
        ("重跑gen-itgc后要清缓存", ["itgc", "gen-itgc", "重跑", "缓存", "后"]),
        ("サンドボックスは毎晩リセット", ["サンドボックス", "毎晩", "リセット"]),
        ("회의는 금요일 오후에 열린다", ["회의", "금요일", "오후"]),
        ("The multi-agent planner lives in /srv/plan", ["multi-agent", "multiagent", "/srv/plan"]),
        ("getUserName returns utf8_bytes in v2.14.1", ["get user name", "utf8_bytes", "v2.14.1"]),
        ("Deployments migrated the databases", ["database migration", "deployment"]),
        ("Café Zoë öffnet um neun", ["cafe zoe", "CAFÉ", "offnet"]),
        ("Трубы проверяет сантехник Олег", ["проверять трубу", "сантехника"]),
        ("Quán phở mở lúc sáu giờ", ["quan pho", "PHỞ"]),
        ("They use C++ and C# here", ["C++", "c#"]),
    ],
)
def test_words_are_found_without_vectors_in_any_script(
    database: Databases, text: str, queries: list[str]
) -> None:
    put(database, "wanted", text)
    put(database, "other", "Nothing of interest, 无关, ничего, とくになし")
    for query in queries:
        assert "wanted" in found(database, query), query


@pytest.mark.parametrize(
    "query",
    [
        "don't",
        "GB/s",
        "C++",
        "a:b",
        '"',
        "*",
        "NOT",
        "tokens:fact",
        "^fact",
        "fact AND",
        "(",
        "-fact",
        "fact NEAR(x y)",
        "fact*",
        "fact\x00harbour",
        "",
        "   ",
        "?!…",
        "fact " * 2000,
        "\ud800 fact",
    ],
)
def test_query_text_is_data_and_never_an_operator(database: Databases, query: str) -> None:
    put(database, "a", "a fact about the harbour")
    put(database, "b", "the boat has no name")
    assert found(database, query) <= {"a"} or "NEAR" in query or "don" in query


def test_a_live_match_is_found_among_many_that_may_not_answer(database: Databases) -> None:
    for number in range(300):
        near = unit(1, 0.001 * number)
        put(database, f"gone{number}", f"harbour harbour {number}", near)
        put(database, f"other{number}", f"harbour harbour {number}", near, author="ana")
        put(database, f"scope{number}", f"harbour harbour {number}", near, scope="project:x")
    database.repository.apply(
        [Discard(f"gone{number}", TrashReason.USER, NOW + DAY) for number in range(300)],
        provenance=BY,
        at=NOW,
    )
    put(database, "live", "a long text that says harbour only once among other words", unit(1, 1))
    assert found(database, "harbour", limit=1) == {"live"}
    assert found(database, "", unit(1, 0), limit=1) == {"live"}
    assert found(database, "harbour", unit(1, 0), limit=1, trashed=True) == {"live"}


def test_scopes_and_authors_see_only_what_is_theirs(database: Databases) -> None:
    vector = unit(1, 0)
    put(database, "global", "the harbour opens at six", vector)
    put(database, "heron", "the harbour of heron", vector, scope="project:heron")
    put(database, "ana", "the harbour of ana", vector, author="ana")
    for text, query in (("harbour", None), ("", vector)):
        assert found(database, text, query) == {"global"}
        assert found(database, text, query, scopes=("global", "project:heron")) == {
            "global",
            "heron",
        }
        assert found(database, text, query, scopes=None) == {"global", "heron"}
        assert found(database, text, query, author="ana") == {"ana"}
        assert found(database, text, query, author="nobody") == set()


def test_old_words_and_old_vectors_find_nothing_after_a_change(database: Databases) -> None:
    put(database, "a", "she likes dogs", unit(1, 0))
    assert found(database, "dogs") == found(database, "", unit(1, 0)) == {"a"}
    change = Revise("a", "she likes cats", unit(0, 1), 0.5, 1)
    database.repository.apply([change], provenance=BY, at=NOW)
    assert found(database, "dogs") == set()
    assert found(database, "cats") == {"a"}
    [candidate] = look(database, "", unit(0, 1))
    assert candidate.dense == pytest.approx(1, abs=1e-3)
    trash(database, "a", TrashReason.USER)
    assert found(database, "cats", unit(0, 1)) == set()
    database.repository.apply([Revive("a")], provenance=BY, at=NOW)
    assert found(database, "cats") == found(database, "", unit(0, 1)) == {"a"}
    database.repository.apply([Erase(("a",))], provenance=BY, at=NOW)
    assert found(database, "cats", unit(0, 1)) == set()


def test_a_word_nobody_had_said_is_found_as_soon_as_somebody_says_it(
    database: Databases,
) -> None:
    for number in range(50):
        put(database, f"m{number}", f"fact {number}")
    assert found(database, "zanzibar") == set()
    put(database, "a", "the boat sails to zanzibar")
    assert found(database, "zanzibar") == {"a"}


@pytest.mark.parametrize("reason", list(TrashReason))
def test_the_trash_answers_only_where_recall_may_undo_the_reason(
    database: Databases, reason: TrashReason
) -> None:
    put(database, "a", "the harbour opens at six", unit(1, 0))
    trash(database, "a", reason)
    undone = reason in {TrashReason.STALE, TrashReason.DECAYED, TrashReason.EVICTED}
    for text, vector in (("harbour", None), ("", unit(1, 0))):
        assert found(database, text, vector) == set()
        hits = look(database, text, vector, trashed=True)
        assert [hit.trashed for hit in hits] == ([reason] if undone else [])


def test_what_another_process_writes_is_seen_at_once(
    open_rows: Callable[[Path], Databases], tmp_path: Path
) -> None:
    here, there = (open_rows(tmp_path / "memorycore.db") for _ in range(2))
    put(here, "a", "the harbour opens at six", unit(1, 0))
    assert found(there, "harbour", unit(1, 0)) == {"a"}
    put(there, "b", "the boat is green", unit(0, 1))
    assert found(here, "", unit(0, 1)) == {"a", "b"}
    trash(there, "a", TrashReason.USER)
    assert found(here, "harbour", unit(1, 0)) == {"b"}
    there.repository.apply([Erase(("b",))], provenance=BY, at=NOW)
    assert found(here, "boat", unit(0, 1)) == set()


def test_the_nearest_of_thousands_is_found_and_scored_exactly(
    database: Databases,
) -> None:
    choose = np.random.default_rng(5)
    vectors = choose.normal(size=(5000, 96)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    database.repository.apply(
        [Insert(row(f"m{n:04}", f"text {n}"), vector) for n, vector in enumerate(vectors)],
        provenance=BY,
        at=NOW,
    )
    for number in (3, 4095, 4096, 4999):
        query = vectors[number] + 0.4 * vectors[(number + 1) % 5000]
        query /= np.linalg.norm(query)
        exact = int((vectors @ query).argmax())
        hits = look(database, "", query, limit=5)
        best = max(hits, key=lambda hit: hit.dense or -1)
        assert best.memory.id == f"m{exact:04}"
        assert best.dense == pytest.approx(float(vectors[exact] @ query), abs=2e-3)


@dataclass(frozen=True)
class Mirrored:
    """A projection that turns every vector around its first axis."""

    key: str = "mirrored"

    def project(self, vectors: VectorMatrix) -> VectorMatrix:
        return vectors * np.array([-1, 1], np.float32)


@dataclass(frozen=True)
class Swapped:
    """A projection that keeps the first axis only."""

    key: str = "first axis"

    def project(self, vectors: VectorMatrix) -> VectorMatrix:
        return np.sign(vectors[:, :1]).astype(np.float32)


def test_similarity_is_measured_in_the_projection_asked_for(database: Databases) -> None:
    put(database, "a", "one", unit(1, 0.2))
    put(database, "b", "two", unit(-1, 0.2))
    for projection, expected in ((None, 1.0), (Mirrored(), 1.0), (Swapped(), 1.0), (None, 1.0)):
        scores = {
            hit.memory.id: hit.dense
            for hit in look(database, "", unit(1, 0.2), projection=projection)
        }
        assert scores["a"] == pytest.approx(expected, abs=1e-3)
        assert scores["b"] is not None
        assert scores["b"] < -0.9


def test_vectors_of_another_length_are_left_out(database: Databases) -> None:
    put(database, "a", "the harbour opens at six", unit(1, 0))
    put(database, "b", "the harbour is old", unit(1, 0, 0))
    assert found(database, "", unit(1, 0)) == {"a"}
    assert found(database, "", unit(1, 0, 0)) == {"b"}
    assert found(database, "harbour", unit(1, 0, 0, 0)) == {"a", "b"}


def test_the_past_is_read_as_it_was(database: Databases) -> None:
    put(database, "a", "the harbour opens at six", unit(1, 0))
    put(database, "b", "the harbour cafe is closed", unit(1, 0.1), created_at=NOW + 5 * DAY)
    change = Revise("a", "the harbour opens at seven", unit(0, 1), 0.5, 1)
    database.repository.apply([change], provenance=BY, at=NOW + 2 * DAY)
    trash(database, "a", TrashReason.SUPERSEDED, at=NOW + 8 * DAY)

    def texts(days: float, query: str = "harbour", **fields: object) -> set[str]:
        hits = look(database, query, unit(1, 0), as_of=NOW + days * DAY, **fields)
        return {hit.memory.content for hit in hits}

    assert texts(-1) == set()
    assert texts(1) == {"the harbour opens at six"}
    assert texts(3) == {"the harbour opens at seven"}
    assert texts(6) == {"the harbour opens at seven", "the harbour cafe is closed"}
    assert texts(9) == {"the harbour cafe is closed"}
    assert texts(3, author="ana") == set()
    assert texts(3, scopes=("project:heron",)) == set()


def test_tokens_are_counted_over_the_whole_store(database: Databases) -> None:
    put(database, "a", "the harbour opens at six")
    put(database, "b", "the boat", author="ana")
    counted = database.repository.token_statistics(["the", "harbour", "never"])
    assert counted.rows == 2
    assert dict(counted.frequencies) == {"the": 2, "harbour": 1, "never": 0}


def test_a_sample_spreads_over_the_store(database: Databases) -> None:
    for number in range(60):
        put(database, f"m{number:02}", f"fact {number}", unit(1, number))
    vectors, texts = database.repository.sample_vectors(10)
    assert vectors.shape == (len(texts), 2)
    assert 8 <= len(texts) <= 10
    assert {int(text.split()[1]) // 20 for text in texts} == {0, 1, 2}
    assert database.repository.sample_vectors(1000)[0].shape == (60, 2)


def test_only_what_rises_above_its_neighbourhood_is_prominent(database: Databases) -> None:
    """Forty notes of one kind lie close together; one of them is about the same thing."""
    for number in range(40):
        put(database, f"note {number}", f"visit {number} to the harbour", unit(1, 0.6, number / 99))
    put(database, "twin", "a visit to the harbour was made", unit(1, 0.05, 0))
    put(database, "unembedded", "ledger of the harbour, vector to follow")
    text, vector = "visit to the harbour ledger", unit(1, 0, 0)
    assert len(look(database, text, vector, limit=5)) > 5
    near = look(database, text, vector, limit=5, prominent=True)
    assert {one.memory.id for one in near} == {"twin", "unembedded"}
    assert next(one for one in near if one.memory.id == "twin").dense == pytest.approx(1, abs=0.01)
