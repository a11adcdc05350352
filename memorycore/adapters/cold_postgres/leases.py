"""Leases and job records between all machines that share the database."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from memorycore.adapters.cold_postgres.connection import Pool
from memorycore.adapters.cold_postgres.rows import in_utc
from memorycore.ports.local import JobRecord

LONGEST_LEASE = timedelta(days=1)
"""A lease that reaches further ahead was taken under a clock that ran ahead, and binds nobody."""


class PostgresLeases:
    """Implements `Leases`."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def acquire(self, name: str, *, owner: str, now: datetime, until: datetime) -> bool:
        """Take or renew the lease; False while another live owner holds it."""
        with self._pool.write() as connection:
            taken = connection.execute(
                "INSERT INTO leases (name, owner, until) VALUES (%(name)s, %(owner)s, %(until)s) "
                "ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until "
                "WHERE leases.owner = excluded.owner OR leases.until <= %(now)s OR leases.until > %(far)s",
                {
                    "name": name,
                    "owner": owner,
                    "until": until,
                    "now": now,
                    "far": now + LONGEST_LEASE,
                },
            )
            return taken.rowcount == 1

    def release(self, name: str, *, owner: str) -> None:
        """Give the lease back if `owner` holds it."""
        with self._pool.write() as connection:
            connection.execute("DELETE FROM leases WHERE name = %s AND owner = %s", (name, owner))

    def record_run(
        self, name: str, *, at: datetime, error: str | None, due: datetime | None
    ) -> None:
        """Record the end of a run."""
        with self._pool.write() as connection:
            connection.execute(
                "INSERT INTO jobs (name, last_run, last_error, due) VALUES (%s, %s, %s, %s) "
                "ON CONFLICT (name) DO UPDATE SET last_run = excluded.last_run, "
                "last_error = excluded.last_error, due = excluded.due",
                (name, at, error, due),
            )

    def jobs(self) -> Sequence[JobRecord]:
        """Return every job that ever ran or is due."""
        with self._pool.read() as connection:
            rows = connection.execute(
                "SELECT name, last_run, last_error, due FROM jobs ORDER BY name"
            ).fetchall()
        return [
            JobRecord(name, _moment(ran), error, _moment(due)) for name, ran, error, due in rows
        ]


def _moment(value: datetime | None) -> datetime | None:
    return None if value is None else in_utc(value)
