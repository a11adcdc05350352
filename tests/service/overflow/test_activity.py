"""The activity log: rolling, bounded, redacted, and silent when it is switched off."""

from collections.abc import Collection
from pathlib import Path

import pytest

from memorycore.adapters.cold_sqlite import open_database
from memorycore.errors import ColdBusyError
from memorycore.model.limits import HotAges
from memorycore.policy.activity import NOTE_LIMIT, QUERY_KIND
from memorycore.ports.local import Activity, ActivityLog
from memorycore.service.activity import ActivityNotes
from memorycore.testing import FakeClock


class Lines:
    """An activity log in a list."""

    def __init__(self) -> None:
        self.lines: list[Activity] = []
        self.busy = False

    def note(self, activity: Activity) -> None:
        if self.busy:
            raise ColdBusyError("locked")
        self.lines.append(activity)

    def since(self, moment: object, *, kind: str | None = None) -> list[Activity]:
        return self.lines

    def erase(self, texts: Collection[str]) -> int:
        before = len(self.lines)
        self.lines = [line for line in self.lines if line.text not in texts]
        return before - len(self.lines)

    def trim(self, before: object, *, keep: int) -> int:
        kept = [line for line in self.lines if line.at >= before]  # type: ignore[operator]
        kept = kept[len(kept) - keep :] if keep else []
        gone = len(self.lines) - len(kept)
        self.lines = kept
        return gone


def notes(
    log: ActivityLog, *, enabled: bool = True, clock: FakeClock | None = None
) -> ActivityNotes:
    return ActivityNotes(
        log,
        redact=lambda text: text.replace("hunter2", "***"),
        clock=clock or FakeClock(),
        ages=HotAges(),
        enabled=enabled,
    )


def test_what_is_noted_is_redacted_short_and_on_one_line() -> None:
    log = Lines()

    notes(log).note_query("the password\nis hunter2 " + "x" * 900)

    line = log.lines[0]
    assert "hunter2" not in line.text
    assert len(line.text) <= NOTE_LIMIT
    assert "\n" not in line.text
    assert line.kind == QUERY_KIND


def test_a_secret_at_the_cut_is_redacted_before_the_cut() -> None:
    log = Lines()

    notes(log).note_write("x" * (NOTE_LIMIT - 4) + "hunter2")

    assert "hunt" not in log.lines[0].text


def test_switched_off_nothing_is_noted_and_what_was_noted_goes() -> None:
    log = Lines()
    notes(log).note_query("weather")

    off = notes(log, enabled=False)
    off.note_query("more weather")

    assert len(log.lines) == 1
    assert off.trim() == 1
    assert log.lines == []


def test_a_log_that_fails_does_not_fail_the_caller(caplog: pytest.LogCaptureFixture) -> None:
    log = Lines()
    log.busy = True

    notes(log).note_query("weather")

    assert "activity_not_noted" in caplog.text
    assert "weather" not in caplog.text


def test_a_long_lived_process_keeps_the_log_bounded_by_itself(tmp_path: Path) -> None:
    database = open_database(tmp_path / "memorycore.db")
    clock = FakeClock()
    written = notes(database.activity, clock=clock)
    for number in range(250):
        written.note_query(f"question {number}")
        clock.advance(hours=12)

    kept = database.activity.since(FakeClock().now())
    database.close()

    assert len(kept) < 250
    assert kept[-1].text == "question 249"
