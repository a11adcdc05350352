"""State that belongs to this machine: journal, outbox, activity log, leases."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from memorycore.model.record import Record


@dataclass(frozen=True, slots=True)
class Intent(Record):
    """A multi-step change that was begun; `payload` is JSON and says how to finish or undo it."""

    id: str
    kind: str
    step: str
    owner: str
    lease_until: datetime
    payload: Mapping[str, Any]


class Journal(Protocol):
    """Intents of changes that span both tiers."""

    def begin(self, intent: Intent) -> None:
        """Record an intent before its first step, durably."""
        ...

    def advance(
        self, intent_id: str, *, step: str, lease_until: datetime, payload: Mapping[str, Any]
    ) -> None:
        """Record that a step was taken, durably."""
        ...

    def done(self, intent_id: str) -> None:
        """Close an intent: nothing is left to finish."""
        ...

    def open_intents(self) -> list[Intent]:
        """Return the open intents, oldest first."""
        ...

    def claim(
        self, intent_id: str, *, owner: str, expected_owner: str, lease_until: datetime
    ) -> bool:
        """Take over an intent whose owner is gone; False when another process was faster."""
        ...


@dataclass(frozen=True, slots=True)
class OutboxItem(Record):
    """A cold operation waiting for the remote; `payload` is JSON; `attempts` counts failures."""

    id: str
    operation: str
    payload: Mapping[str, Any]
    queued_at: datetime
    attempts: int = 0
    last_error: str | None = None


class Outbox(Protocol):
    """Operations kept while the remote is down, replayed once and in order."""

    def enqueue(self, item: OutboxItem) -> None:
        """Keep an operation, durably."""
        ...

    def pending(self, limit: int = 100) -> list[OutboxItem]:
        """Return the waiting operations, oldest first."""
        ...

    def count(self) -> int:
        """Return how many operations wait."""
        ...

    def delivered(self, item_id: str) -> None:
        """Drop an operation the remote has confirmed."""
        ...

    def failed(self, item_id: str, error: str) -> None:
        """Count a failed attempt."""
        ...


@dataclass(frozen=True, slots=True)
class Activity(Record):
    """One query or write the log remembers; `text` is already redacted and cut."""

    at: datetime
    kind: str
    text: str


class ActivityLog(Protocol):
    """The rolling local log by which dormancy is judged."""

    def note(self, activity: Activity) -> None:
        """Append one line; cheap."""
        ...

    def since(self, moment: datetime, *, kind: str | None = None) -> list[Activity]:
        """Return the lines from `moment` on, oldest first."""
        ...

    def erase(self, texts: Collection[str]) -> int:
        """Drop every line whose text is one of `texts`; return how many went."""
        ...

    def trim(self, before: datetime, *, keep: int) -> int:
        """Drop lines older than `before` and all but the newest `keep`; return how many went."""
        ...


@dataclass(frozen=True, slots=True)
class JobRecord(Record):
    """What the database knows of a scheduled job."""

    name: str
    last_run: datetime | None
    last_error: str | None
    due: datetime | None


class Leases(Protocol):
    """Named leases that one process of many holds, and the record of the jobs run under them."""

    def acquire(self, name: str, *, owner: str, now: datetime, until: datetime) -> bool:
        """Take or renew the lease; False while another live owner holds it."""
        ...

    def release(self, name: str, *, owner: str) -> None:
        """Give the lease back if `owner` holds it."""
        ...

    def record_run(
        self, name: str, *, at: datetime, error: str | None, due: datetime | None
    ) -> None:
        """Record the end of a run."""
        ...

    def jobs(self) -> Sequence[JobRecord]:
        """Return every job that ever ran or is due."""
        ...
