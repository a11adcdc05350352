"""Writes while the remote is down: kept, said, sent once and in order, also after a restart."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memorycore.adapters.cold_sqlite import SqliteDatabase, open_database
from memorycore.errors import (
    ColdTierError,
    ColdUnavailableError,
    InvalidInputError,
    UnknownMemoryError,
)
from memorycore.model.memory import Provenance, TrashReason
from memorycore.model.results import ColdUsage, Hit, RecallResult
from memorycore.ports import Draft, Outcome, RecallQuery, Remembered
from memorycore.service.outbox import OutboxedCold
from memorycore.service.outbox_sender import LEASE
from memorycore.testing import CountingIds, FakeClock

BECAUSE = Provenance("tester", "test", "told so")
USAGE = ColdUsage("fake", 0, 0, 0, 0, 0, 0, 0, None)


@dataclass
class Remote:
    """A remote that lands each key once; `fault` is raised instead of an answer, `poison` for one text."""

    fault: Exception | None = None
    poison: dict[str, Exception] = field(default_factory=dict)
    loses_answers: bool = False
    queues: bool = False
    landed: dict[str, str] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def remember(self, draft: Draft, *, key: str | None = None) -> Remembered:
        self._check(draft.content)
        if self.queues:
            return Remembered(Outcome.QUEUED, "", draft.content, "later")
        known = next((one for one, text in self.landed.items() if text == draft.content), None)
        if key not in self.keys:
            self._land(key, draft.content, known or f"r{len(self.landed) + 1}")
        self._answer()
        memory_id = next(one for one, text in self.landed.items() if text == draft.content)
        outcome = Outcome.DUPLICATE if known else Outcome.STORED
        return Remembered(outcome, memory_id, draft.content, "done")

    def recall(self, query: RecallQuery) -> RecallResult:
        self._check("")
        hits = tuple(
            Hit(one, text, 0.9, None, None, 0.5, FakeClock().now(), None)
            for one, text in self.landed.items()
        )
        return RecallResult(query.text, hits, not hits)

    def update(
        self, memory_id: str, content: str, *, provenance: Provenance, key: str | None = None
    ) -> Remembered:
        self._check(content)
        if memory_id not in self.landed:
            raise UnknownMemoryError(memory_id)
        if key not in self.keys:
            self._land(key, content, memory_id)
        self._answer()
        return Remembered(Outcome.MERGED, memory_id, content, "done")

    def forget(
        self,
        memory_id: str,
        *,
        reason: TrashReason,
        provenance: Provenance,
        key: str | None = None,
    ) -> bool:
        self._check("")
        gone = self.landed.pop(memory_id, None) is not None
        self.log.append(f"forget {memory_id}")
        self._answer()
        return gone

    def read(self, memory_id: str) -> str | None:
        self._check("")
        return self.landed.get(memory_id)

    def stats(self) -> ColdUsage:
        self._check("")
        return replace(USAGE, live=len(self.landed))

    def _land(self, key: str | None, text: str, memory_id: str) -> None:
        self.keys.append(key or "")
        self.landed[memory_id] = text
        self.log.append(text)

    def _check(self, text: str) -> None:
        if self.fault is not None:
            raise self.fault
        if text in self.poison:
            raise self.poison[text]

    def _answer(self) -> None:
        if self.loses_answers:
            raise ColdUnavailableError("the connection broke before the answer came")


@dataclass
class World:
    database: SqliteDatabase
    remote: Remote
    clock: FakeClock
    ids: CountingIds
    cold: OutboxedCold

    def say(self, text: str) -> Remembered:
        self.clock.advance(seconds=1)
        return self.cold.remember(Draft(text, BECAUSE))

    def waiting(self) -> list[str]:
        return [str(item.payload.get("content")) for item in self.database.outbox.pending()]

    def down(self) -> None:
        self.remote.fault = ColdUnavailableError("down")

    def up(self) -> None:
        self.remote.fault = None


def outboxed(
    database: SqliteDatabase, remote: Remote, clock: FakeClock, owner: str
) -> OutboxedCold:
    return OutboxedCold(
        remote,
        database.outbox,
        leases=database.leases,
        owner=owner,
        clock=clock,
        ids=CountingIds(owner),
    )


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    database = open_database(tmp_path / "memorycore.db")
    clock = FakeClock()
    remote = Remote()
    cold = outboxed(database, remote, clock, "first")
    yield World(database, remote, clock, CountingIds(), cold)
    database.close()


def test_a_write_reaches_a_living_remote_at_once(world: World) -> None:
    assert world.say("one").outcome is Outcome.STORED
    assert world.waiting() == []


@pytest.mark.parametrize("fault", [ColdUnavailableError("down"), ColdTierError("odd")])
def test_a_write_that_cannot_be_delivered_is_queued_and_never_called_stored(
    world: World, fault: Exception
) -> None:
    world.remote.fault = fault
    kept = world.say("one")
    assert kept.outcome is Outcome.QUEUED
    assert str(fault) in kept.reason
    assert world.waiting() == ["one"]
    assert world.cold.read(kept.memory_id) == "one"
    assert [draft.content for _, draft in world.cold.waiting()] == ["one"]


def test_what_waits_is_sent_once_and_in_order_when_the_remote_is_back(world: World) -> None:
    world.down()
    for text in ("one", "two", "three"):
        world.say(text)
    assert world.cold.replay() == 0
    world.up()
    assert world.cold.replay() == 3
    assert world.cold.replay() == 0
    assert world.remote.log == ["one", "two", "three"]
    assert world.waiting() == []


def test_a_new_write_never_overtakes_what_waits(world: World) -> None:
    world.down()
    world.say("one")
    world.up()
    assert world.say("two").outcome is Outcome.STORED
    assert world.remote.log == ["one", "two"]


def test_while_the_remote_stays_down_everything_queues_behind_everything(world: World) -> None:
    world.down()
    kept = [world.say(text).outcome for text in ("one", "two")]
    assert kept == [Outcome.QUEUED] * 2
    assert world.waiting() == ["one", "two"]


def test_a_write_whose_answer_was_lost_lands_once(world: World) -> None:
    world.remote.loses_answers = True
    assert world.say("one").outcome is Outcome.QUEUED
    assert world.cold.replay() == 0
    world.remote.loses_answers = False
    assert world.cold.replay() == 1
    assert world.remote.log == ["one"]


def test_an_update_whose_answer_was_lost_lands_once(world: World) -> None:
    kept = world.say("one")
    world.remote.loses_answers = True
    changed = world.cold.update(kept.memory_id, "one and a half", provenance=BECAUSE)
    assert changed.outcome is Outcome.QUEUED
    world.remote.loses_answers = False
    world.cold.replay()
    assert world.remote.log == ["one", "one and a half"]


def test_what_waits_outlives_the_process(world: World, tmp_path: Path) -> None:
    world.down()
    world.say("one")
    world.say("two")
    world.database.close()
    database = open_database(tmp_path / "memorycore.db")
    remote = Remote()
    cold = outboxed(database, remote, world.clock, "second")
    assert cold.replay() == 2
    assert remote.log == ["one", "two"]
    database.close()


def test_a_queued_text_keeps_all_that_was_told_with_it(world: World) -> None:
    draft = Draft(
        "one",
        BECAUSE,
        scope="project:x",
        importance=0.9,
        protected=True,
        source="mail",
        created_at=world.clock.now(),
    )
    world.down()
    world.cold.remember(draft)
    assert world.cold.waiting()[0][1] == draft


def test_a_queued_text_is_dated_when_it_was_told_and_not_when_it_was_sent(world: World) -> None:
    world.down()
    world.say("one")
    told = world.clock.now()
    world.clock.advance(days=3)
    assert world.cold.waiting()[0][1].created_at == told


def test_a_refused_text_is_refused_and_not_queued(world: World) -> None:
    world.remote.fault = InvalidInputError("too long")
    with pytest.raises(InvalidInputError):
        world.say("one")
    assert world.waiting() == []


def test_a_text_refused_later_stays_and_holds_up_nobody(world: World) -> None:
    world.down()
    for text in ("bad", "good"):
        world.say(text)
    world.up()
    world.remote.poison["bad"] = InvalidInputError("too long")
    assert world.cold.replay() == 1
    assert world.waiting() == ["bad"]
    assert world.say("next").outcome is Outcome.STORED
    assert world.database.outbox.pending()[0].last_error == "too long"


def test_a_text_the_remote_chokes_on_gives_way_once_the_remote_is_seen_alive(world: World) -> None:
    world.down()
    for text in ("bad", "good"):
        world.say(text)
    world.up()
    world.remote.poison["bad"] = ColdUnavailableError("HTTP 500")
    delivered = [world.cold.replay() for _ in range(5)]
    assert delivered[0] == 0
    assert sum(delivered) == 1
    assert world.waiting() == ["bad"]


def test_a_refused_text_is_tried_again_after_an_hour(world: World) -> None:
    world.down()
    world.say("bad")
    world.up()
    world.remote.poison["bad"] = InvalidInputError("too long")
    assert world.cold.replay() == 0
    world.remote.poison.clear()
    assert world.cold.replay() == 0
    world.clock.advance(minutes=61)
    assert world.cold.replay() == 1


def test_a_long_time_down_does_not_count_against_what_waits(world: World) -> None:
    world.down()
    for text in ("one", "two"):
        world.say(text)
    for _ in range(20):
        world.cold.replay()
    world.up()
    world.remote.poison["one"] = ColdUnavailableError("a passing 503")
    assert world.cold.replay() == 0
    world.remote.poison.clear()
    assert world.cold.replay() == 2
    assert world.remote.log == ["one", "two"]


def test_the_id_of_a_queued_text_still_names_it_once_it_was_delivered(world: World) -> None:
    world.down()
    kept = world.say("one")
    world.up()
    world.cold.replay()
    assert world.cold.read(kept.memory_id) == "one"
    world.cold.update(kept.memory_id, "two", provenance=BECAUSE)
    assert list(world.remote.landed.values()) == ["two"]
    assert world.cold.forget(kept.memory_id, reason=TrashReason.USER, provenance=BECAUSE)
    assert world.remote.landed == {}


def test_what_the_remote_queues_itself_is_kept_until_it_confirms(world: World) -> None:
    world.remote.queues = True
    kept = world.say("one")
    assert kept.outcome is Outcome.QUEUED
    assert world.cold.replay() == 0
    assert world.waiting() == ["one"]
    world.remote.queues = False
    assert world.cold.replay() == 1


def test_what_only_waits_can_be_changed_and_forgotten(world: World) -> None:
    world.down()
    kept = world.say("one")
    changed = world.cold.update(kept.memory_id, "two", provenance=BECAUSE)
    assert world.waiting() == ["two"]
    reason = TrashReason.USER
    assert world.cold.forget(changed.memory_id, reason=reason, provenance=BECAUSE)
    assert world.waiting() == []
    world.up()
    assert world.cold.replay() == 0
    assert world.remote.landed == {}


def test_what_is_to_be_forgotten_is_not_found_meanwhile(world: World) -> None:
    kept = world.say("one")
    world.down()
    assert world.cold.forget(kept.memory_id, reason=TrashReason.USER, provenance=BECAUSE)
    world.up()
    assert world.cold.recall(RecallQuery("one")).abstained
    world.cold.replay()
    assert world.remote.landed == {}


def test_a_change_of_a_memory_that_is_gone_meanwhile_keeps_its_text(world: World) -> None:
    kept = world.say("one")
    world.down()
    world.cold.update(kept.memory_id, "two", provenance=BECAUSE)
    world.up()
    world.remote.landed.clear()
    world.cold.replay()
    assert list(world.remote.landed.values()) == ["two"]


def test_the_counts_say_how_much_waits(world: World) -> None:
    world.remote.queues = True
    world.say("one")
    world.say("two")
    assert world.cold.stats().queued == 2


def test_two_processes_send_a_backlog_once(world: World) -> None:
    world.down()
    for number in range(20):
        world.say(f"text {number}")
    world.up()
    other = outboxed(world.database, world.remote, world.clock, "second")
    threads = [threading.Thread(target=one.replay) for one in (world.cold, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.replay()
    assert world.remote.log == [f"text {number}" for number in range(20)]


def test_a_process_that_died_while_it_sent_keeps_others_waiting_for_minutes_only(
    world: World,
) -> None:
    world.down()
    world.say("one")
    world.up()
    now = world.clock.now()
    until = now + timedelta(minutes=2)
    assert world.database.leases.acquire(LEASE, owner="dead", now=now, until=until)
    assert world.cold.replay() == 0
    world.clock.advance(minutes=3)
    assert world.cold.replay() == 1


def test_faults_of_recall_are_told_and_not_hidden(world: World) -> None:
    world.down()
    calls: list[Callable[[], Any]] = [lambda: world.cold.recall(RecallQuery("x")), world.cold.stats]
    for call in calls:
        with pytest.raises(ColdUnavailableError):
            call()
