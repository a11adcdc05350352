"""Rows of a cold store: what each change leaves behind, and that rows, indexes and counts agree."""

import random
from datetime import timedelta

import numpy as np
import pytest
from cold_rows import DAY, NOW, do, found, kinds, put, row, trash, unit

from memorycore.bootstrap.databases import Databases
from memorycore.errors import ColdConflictError, UnknownMemoryError
from memorycore.model.memory import Event, EventKind, Provenance, TrashReason
from memorycore.policy.text import content_hash
from memorycore.ports import Confirm, Discard, Erase, Insert, Revise, Revive

pytest_plugins = ["cold_backends"]


def test_a_memory_comes_back_with_every_field(database: Databases) -> None:
    told = row(
        "a",
        "Ωmega 设备\nsecond line",
        author="ana",
        scope="project:heron",
        importance=0.75,
        protected=True,
        source="chat",
        created_at=NOW - timedelta(days=400, microseconds=7),
        supersedes="older",
    )
    do(database, Insert(told, unit(1, 2, 3)))
    assert database.repository.get(["a"]) == {"a": told}
    kept = database.repository.vectors(["a"])["a"]
    assert np.allclose(kept, unit(1, 2, 3), atol=1e-3)


def test_the_same_text_of_one_author_and_scope_is_live_once(database: Databases) -> None:
    put(database, "a", "Tea at four.")
    with pytest.raises(ColdConflictError):
        put(database, "b", "  Tea at four.\r\n")
    put(database, "c", "Tea at four.", author="ana")
    put(database, "d", "Tea at four.", scope="project:heron")
    assert database.repository.counts().live == 3
    same = database.repository.find(content_hash("Tea at four."), author="ana", scope="global")
    assert same is not None
    assert same.id == "c"


def test_a_transaction_is_made_whole_or_not_at_all(database: Databases) -> None:
    put(database, "a", "Tea at four.")
    with pytest.raises(UnknownMemoryError):
        do(database, Insert(row("b", "Coffee at five."), None), Confirm("nobody", 0.5))
    assert database.repository.get(["b"]) == {}
    assert found(database, "coffee") == set()
    assert database.repository.integrity() is None


def test_confirming_never_lowers_importance(database: Databases) -> None:
    put(database, "a", "Tea at four.", importance=0.6)
    do(database, Confirm("a", 0.2), days=3)
    memory = database.repository.get(["a"])["a"]
    assert (memory.importance, memory.confirmed_at, memory.updated_at) == (0.6, NOW + 3 * DAY, NOW)


def test_revising_ends_the_old_text_and_needs_its_revision(database: Databases) -> None:
    put(database, "a", "Tea at four.")
    do(database, Revise("a", "Tea at five.", None, 0.5, 1, EventKind.SUPERSEDED), days=2)
    with pytest.raises(ColdConflictError):
        do(database, Revise("a", "Tea at six.", None, 0.5, 1), days=3)
    old, new = database.repository.revisions("a")
    assert (old.content, old.valid_from, old.valid_to) == ("Tea at four.", NOW, NOW + 2 * DAY)
    assert (new.content, new.valid_from, new.valid_to) == ("Tea at five.", NOW + 2 * DAY, None)
    assert kinds(database, "a") == [EventKind.STORED, EventKind.SUPERSEDED]
    assert [one.id for one in database.repository.missing_vectors()] == ["a"]


def test_the_trash_keeps_a_memory_whole(database: Databases) -> None:
    before = row("a", "Tea at four.", importance=0.9, source="chat")
    do(database, Insert(before, unit(0, 1)))
    do(database, Discard("a", TrashReason.MERGED, NOW + 30 * DAY, "said twice", "b", 1), days=1)
    kept = database.repository.trashed("a")
    assert kept is not None
    assert (kept.memory, kept.reason, kept.note) == (before, TrashReason.MERGED, "said twice")
    assert (kept.trashed_at, kept.successor_id) == (NOW + DAY, "b")
    assert database.repository.get(["a"]) == {}
    assert list(database.repository.trash(expired_at=NOW + 29 * DAY)) == []
    assert list(database.repository.trash(expired_at=NOW + 30 * DAY)) == [kept]
    assert list(database.repository.trash(author="ana")) == []
    do(database, Revive("a"), days=2)
    assert database.repository.vectors(["a"])["a"].tolist() == [0, 1]


def test_storing_a_trashed_text_again_brings_its_row_back_under_its_id(
    database: Databases,
) -> None:
    put(database, "a", "Tea at four.")
    trash(database, "a", TrashReason.USER)
    assert put(database, "b", "Tea at four.", importance=0.8, at=NOW + DAY) == "a"
    assert database.repository.get(["a", "b"]).keys() == {"a"}
    assert database.repository.get(["a"])["a"].importance == 0.8
    with pytest.raises(UnknownMemoryError):
        do(database, Revive("a"))
    assert database.repository.counts().live == 1
    assert kinds(database, "a") == [EventKind.STORED, EventKind.TRASHED, EventKind.REVIVED]


def test_reviving_a_text_that_is_live_again_is_a_conflict(database: Databases) -> None:
    put(database, "a", "Tea at four.")
    put(database, "b", "Coffee at five.")
    trash(database, "a")
    do(database, Revise("b", "Tea at four.", None, 0.5, 1))
    with pytest.raises(ColdConflictError):
        do(database, Revive("a"))
    assert database.repository.integrity() is None


