"""Moving a store: everything arrives, in either direction, once, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cold_rows import BY, DAY, NOW, do, found, put, trash, unit

from memorycore.bootstrap.databases import Databases, with_sqlite
from memorycore.errors import ColdUnavailableError, InvalidInputError
from memorycore.model.memory import Event, EventKind, TrashReason
from memorycore.ports import Confirm, Discard, Erase, Revise, Revive
from memorycore.service.migration import MARK, PAGE, Migration, holding_of

if TYPE_CHECKING:
    from memorycore.ports.transfer import WholeMemory

pytest_plugins = ["cold_backends"]


@dataclass
class Ends:
    """A source with a past, and an empty target."""

    source: Databases
    target: Databases

    def move(self, **given: Any) -> Any:
        migration = Migration(
            given.pop("source", self.source.transfer),
            given.pop("target", self.target.transfer),
            self.target.repository,
            "target",
        )
        return migration.run(**given)


@pytest.fixture(params=["onwards", "back"])
def ends(
    request: pytest.FixtureRequest, open_rows: Callable[[Path], Databases], tmp_path: Path
) -> Ends:
    file = with_sqlite(tmp_path / "file.db")
    request.addfinalizer(file.close)
    other = open_rows(tmp_path / "other.db")
    source, target = (file, other) if request.param == "onwards" else (other, file)
    _live_a_little(source)
    return Ends(source, target)


def _live_a_little(source: Databases) -> None:
    for number in range(12):
        vector = unit(1, number, 0.5) if number % 3 else None
        put(source, f"m{number:02}", f"fact {number} 设备 Ω\nof the harbour", vector, author="ana")
    put(source, "a", "Tea at four.", unit(1, 2, 3), scope="project:heron", source="chat")
    do(source, Revise("a", "Tea at five.", unit(3, 2, 1), 0.9, 1, EventKind.SUPERSEDED), days=1)
    do(source, Discard("m03", TrashReason.MERGED, NOW + 30 * DAY, "said twice", "m04"), days=2)
    do(source, Discard("m05", TrashReason.USER, NOW + 30 * DAY), Confirm("m06", 0.7), days=2)
    do(source, Revive("m05"), days=3)
    source.repository.note_recalled(["m07"], at=NOW + 4 * DAY)
    source.repository.record([Event(NOW, EventKind.ADOPTED, BY, entry_key="k")])
    source.repository.set_state("embedding_model", "some model")
    source.repository.set_state("maintenance.watermark", "17")


def test_everything_arrives_and_is_proved_to_be_the_same(ends: Ends) -> None:
    before = holding_of(ends.source.transfer)
    report = ends.move()
    assert (report.verified, report.moved, report.notes) == (True, 13, ())
    there = holding_of(ends.target.transfer)
    assert there == before == holding_of(ends.source.transfer)
    assert (there.live, there.trashed, there.revisions) == (12, 1, 2)
    assert there.events == len(ends.source.repository.events(limit=1000))
    assert ends.source.repository.state(MARK) is None


def test_the_moved_store_answers_and_is_governed_like_the_first(ends: Ends) -> None:
    ends.move()
    for query in ("harbour", "设备"):
        asked: dict[str, Any] = {"author": "ana", "limit": 50}
        assert found(ends.target, query, **asked) == found(ends.source, query, **asked)
    for repository in (ends.source.repository, ends.target.repository):
        assert repository.integrity() is None
        assert repository.counts(author="ana").trashed == 1
        assert repository.revisions("a")[0].content == "Tea at four."
        assert repository.state("embedding_model") == "some model"
    assert ends.target.repository.state("maintenance.watermark") is None
    do(ends.target, Revive("m03"), Confirm("a", 0.9), days=5)
    put(ends.target, "new", "Coffee at six.")
    assert ends.target.repository.integrity() is None


class Breaking:
    """A target that fails after some writes, as a lost connection does."""

    def __init__(self, inner: Any, writes: int) -> None:
        self._inner = inner
        self._left = writes

    def __getattr__(self, name: str) -> Any:
        if name in ("load", "load_events"):
            self._left -= 1
            if self._left < 0:
                raise ColdUnavailableError("gone")
        return getattr(self._inner, name)


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_move_that_broke_off_goes_on_and_nothing_is_there_twice(ends: Ends, writes: int) -> None:
    with pytest.raises(ColdUnavailableError):
        ends.move(target=Breaking(ends.target.transfer, writes))
    report = ends.move()
    assert report.verified
    assert report.moved + report.unchanged == 13
    assert holding_of(ends.target.transfer) == holding_of(ends.source.transfer)


def test_what_was_purged_or_changed_between_two_runs_is_purged_or_changed_in_the_target(
    ends: Ends,
) -> None:
    with pytest.raises(ColdUnavailableError):
        ends.move(target=Breaking(ends.target.transfer, 2))
    do(ends.source, Erase(("m08", "m11")), days=5)
    trash(ends.source, "m09")
    put(ends.source, "zz", "told between the runs")
    assert ends.move().verified
    assert holding_of(ends.target.transfer) == holding_of(ends.source.transfer)


class Busy:
    """A source that is written to while it is read."""

    def __init__(self, database: Databases) -> None:
        self._database = database
        self._written = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database.transfer, name)

    def events(self, *, after: int = 0, limit: int = PAGE) -> Sequence[Any]:
        if after and not self._written:
            self._written = True
            put(self._database, "late", "told while it was moved")
        return self._database.transfer.events(after=after, limit=limit)


def test_a_source_written_to_meanwhile_is_told_and_the_next_run_completes_it(ends: Ends) -> None:
    first = holding_of(ends.source.transfer)
    report = ends.move(source=Busy(ends.source))
    assert holding_of(ends.source.transfer) != first
    if not report.verified:
        assert "run it again" in report.notes[0]
        report = ends.move()
    assert report.verified
    assert ends.target.repository.get(["late"])


def test_a_target_with_memories_of_its_own_is_refused_and_left_alone(ends: Ends) -> None:
    put(ends.target, "own", "somebody else's fact")
    with pytest.raises(InvalidInputError, match="empty database"):
        ends.move()
    assert [one.id for one in ends.target.repository.scan()] == ["own"]
    assert ends.target.repository.state(MARK) is None


def test_a_target_filled_from_another_store_is_refused(ends: Ends, tmp_path: Path) -> None:
    ends.move()
    stranger = with_sqlite(tmp_path / "stranger.db")
    put(stranger, "s", "a stranger's fact", at=NOW + timedelta(hours=5))
    with pytest.raises(InvalidInputError, match="another store"):
        ends.move(source=stranger.transfer)
    stranger.close()


def test_a_finished_move_is_not_made_again_over_a_store_that_lived_on(ends: Ends) -> None:
    ends.move()
    again = ends.move()
    assert (again.verified, again.moved, again.unchanged) == (True, 0, 13)
    put(ends.target, "newer", "told to the new store")
    with pytest.raises(InvalidInputError, match="changed since"):
        ends.move()
    assert ends.target.repository.get(["newer"])


def test_the_digest_notices_every_field(ends: Ends) -> None:
    wholes: list[WholeMemory] = list(ends.source.transfer.memories())
    assert len({whole.digest() for whole in wholes}) == len(wholes)
    put(ends.target, "a", "Tea at five.", unit(3, 2, 1), scope="project:heron", source="chat")
    [copy] = ends.target.transfer.memories()
    original = next(whole for whole in wholes if whole.memory.id == "a")
    assert copy.digest() != original.digest()
