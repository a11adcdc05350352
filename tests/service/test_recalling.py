"""Recall on a real database: what is found, what stays silent, what comes back, and what is counted."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cold_rows import BY, DAY, NOW, put, row, trash, unit
from typing_extensions import override

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.adapters.learned_recall import load_recall_prior
from memorycore.errors import ColdBusyError, EmbedderError
from memorycore.model.memory import EventKind, TrashReason
from memorycore.ports import (
    STATE_DIMENSION,
    STATE_MODEL,
    Candidate,
    Embedder,
    RecallQuery,
    Revise,
)
from memorycore.service.recalling import Recaller
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors
from memorycore.testing import FakeClock, HashEmbedder


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    opened = open_database(tmp_path / "memorycore.db")
    yield opened
    opened.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


class Told:
    """An embedder whose vectors a test tells; every other text is orthogonal to them."""

    model = "told/1"
    dimension = 4

    def __init__(self, vectors: dict[str, npt.NDArray[np.float32]]) -> None:
        self.vectors = vectors

    def probe(self) -> str | None:
        return None

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.stack([self.vectors.get(text, unit(0, 0, 0, 1)) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        return self.vectors.get(text, unit(0, 0, 0, 1))


def recaller(
    database: SqliteDatabase, embedder: Embedder | None, clock: FakeClock, **fields: Any
) -> Recaller:
    vectors = Vectors(embedder, clock=clock)
    model = StoreModel(database.repository, vectors)
    prior = load_recall_prior(None)
    return Recaller(
        database.repository, vectors, model=model, clock=clock, **({"prior": prior} | fields)
    )


def fill(database: SqliteDatabase, embedder: Embedder | None, *texts: str, **fields: Any) -> None:
    for number, text in enumerate(texts):
        vector = None if embedder is None else embedder.embed_passages([text])[0]
        put(database, f"{fields.get('prefix', 'm')}{number}", text, vector)
    if embedder is not None:
        database.repository.set_state(STATE_MODEL, embedder.model)
        database.repository.set_state(STATE_DIMENSION, str(embedder.dimension))


NOTES = (
    "The ferry to Hven leaves at seven from the north quay.",
    "Grandmother keeps her spare key with the florist.",
    "Invoices above 900 euros need a second signature.",
    "The greenhouse thermostat is set to 14 degrees.",
    "书房里的路由器型号是 AX-3600。",
)


def texts(recall: Recaller, query: str, **fields: Any) -> list[str]:
    return [hit.content for hit in recall.recall(RecallQuery(query, **fields)).hits]


@pytest.mark.parametrize("embedder", [None, HashEmbedder()], ids=["words alone", "with vectors"])
def test_a_handful_of_memories_answers_what_is_asked_of_it(
    database: SqliteDatabase, clock: FakeClock, embedder: Embedder | None
) -> None:
    fill(database, embedder, *NOTES)
    recall = recaller(database, embedder, clock)
    assert texts(recall, "when does the ferry to Hven leave?", top_k=10)[0] == NOTES[0]
    assert texts(recall, "spare key", top_k=10)[0] == NOTES[1]
    assert texts(recall, "路由器", top_k=10)[0] == NOTES[4]
    assert texts(recall, "AX-3600", top_k=10)[0] == NOTES[4]


@pytest.mark.parametrize(
    "query", ["banana pancake xyzzy", "QQQQ_NOT_HERE", "hi", "?", "", "   ", "🎉", "'\"*()"]
)
def test_nothing_answers_nonsense(database: SqliteDatabase, clock: FakeClock, query: str) -> None:
    fill(database, None, *NOTES)
    result = recaller(database, None, clock).recall(RecallQuery(query))
    assert (result.hits, result.abstained) == ((), True)


def test_a_store_without_an_embedder_says_that_it_goes_by_words(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    fill(database, None, *NOTES)
    result = recaller(database, None, clock).recall(RecallQuery("ferry"))
    assert result.hits[0].dense_score is None
    assert result.degraded is not None
    assert result.degraded.startswith("keyword-only:")


def test_a_failing_embedder_is_told_and_words_still_answer(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    embedder = HashEmbedder()
    fill(database, embedder, *NOTES)
    embedder.fail = True
    result = recaller(database, embedder, clock).recall(RecallQuery("ferry to Hven"))
    assert [hit.content for hit in result.hits] == [NOTES[0]]
    assert "told to fail" in (result.degraded or "")


def test_vectors_of_another_model_are_not_compared(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    fill(database, HashEmbedder(), *NOTES)
    for other in (HashEmbedder(model="other/1"), HashEmbedder(dimension=32)):
        result = recaller(database, other, clock).recall(RecallQuery("ferry to Hven"))
        assert [hit.content for hit in result.hits] == [NOTES[0]]
        assert result.hits[0].dense_score is None
        assert "reembed" in (result.degraded or "")


def test_explaining_names_the_words_and_the_likeness(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    embedder = HashEmbedder()
    fill(database, embedder, *NOTES)
    recall = recaller(database, embedder, clock)
    [why] = [hit.why for hit in recall.recall(RecallQuery("spare key", explain=True)).hits[:1]]
    assert "similar in meaning" in why[0]
    assert "spare, key" in why[1]
    assert recall.recall(RecallQuery("spare key")).hits[0].why == ()


def test_recall_sees_its_scope_and_the_global_one_and_no_other_author(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    put(database, "global", "the harbour opens at six")
    put(database, "heron", "the harbour of heron opens at seven", scope="project:heron")
    put(database, "stork", "the harbour of stork opens at eight", scope="project:stork")
    put(database, "ana", "the harbour of ana opens at nine", author="ana")
    recall = recaller(database, None, clock)

    def ids(**fields: Any) -> set[str]:
        return {hit.id for hit in recall.recall(RecallQuery("harbour opens", **fields)).hits}

    assert ids() == {"global"}
    assert ids(scope="project:heron") == {"global", "heron"}
    assert ids(author="ana") == {"ana"}


def test_about_limits_recall_to_memories_that_name_the_subject(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    for number in range(60):
        put(database, f"m{number}", f"the harbour office number {number} opens at six")
    put(database, "z", "Zoë's shop near the harbour opens late")
    recall = recaller(database, None, clock)
    assert texts(recall, "harbour opens", about="zoe") == ["Zoë's shop near the harbour opens late"]
    assert texts(recall, "harbour opens", about="nobody") == []


def test_the_past_is_recalled_as_it_was_and_not_counted(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    put(database, "a", "the harbour opens at six")
    change = Revise("a", "the harbour opens at seven", None, 0.5, 1)
    database.repository.apply([change], provenance=BY, at=NOW + 2 * DAY)
    recall = recaller(database, None, clock)
    assert texts(recall, "harbour opens", as_of=NOW + DAY) == ["the harbour opens at six"]
    assert database.repository.get(["a"])["a"].recall_count == 0
    assert texts(recall, "harbour opens") == ["the harbour opens at seven"]


def test_what_answered_is_counted_unless_the_caller_says_not_to(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    fill(database, None, *NOTES)
    recall = recaller(database, None, clock)
    texts(recall, "ferry to Hven", count=False)
    assert database.repository.get(["m0"])["m0"].recall_count == 0
    texts(recall, "ferry to Hven")
    memory = database.repository.get(["m0"])["m0"]
    assert (memory.recall_count, memory.last_recalled) == (1, NOW)
    assert database.repository.get(["m1"])["m1"].recall_count == 0


class Busy:
    """A repository that is too busy to count."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def note_recalled(self, *_: Any, **__: Any) -> None:
        message = "busy"
        raise ColdBusyError(message)


