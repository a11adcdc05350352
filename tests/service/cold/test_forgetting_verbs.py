from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memorycore.errors import ColdUnavailableError, InvalidInputError, UnknownMemoryError
from memorycore.model.memory import EventKind, Provenance, TrashReason
from memorycore.model.results import Hit, RecallResult
from memorycore.model.routing import Target
from memorycore.ports import Discard, Draft, RecallQuery
from memorycore.service.history import History

if TYPE_CHECKING:
    from cold_bench import Bench

pytest_plugins = ["cold_bench"]

BY = Provenance("tester", "pytest", "asked to")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "*",
        "%",
        "%%",
        "_",
        "...",
        "everything",
        "的",
        "the",
        "something else",
        "etwas anderes",
    ],
)
@pytest.mark.parametrize("verb", ["release", "purge"])
def test_a_request_that_names_nothing_is_refused_and_changes_nothing(
    bench: Bench, verb: str, query: str
) -> None:
    bench.keep("Ines keeps bees")
    with pytest.raises(InvalidInputError):
        getattr(bench.forgetting(), verb)(query, provenance=BY)
    assert bench.live() == ["Ines keeps bees"]


@pytest.mark.parametrize("verb", ["release", "purge"])
def test_a_preview_shows_what_would_go_and_touches_nothing(bench: Bench, verb: str) -> None:
    bench.keep("Ines keeps bees")
    bench.keep("Otto keeps bees")
    before = bench.repository.change_number()
    result = getattr(bench.forgetting(), verb)("everything about Ines", provenance=BY, dry_run=True)
    shown = result.released if verb == "release" else result.preview
    assert result.dry_run
    assert [memory.content for memory in shown] == ["Ines keeps bees"]
    assert bench.repository.change_number() == before


def test_release_takes_what_is_about_the_subject_and_not_what_shares_a_word(bench: Bench) -> None:
    for text in ("Grant keeps bees", "The grant was approved", "Grants are paid in May"):
        bench.keep(text)
    result = bench.forgetting().release("everything about Grant", provenance=BY)
    assert [memory.content for memory in result.released] == ["Grant keeps bees"]
    assert bench.trashed() == {"Grant keeps bees": "released"}


def test_a_request_about_somebody_unknown_takes_nothing(bench: Bench) -> None:
    bench.keep("Ines keeps bees")
    result = bench.forgetting().release("Ulla's bees", provenance=BY)
    assert result.released == ()
    assert result.reason
    assert bench.live() == ["Ines keeps bees"]


def test_an_id_means_exactly_one_memory(bench: Bench) -> None:
    memory = bench.keep("shelf A1 is full")
    bench.keep("shelf A1 is full!")
    bench.forgetting().release(memory.id, provenance=BY)
    assert bench.live() == ["shelf A1 is full!"]


def test_one_request_takes_a_bounded_number_and_says_that_more_is_left(bench: Bench) -> None:
    for number in range(40):
        bench.keep(f"Ines owns hive {number}")
    result = bench.forgetting().release("everything about Ines", provenance=BY)
    assert result.capped
    assert len(result.released) + len(bench.live()) == 40
    assert 0 < len(result.released) < 40


@pytest.mark.parametrize("reason", [TrashReason.USER, TrashReason.SUPERSEDED])
def test_releasing_what_lies_in_the_trash_says_so_and_shows_nothing_as_live(
    bench: Bench, reason: TrashReason
) -> None:
    memory = bench.keep("Ines keeps bees")
    until = bench.clock.now() + timedelta(days=30)
    bench.repository.apply(
        [Discard(memory.id, reason, until, "told")], provenance=BY, at=bench.clock.now()
    )
    for dry_run in (True, False):
        result = bench.forgetting().release(memory.id, provenance=BY, dry_run=dry_run)
        assert result.released == ()
        assert "in the trash already" in result.reason
    assert "in the trash already" in bench.forgetting().purge(memory.id, provenance=BY).reason


