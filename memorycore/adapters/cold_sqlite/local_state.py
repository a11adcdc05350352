"""Journal, outbox, activity log and leases, in the same file as the rows."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from memorycore.adapters.cold_sqlite.connection import BUSY_TIMEOUT_MS, Connections
from memorycore.adapters.cold_sqlite.rows import fetch, from_micros, optional_moment, to_micros
from memorycore.adapters.cold_sqlite.upkeep import scrub
from memorycore.ports.local import Activity, Intent, JobRecord, OutboxItem

LONGEST_LEASE = timedelta(days=1)
"""No lease is taken for longer than minutes."""


class SqliteJournal:
    """`Journal`: every call is durable when it returns."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def begin(self, intent: Intent) -> None:
        """Record an intent before its first step."""
        with self._connections.write() as connection:
            connection.execute(
                "INSERT INTO intents (id, kind, step, owner, lease_until, payload) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    intent.id,
                    intent.kind,
                    intent.step,
                    intent.owner,
                    to_micros(intent.lease_until),
                    _dumped(intent.payload),
                ),
            )

    def advance(
        self, intent_id: str, *, step: str, lease_until: datetime, payload: Mapping[str, Any]
    ) -> None:
        """Record that a step was taken."""
        with self._connections.write() as connection:
            connection.execute(
                "UPDATE intents SET step = ?, lease_until = ?, payload = ? WHERE id = ?",
                (step, to_micros(lease_until), _dumped(payload), intent_id),
            )

    def done(self, intent_id: str) -> None:
        """Close an intent; secure deletion leaves nothing of its payload."""
        with self._connections.write() as connection:
            connection.execute("DELETE FROM intents WHERE id = ?", (intent_id,))

    def open_intents(self) -> list[Intent]:
        """Return the open intents, oldest first."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                "SELECT id, kind, step, owner, lease_until, payload FROM intents ORDER BY number",
            )
        return [
            Intent(key, kind, step, owner, from_micros(until), json.loads(payload))
            for key, kind, step, owner, until, payload in rows
        ]

    def claim(
        self, intent_id: str, *, owner: str, expected_owner: str, lease_until: datetime
    ) -> bool:
        """Take over an intent whose owner is gone; False when another process was faster."""
        with self._connections.write() as connection:
            connection.execute(
                "UPDATE intents SET owner = ?, lease_until = ? WHERE id = ? AND owner = ?",
                (owner, to_micros(lease_until), intent_id, expected_owner),
            )
            return connection.changes() == 1


class SqliteOutbox:
    """`Outbox`: first in, first out; an operation queued twice under one id is kept once."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def enqueue(self, item: OutboxItem) -> None:
        """Keep an operation."""
        with self._connections.write() as connection:
            connection.execute(
                "INSERT INTO outbox (id, operation, payload, queued_at, attempts, last_error) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (
                    item.id,
                    item.operation,
                    _dumped(item.payload),
                    to_micros(item.queued_at),
                    item.attempts,
                    item.last_error,
                ),
            )

    def pending(self, limit: int = 100) -> list[OutboxItem]:
        """Return the waiting operations, oldest first."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                "SELECT id, operation, payload, queued_at, attempts, last_error FROM outbox "
                "ORDER BY number LIMIT ?",
                (limit,),
            )
        return [
            OutboxItem(key, operation, json.loads(payload), from_micros(queued), attempts, error)
            for key, operation, payload, queued, attempts, error in rows
        ]

    def count(self) -> int:
        """Return how many operations wait."""
        with self._connections.read() as connection:
            counted: int = fetch(connection, "SELECT count(*) FROM outbox")[0][0]
        return counted

    def delivered(self, item_id: str) -> None:
        """Drop an operation the remote has confirmed."""
        with self._connections.write() as connection:
            connection.execute("DELETE FROM outbox WHERE id = ?", (item_id,))

    def failed(self, item_id: str, error: str) -> None:
        """Count a failed attempt."""
        with self._connections.write() as connection:
            connection.execute(
                "UPDATE outbox SET attempts = attempts + 1, last_error = ? WHERE id = ?",
                (error, item_id),
            )


class SqliteActivityLog:
    """`ActivityLog`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def note(self, activity: Activity) -> None:
        """Append one line; a crash of the machine may lose the last ones."""
        self._connections.write_lightly(
            "INSERT INTO activity (at, kind, text) VALUES (?, ?, ?)",
            (to_micros(activity.at), activity.kind, activity.text),
            timeout_ms=BUSY_TIMEOUT_MS,
        )

    def since(self, moment: datetime, *, kind: str | None = None) -> list[Activity]:
        """Return the lines from `moment` on, oldest first."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                "SELECT at, kind, text FROM activity WHERE at >= ?1 AND (?2 IS NULL OR kind = ?2) "
                "ORDER BY at, number",
                (to_micros(moment), kind),
            )
        return [Activity(from_micros(at), of_kind, text) for at, of_kind, text in rows]

    def erase(self, texts: Collection[str]) -> int:
        """Drop every line whose text is one of `texts`; return how many went. Erased bytes leave the log too."""
        with self._connections.write() as connection:
            connection.execute(
                "DELETE FROM activity WHERE text IN (SELECT value FROM json_each(?))",
                (json.dumps(list(texts), ensure_ascii=False),),
            )
            gone = connection.changes()
        scrub(self._connections)
        return gone

    def trim(self, before: datetime, *, keep: int) -> int:
        """Drop lines older than `before` and all but the newest `keep`; return how many went."""
        with self._connections.write() as connection:
            connection.execute(
                "DELETE FROM activity WHERE at < ? OR number <= "
                "(SELECT number FROM activity ORDER BY number DESC LIMIT 1 OFFSET ?)",
                (to_micros(before), keep),
            )
            return connection.changes()


class SqliteLeases:
    """`Leases` between the processes that share the file.

    A lease that reaches further ahead than `LONGEST_LEASE` was taken under a clock that ran ahead and binds nobody.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def acquire(self, name: str, *, owner: str, now: datetime, until: datetime) -> bool:
        """Take or renew the lease; False while another live owner holds it."""
        with self._connections.write() as connection:
            connection.execute(
                "INSERT INTO leases (name, owner, until) VALUES (?1, ?2, ?3) ON CONFLICT (name) "
                "DO UPDATE SET owner = ?2, until = ?3 WHERE owner = ?2 OR until <= ?4 OR until > ?5",
                (name, owner, to_micros(until), to_micros(now), to_micros(now + LONGEST_LEASE)),
            )
            return connection.changes() == 1

    def release(self, name: str, *, owner: str) -> None:
        """Give the lease back if `owner` holds it."""
        with self._connections.write() as connection:
            connection.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (name, owner))

    def record_run(
        self, name: str, *, at: datetime, error: str | None, due: datetime | None
    ) -> None:
        """Record the end of a run."""
        with self._connections.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO jobs (name, last_run, last_error, due) VALUES (?, ?, ?, ?)",
                (name, to_micros(at), error, None if due is None else to_micros(due)),
            )

    def jobs(self) -> Sequence[JobRecord]:
        """Return every job that ever ran or is due."""
        with self._connections.read() as connection:
            rows = fetch(
                connection, "SELECT name, last_run, last_error, due FROM jobs ORDER BY name"
            )
        return [
            JobRecord(name, optional_moment(ran), error, optional_moment(due))
            for name, ran, error, due in rows
        ]


def _dumped(payload: Mapping[str, Any]) -> str:
    return json.dumps(dict(payload), ensure_ascii=False)