def test_a_store_too_busy_to_count_answers_all_the_same(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    fill(database, None, *NOTES)
    busy: Any = Busy(database.repository)
    recall = recaller(replace(database, repository=busy), None, clock)
    assert texts(recall, "ferry to Hven") == [NOTES[0]]


@pytest.mark.parametrize("reason", [TrashReason.DECAYED, TrashReason.STALE, TrashReason.EVICTED])
def test_the_best_answer_comes_back_from_the_trash_when_only_age_took_it(
    database: SqliteDatabase, clock: FakeClock, reason: TrashReason
) -> None:
    fill(database, None, *NOTES)
    trash(database, "m0", reason)
    recall = recaller(database, None, clock)
    assert texts(recall, "ferry to Hven", revive=False) == []
    [hit] = recall.recall(RecallQuery("ferry to Hven")).hits
    assert (hit.content, hit.revived) == (NOTES[0], True)
    assert database.repository.events(memory_id="m0")[-1].kind is EventKind.REVIVED
    assert recall.recall(RecallQuery("ferry to Hven")).hits[0].revived is False


@pytest.mark.parametrize(
    "reason", [TrashReason.USER, TrashReason.SUPERSEDED, TrashReason.RELEASED, TrashReason.REVERSAL]
)
def test_what_was_taken_away_on_purpose_stays_away(
    database: SqliteDatabase, clock: FakeClock, reason: TrashReason
) -> None:
    fill(database, None, *NOTES)
    trash(database, "m0", reason)
    assert texts(recaller(database, None, clock), "ferry to Hven") == []
    assert database.repository.trashed("m0") is not None


def test_the_trash_gives_way_to_a_better_live_answer(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    put(database, "live", "the ferry to Hven leaves at seven")
    put(database, "gone", "a ferry once sank near Hven in a storm of the century")
    trash(database, "gone", TrashReason.DECAYED)
    result = recaller(database, None, clock).recall(RecallQuery("ferry to Hven leaves"))
    assert [hit.id for hit in result.hits] == ["live"]
    assert database.repository.trashed("gone") is not None


def test_meaning_finds_what_shares_no_word(database: SqliteDatabase, clock: FakeClock) -> None:
    embedder = Told(
        {
            NOTES[1]: unit(1, 0.2, 0, 0.4),
            "how do I get into nan's house": unit(1, 0.1, 0, 0.4),
            "photosynthesis": unit(0, 0, 1, 0.4),
        }
    )
    fill(database, embedder, *NOTES)
    recall = recaller(database, embedder, clock)
    assert texts(recall, "how do I get into nan's house")[0] == NOTES[1]
    assert texts(recall, "photosynthesis") == []


def test_candidates_from_elsewhere_are_ranked_with_the_stores_own(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    fill(database, None, *NOTES)
    beside = [
        Candidate(row("hot", "The ferry to Ven sails from the north quay at eight."), None, None)
    ]
    found = recaller(database, None, clock).recall(
        RecallQuery("ferry to Ven north quay"), beside=beside
    )
    assert [hit.id for hit in found.hits] == ["hot", "m0"]


def test_an_old_memory_yields_to_a_fresh_one_that_says_as_much(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    long_ago = NOW - timedelta(days=700)
    put(
        database,
        "old",
        "the boat club meets on Monday",
        created_at=long_ago,
        updated_at=long_ago,
        confirmed_at=long_ago,
    )
    put(database, "new", "the boat club meets on Friday")
    result = recaller(database, None, clock).recall(RecallQuery("boat club meets"))
    assert [hit.id for hit in result.hits] == ["new", "old"]
    assert result.hits[0].score > result.hits[1].score


def test_an_embedder_that_breaks_between_two_calls_degrades_the_second_only(
    database: SqliteDatabase, clock: FakeClock
) -> None:
    class Flaky(HashEmbedder):
        @override
        def embed_query(self, text: str) -> npt.NDArray[np.float32]:
            if self.fail:
                message = "gone away"
                raise EmbedderError(message)
            return super().embed_query(text)

    embedder = Flaky()
    fill(database, embedder, *NOTES)
    recall = recaller(database, embedder, clock)
    assert recall.recall(RecallQuery("spare key")).degraded is None
    embedder.fail = True
    assert "gone away" in (recall.recall(RecallQuery("spare key")).degraded or "")
    embedder.fail = False
    clock.advance(minutes=5)
    assert recall.recall(RecallQuery("spare key")).degraded is None