def test_an_id_is_unknown_to_whoever_does_not_own_it(bench: Bench) -> None:
    memory = bench.keep("Ines keeps bees", author="ines")
    verbs, history = bench.forgetting(), History(bench.repository)
    for other in ("", "otto"):
        with pytest.raises(UnknownMemoryError):
            verbs.forget(memory.id, provenance=BY, author=other)
        with pytest.raises(UnknownMemoryError):
            bench.trash.revive(memory.id, provenance=BY, author=other)
        with pytest.raises(UnknownMemoryError):
            history.of(memory.id, author=other)
    assert bench.live() == ["Ines keeps bees"]
    assert history.of(memory.id, author="ines")
    verbs.forget(memory.id, provenance=BY, author="ines")
    with pytest.raises(UnknownMemoryError):
        bench.trash.revive(memory.id, provenance=BY, author="otto")
    bench.trash.revive(memory.id, provenance=BY, author="ines")
    assert bench.live() == ["Ines keeps bees"]


def test_what_was_released_is_not_brought_back_by_its_own_stale_twin(bench: Bench) -> None:
    memory = bench.keep("Ines keeps bees")
    bench.forgetting().forget(memory.id, provenance=BY)
    assert bench.trashed() == {"Ines keeps bees": "user"}
    bench.forgetting().forget(memory.id, provenance=BY)
    assert bench.trashed() == {"Ines keeps bees": "user"}


def test_forgetting_an_unknown_id_is_told_apart(bench: Bench) -> None:
    with pytest.raises(UnknownMemoryError):
        bench.forgetting().forget("nothing", provenance=BY)


def test_release_reaches_the_hot_files_and_keeps_the_text_in_the_trash(bench: Bench) -> None:
    bench.hot_store.write_by_hand(
        Target.MEMORY, "Always greet Ines by name", "Always lock the door"
    )
    bench.hot_store.write_by_hand(Target.USER, "Always call Ines after six")
    bench.forgetting().release("everything about Ines", provenance=BY)
    assert bench.hot_texts() == ["Always lock the door"]
    assert bench.trashed() == {
        "Always greet Ines by name": "released",
        "Always call Ines after six": "released",
    }


def test_a_text_that_says_several_things_loses_only_what_is_meant(bench: Bench) -> None:
    bench.keep("Ines keeps bees. The harvest is in July.")
    bench.forgetting().release("everything about Ines", provenance=BY)
    assert bench.live() == ["The harvest is in July."]
    assert bench.trashed() == {"Ines keeps bees. The harvest is in July.": "released"}


def test_supersede_stores_the_new_text_and_names_it_as_the_successor(bench: Bench) -> None:
    old = bench.keep("Ines keeps bees", importance=0.7)
    result = bench.forgetting().supersede("Ines bees", "Ines sold the bees", provenance=BY)
    (kept,) = bench.repository.scan()
    assert kept.content == "Ines sold the bees"
    assert kept.importance == 0.7
    assert kept.supersedes == old.id
    assert [memory.id for memory in result.superseded] == [old.id]
    assert bench.repository.trash()[0].successor_id == kept.id == result.memory_id


def test_supersede_reaches_every_wording_of_what_is_corrected(bench: Bench) -> None:
    for text in ("pump = 3", "pump = 3.", "PUMP = 3", "pump = 3.."):
        bench.keep(text)
    bench.keep("fan = 3")
    bench.forgetting().supersede("pump = 3", "pump = 5", provenance=BY)
    assert bench.live() == ["fan = 3", "pump = 5"]


def test_a_chain_of_corrections_is_followed_though_the_newest_no_longer_names_the_thing(
    bench: Bench,
) -> None:
    verbs = bench.forgetting()
    bench.keep("Ines's favourite tool is the smoker")
    verbs.supersede("Ines favourite tool", "It is the brush by now", provenance=BY)
    verbs.supersede("Ines favourite tool", "It is the veil after all", provenance=BY)
    assert bench.live() == ["It is the veil after all"]


def test_supersede_stores_the_new_text_even_when_nothing_old_is_found(bench: Bench) -> None:
    result = bench.forgetting().supersede("Ulla's bees", "Ulla keeps goats", provenance=BY)
    assert bench.live() == ["Ulla keeps goats"]
    assert result.superseded == ()
    assert "stored as new" in result.reason


