"""A cold write is compared with what it is close to; nothing that was said is gone afterwards."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from memorycore.adapters.learned_pairs import load_pair_scorer
from memorycore.adapters.relation_words import load_relation_words
from memorycore.bootstrap.databases import Databases
from memorycore.errors import ColdConflictError, JudgeError, UnknownMemoryError
from memorycore.model.limits import ColdLimits, Retention
from memorycore.model.memory import Provenance, TrashReason
from memorycore.model.relation import Relation
from memorycore.policy.relation.comparing import Comparer
from memorycore.ports import Draft, Outcome, Revive
from memorycore.service.cold_steps import ColdSteps
from memorycore.service.governed_cold import ColdRules, GovernedCold
from memorycore.service.recalling import Recaller
from memorycore.service.store_model import StoreModel
from memorycore.service.vectors import Vectors
from memorycore.testing import CountingIds, FakeClock, FaultyStore, HashEmbedder

pytest_plugins = ["cold_backends"]

BECAUSE = Provenance("tester", "test", "told so")


class Counting:
    """Counts the searches of a repository."""

    def __init__(self, repository: Any) -> None:
        self._repository = repository
        self.searches = 0

    def __getattr__(self, name: str) -> Any:
        if name == "search":
            self.searches += 1
        return getattr(self._repository, name)


@dataclass
class World:
    database: Databases
    clock: FakeClock
    counting: Counting
    cold: GovernedCold

    def say(self, text: str, **more: Any) -> Any:
        self.clock.advance(minutes=1)
        return self.cold.remember(Draft(text, BECAUSE, **more))

    def live(self) -> list[str]:
        return sorted(memory.content for memory in self.database.repository.scan())

    def trash(self) -> dict[str, TrashReason]:
        return {item.memory.content: item.reason for item in self.database.repository.trash()}


class StubbornJudge:
    """Answers every question with one relation, or fails."""

    def __init__(self, answer: Relation | None) -> None:
        self.answer = answer

    def relation(self, older: str, newer: str) -> Relation:
        if self.answer is None:
            raise JudgeError("no answer")
        return self.answer

    def merge(self, older: str, newer: str) -> str:
        raise JudgeError("not asked")

    def compress(self, text: str, *, limit: int) -> str:
        raise JudgeError("not asked")

    def dormant(self, topic: str, queries: object) -> bool:
        return False


def build(database: Databases, *, judge: Any = None, repository: Any = None) -> World:
    clock = FakeClock()
    counting = Counting(repository or database.repository)
    vectors = Vectors(HashEmbedder(), clock=clock)
    model = StoreModel(counting, vectors)
    cold = GovernedCold(
        counting,
        backend="sqlite",
        rules=ColdRules(
            Comparer(load_relation_words(), load_pair_scorer(None)), judge, ColdLimits()
        ),
        steps=ColdSteps(vectors, model, Retention(), CountingIds()),
        recaller=Recaller(counting, vectors, model=model, clock=clock),
        clock=clock,
    )
    return World(database, clock, counting, cold)


@pytest.fixture
def world(database: Databases) -> World:
    return build(database)


@pytest.mark.parametrize(
    "variant",
    ["The cat is called Mia.", "  The cat is called Mia. \n", "The cat is called Mia.\r\n"],
)
def test_the_same_text_is_one_memory_however_it_is_spaced(world: World, variant: str) -> None:
    first = world.say("The cat is called Mia.")
    again = world.say(variant)
    assert (again.outcome, again.memory_id) == (Outcome.DUPLICATE, first.memory_id)
    assert world.live() == ["The cat is called Mia."]
    assert world.trash() == {}


def test_repeating_a_write_costs_no_search(world: World) -> None:
    texts = ["Backups run on Sundays.", "备份在周日运行。", "Резервные копии по воскресеньям."]
    for text in texts:
        world.say(text)
    before = world.counting.searches
    for _ in range(20):
        for text in texts:
            assert world.say(text).outcome is Outcome.DUPLICATE
    assert world.counting.searches == before
    assert len(world.live()) == len(texts)


def test_a_newer_value_replaces_the_older_which_stays_in_the_trash_and_in_history(
    world: World,
) -> None:
    old = world.say("The staging database listens on port 5432.")
    new = world.say("The staging database now listens on port 5433.")
    assert (new.outcome, new.related_id) == (Outcome.SUPERSEDED, old.memory_id)
    assert world.live() == ["The staging database now listens on port 5433."]
    assert world.trash()["The staging database listens on port 5432."] is TrashReason.SUPERSEDED
    trashed = world.database.repository.trashed(old.memory_id)
    assert trashed is not None
    assert trashed.successor_id == new.memory_id


def test_going_back_to_an_earlier_value_makes_it_live_again(world: World) -> None:
    first = "The staging database listens on port 5432."
    second = "The staging database listens on port 5433."
    world.say(first)
    world.say(second)
    back = world.say(first)
    assert back.content == first
    assert world.live() == [first]
    assert world.trash() == {second: TrashReason.SUPERSEDED}


def test_a_fact_told_earlier_never_replaces_what_was_told_later(world: World) -> None:
    current = world.say("The staging database listens on port 5433.")
    earlier = replace(
        Draft("The staging database listens on port 5432.", BECAUSE),
        created_at=world.clock.now().replace(year=2020),
    )
    kept = world.cold.remember(earlier)
    assert (kept.outcome, kept.related_id) == (Outcome.OUTDATED, current.memory_id)
    assert world.live() == ["The staging database listens on port 5433."]
    assert earlier.content in world.trash()


def test_other_words_for_the_same_are_recognised_and_the_wording_is_kept_in_the_trash(
    world: World,
) -> None:
    judged = build(world.database, judge=StubbornJudge(Relation.SAME))
    first = judged.say("用户喜欢直接说结论")
    again = judged.say("用户喜欢直接给结论。")
    assert again.memory_id == first.memory_id
    assert judged.live() == ["用户喜欢直接说结论"]
    assert judged.trash() == {"用户喜欢直接给结论。": TrashReason.MERGED}
    searches = judged.counting.searches
    assert judged.say("用户喜欢直接给结论。").outcome is Outcome.DUPLICATE
    assert judged.counting.searches == searches


def test_the_wording_that_says_more_is_the_one_that_stays_whichever_came_first(
    database: Databases,
) -> None:
    judged = build(database, judge=StubbornJudge(Relation.SAME))
    for poor, rich in (
        ("The bridge is closed.", "The old bridge is closed."),
        ("仓库钥匙在抽屉里", "仓库备用钥匙在抽屉里"),
    ):
        judged.say(poor)
        fuller = judged.say(rich)
        assert fuller.content == rich
        assert judged.say(poor).content == rich
        assert rich in judged.live()
        assert poor not in judged.live()


def test_a_judge_that_fails_leaves_the_answer_of_the_rules(database: Databases) -> None:
    world = build(database, judge=StubbornJudge(None))
    world.say("The deploy user is called mirela.")
    world.say("Grafana dashboards live in the Kestrel folder.")
    assert len(world.live()) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The deadline is October 15th.", "The invoice was paid on October 16th."),
        ("Speaks French.", "Speaks German."),
        ("Use the async runtime.", "Do not forget to configure the async runtime."),
        ("🎉", "🔥"),
        ("!!!", "???"),
        ("配置 SQLite 路径", "删除 SQLite 备份"),
    ],
)
def test_facts_that_only_look_alike_both_live(world: World, one: str, other: str) -> None:
    world.say(one)
    kept = world.say(other)
    assert kept.content == other
    assert world.live() == sorted([one, other])


def test_authors_and_scopes_never_meet(world: World) -> None:
    text = "The office plant is called Fred."
    world.say(text)
    world.say(text, author="ana")
    world.say(text, scope="project:heron")
    assert world.live() == [text] * 3


def test_a_conflict_with_another_writer_is_tried_again(database: Databases) -> None:
    faulty = FaultyStore(
        database.repository, method="apply", fault=ColdConflictError("changed"), at=1
    )
    world = build(database, repository=faulty)
    assert world.say("The printer is on floor two.").outcome is Outcome.STORED
    assert world.live() == ["The printer is on floor two."]


def test_a_conflict_that_lasts_is_an_error_and_no_success(database: Databases) -> None:
    faulty = FaultyStore(
        database.repository, method="apply", fault=ColdConflictError("changed"), lasting=True
    )
    world = build(database, repository=faulty)
    with pytest.raises(ColdConflictError):
        world.say("The printer is on floor two.")


def test_an_update_by_id_keeps_the_old_text_as_a_revision(world: World) -> None:
    kept = world.say("The printer is on floor two.")
    world.cold.update(kept.memory_id, "The printer is on floor three.", provenance=BECAUSE)
    texts = [item.content for item in world.database.repository.revisions(kept.memory_id)]
    assert texts == ["The printer is on floor two.", "The printer is on floor three."]
    assert world.cold.read(kept.memory_id) == "The printer is on floor three."
    with pytest.raises(UnknownMemoryError):
        world.cold.update("nobody", "x", provenance=BECAUSE)


def test_what_is_thrown_away_at_once_lies_whole_in_the_trash(world: World) -> None:
    draft = Draft("PR #214 merged.", BECAUSE)
    memory_id = world.cold.discard(draft, reason=TrashReason.STALE)
    assert world.cold.discard(draft, reason=TrashReason.STALE) == memory_id
    assert world.trash() == {"PR #214 merged.": TrashReason.STALE}
    assert world.live() == []


def test_what_lies_in_the_trash_keeps_its_vector_so_that_recall_can_find_it(world: World) -> None:
    memory_id = world.cold.discard(
        Draft("Mirela finished her first kayak.", BECAUSE), reason=TrashReason.STALE
    )
    world.database.repository.apply([Revive(memory_id)], provenance=BECAUSE, at=world.clock.now())
    assert memory_id in world.database.repository.vectors([memory_id])


def test_a_write_whose_vector_cannot_be_made_is_kept_and_marked_pending(
    database: Databases,
) -> None:
    world = build(database)
    embedder = HashEmbedder()
    embedder.fail = True
    clock = FakeClock()
    vectors = Vectors(embedder, clock=clock)
    model = StoreModel(database.repository, vectors)
    cold = GovernedCold(
        database.repository,
        backend="sqlite",
        rules=ColdRules(Comparer(load_relation_words()), None, ColdLimits()),
        steps=ColdSteps(vectors, model, Retention(), CountingIds("p")),
        recaller=Recaller(database.repository, vectors, model=model, clock=clock),
        clock=clock,
    )
    cold.remember(Draft("The printer is on floor two.", BECAUSE))
    assert world.live() == ["The printer is on floor two."]
    assert cold.stats().pending_vectors == 1
    assert "told to fail" in (cold.stats().degraded or "")