def test_scanning_visits_every_live_memory_once_and_only_what_changed(
    database: Databases,
) -> None:
    for number in range(23):
        put(database, f"m{number:02}", f"fact {number}", author="ana" if number % 2 else "")
    trash(database, "m05")
    seen: list[str] = []
    while page := database.repository.scan(after=seen[-1] if seen else None, limit=10):
        seen += [memory.id for memory in page]
    assert seen == [f"m{number:02}" for number in range(23) if number != 5]
    mark = database.repository.change_number()
    assert list(database.repository.scan(changed_since=mark)) == []
    do(database, Confirm("m07", 0.5))
    database.repository.set_vectors({"m09": (1, unit(1, 0))})
    database.repository.note_recalled(["m11"], at=NOW)
    assert database.repository.change_number() > mark
    assert [one.id for one in database.repository.scan(changed_since=mark)] == ["m07"]


def test_a_vector_made_of_an_older_text_is_not_taken(database: Databases) -> None:
    put(database, "a", "Tea at four.")
    put(database, "b", "Coffee at five.")
    do(database, Revise("a", "Tea at five.", None, 0.5, 1))
    filled = database.repository.set_vectors({"a": (1, unit(1, 0)), "b": (1, unit(0, 1))})
    assert filled == 1
    assert database.repository.counts().pending_vectors == 1
    assert database.repository.vectors(["a", "b"]).keys() == {"b"}


def test_counts_tell_authors_apart(database: Databases) -> None:
    put(database, "a", "Tea at four.", author="ana")
    put(database, "b", "Coffee at five.", author="ben")
    trash(database, "b")
    assert (database.repository.counts().live, database.repository.counts().trashed) == (1, 1)
    assert database.repository.counts(author="ana").trashed == 0
    assert database.repository.counts(author="ana").pending_vectors == 1
    assert database.repository.counts(author="nobody").live == 0
    assert database.repository.counts().bytes > 0


def test_named_state_can_be_set_and_dropped(database: Databases) -> None:
    database.repository.set_state("mark", "one")
    database.repository.set_state("mark", "two")
    assert database.repository.state("mark") == "two"
    database.repository.set_state("mark", None)
    assert database.repository.state("mark") is None


def test_events_of_hot_entries_stand_beside_those_of_rows(database: Databases) -> None:
    by = Provenance("host", "memory", "written by hand")
    put(database, "a", "Tea at four.")
    database.repository.record([Event(NOW, EventKind.ADOPTED, by, entry_key="k")])
    events = database.repository.events()
    assert [event.kind for event in events] == [EventKind.STORED, EventKind.ADOPTED]
    assert events[-1].entry_key == "k"
    assert [event.kind for event in database.repository.events(limit=1)] == [EventKind.ADOPTED]


class Course:
    """Random changes and what the store should hold after them."""

    def __init__(self, database: Databases, seed: int) -> None:
        self._database = database
        self._choose = random.Random(seed)
        self._step = 0
        self.live: dict[str, str] = {}
        self.trashed: dict[str, str] = {}

    def go_on(self) -> None:
        """Make one change."""
        self._step += 1
        steps = [self.insert, self.insert, self.revise, self.confirm, self.discard, self.revive]
        self._choose.choice([*steps, self.erase])()

    def insert(self) -> None:
        text = f"fact {self._choose.randrange(60)} of the harbour"
        if text not in self.live.values():
            vector = unit(1, self._step % 7) if self._step % 3 else None
            key = put(self._database, f"m{self._step:03}", text, vector)
            self.trashed.pop(key, None)
            self.live[key] = text

    def revise(self) -> None:
        for key in self._one_of(self.live):
            self.live[key] = f"revised {self._step}"
            revision = self._database.repository.get([key])[key].revision
            do(self._database, Revise(key, self.live[key], unit(1, 1), 0.5, revision))

    def confirm(self) -> None:
        for key in self._one_of(self.live):
            do(self._database, Confirm(key, 0.5))

    def discard(self) -> None:
        for key in self._one_of(self.live):
            trash(self._database, key)
            self.trashed[key] = self.live.pop(key)

    def revive(self) -> None:
        for key in self._one_of(self.trashed):
            if self.trashed[key] not in self.live.values():
                do(self._database, Revive(key))
                self.live[key] = self.trashed.pop(key)

    def erase(self) -> None:
        for key in self._one_of(self.trashed):
            do(self._database, Erase((key,)))
            del self.trashed[key]

    def _one_of(self, keys: dict[str, str]) -> list[str]:
        return [self._choose.choice(sorted(keys))] if keys else []


def test_rows_indexes_and_counts_agree_after_any_course_of_changes(
    database: Databases,
) -> None:
    course = Course(database, seed=7)
    for _ in range(8):
        for _ in range(40):
            course.go_on()
        assert database.repository.integrity() is None
    held = database.repository.scan(limit=1000)
    assert {one.id: one.content for one in held} == course.live
    assert {one.memory.id for one in database.repository.trash()} == course.trashed.keys()
    for key, text in course.live.items():
        assert key in found(database, text, limit=60)