def test_supersede_replaces_a_hot_entry_in_its_place(bench: Bench) -> None:
    bench.hot_store.write_by_hand(
        Target.MEMORY, "Always lock the door", "Always greet Ines", "Always sweep"
    )
    result = bench.forgetting().supersede("greet Ines", "Always hug Ines", provenance=BY)
    assert bench.hot_texts() == ["Always lock the door", "Always hug Ines", "Always sweep"]
    assert bench.trashed() == {"Always greet Ines": "superseded"}
    assert [memory.content for memory in result.superseded] == ["Always greet Ines"]


def test_a_new_text_that_is_a_secret_is_refused_before_anything_changes(bench: Bench) -> None:
    bench.keep("Ines keeps bees")
    with pytest.raises(InvalidInputError):
        bench.forgetting().supersede("Ines bees", "the password is hunter2", provenance=BY)
    assert bench.live() == ["Ines keeps bees"]


def test_superseding_a_text_by_itself_loses_nothing(bench: Bench) -> None:
    bench.keep("Ines keeps bees")
    bench.forgetting().supersede("Ines bees", "Ines keeps bees", provenance=BY)
    assert bench.live() == ["Ines keeps bees"]


def test_authors_do_not_reach_each_others_memories(bench: Bench) -> None:
    memory = bench.keep("Ines keeps bees", author="bo")
    verbs = bench.forgetting()
    assert verbs.release("everything about Ines", provenance=BY).released == ()
    assert verbs.purge(memory.id, provenance=BY, author="al").purged == 0
    assert bench.live() == ["Ines keeps bees"]


def test_history_tells_who_released_a_memory_with_what_and_why(bench: Bench) -> None:
    memory = bench.keep("Ines keeps bees")
    bench.forgetting().release(memory.id, provenance=Provenance("ada", "cli", "no longer true"))
    last = bench.repository.events(memory_id=memory.id)[-1]
    assert last.kind is EventKind.TRASHED
    assert last.provenance == Provenance("ada", "cli", "no longer true")


class FarStore:
    """A remote cold tier that knows a few texts."""

    def __init__(self, *texts: str) -> None:
        self.texts = {f"far-{number}": text for number, text in enumerate(texts)}
        self.fault: Exception | None = None

    def recall(self, query: RecallQuery) -> RecallResult:
        if self.fault is not None:
            raise self.fault
        now = datetime(2026, 1, 1, tzinfo=UTC)
        hits = [Hit(i, t, 0.9, 0.9, None, 0.5, now, None) for i, t in self.texts.items()]
        return RecallResult(query.text, tuple(hits), abstained=False)

    def read(self, memory_id: str) -> str | None:
        return self.texts.get(memory_id)

    def forget(self, memory_id: str, *, reason: TrashReason, provenance: Provenance) -> bool:
        return self.texts.pop(memory_id, None) is not None

    def remember(self, draft: Draft) -> None:
        self.texts[f"far-{len(self.texts) + 100}"] = draft.content


@pytest.mark.parametrize("verb", ["release", "purge"])
def test_a_remote_cold_tier_is_reached_by_what_is_meant_and_by_id(
    bench_with: Callable[..., Bench], verb: str
) -> None:
    far = FarStore("Ines keeps bees", "Otto keeps goats", "Ines's boat is blue. Otto has the key.")
    forgetting = bench_with(remote=far).forgetting()
    getattr(forgetting, verb)("everything about Ines", provenance=BY)
    assert sorted(far.texts.values()) == ["Otto has the key.", "Otto keeps goats"]
    getattr(forgetting, verb)("far-1", provenance=BY)
    assert list(far.texts.values()) == ["Otto has the key."]


def test_a_remote_cold_tier_that_does_not_answer_is_no_success(
    bench_with: Callable[..., Bench],
) -> None:
    far = FarStore("Ines keeps bees")
    far.fault = ColdUnavailableError("nobody there")
    with pytest.raises(ColdUnavailableError):
        bench_with(remote=far).forgetting().release("everything about Ines", provenance=BY)
