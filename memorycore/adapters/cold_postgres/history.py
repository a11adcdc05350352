"""What happened to memories, which texts they had, and named strings of the store."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

from collections.abc import Sequence

from memorycore.adapters.cold_postgres.connection import Pool
from memorycore.adapters.cold_postgres.rows import EVENT_COLUMNS, in_utc, to_event
from memorycore.model.memory import Event, TextRevision


class KeptHistory:
    """The part of the repository that keeps events, old texts and state."""

    _pool: Pool

    def events(self, *, memory_id: str | None = None, limit: int = 200) -> Sequence[Event]:
        """Return the newest `limit` events, oldest first."""
        with self._pool.read() as connection:
            rows = connection.execute(
                f"SELECT {EVENT_COLUMNS} FROM events WHERE (%(id)s::text IS NULL "
                "OR memory_id = %(id)s OR related_id = %(id)s) ORDER BY number DESC LIMIT %(limit)s",
                {"id": memory_id, "limit": limit},
            ).fetchall()
        return [to_event(row) for row in reversed(rows)]

    def record(self, events: Sequence[Event]) -> None:
        """Append events that concern no row."""
        lines = [
            (
                event.at,
                event.kind.value,
                event.provenance.actor,
                event.provenance.tool,
                event.provenance.reason,
                event.memory_id,
                event.entry_key,
                event.related_id,
            )
            for event in events
        ]
        with self._pool.write() as connection, connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO events ({EVENT_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                lines,
            )

    def revisions(self, memory_id: str) -> Sequence[TextRevision]:
        """Return the texts a memory had, oldest first, the current one last."""
        with self._pool.read() as connection:
            rows = connection.execute(
                "SELECT r.revision, r.content, r.valid_from, r.valid_to FROM revisions AS r "
                "JOIN memories AS m ON m.seq = r.seq WHERE m.id = %(id)s UNION ALL "
                "SELECT m.revision, m.content, m.valid_from, t.trashed_at FROM memories AS m "
                "LEFT JOIN trash AS t ON t.seq = m.seq WHERE m.id = %(id)s ORDER BY 1",
                {"id": memory_id},
            ).fetchall()
        return [
            TextRevision(
                memory_id,
                revision,
                content,
                in_utc(since),
                None if until is None else in_utc(until),
            )
            for revision, content, since, until in rows
        ]

    def state(self, name: str) -> str | None:
        """Return a named string of the store."""
        with self._pool.read() as connection:
            row = connection.execute("SELECT value FROM state WHERE name = %s", (name,)).fetchone()
        return row[0] if row else None

    def set_state(self, name: str, value: str | None) -> None:
        """Set or drop a named string of the store."""
        with self._pool.write() as connection:
            if value is None:
                connection.execute("DELETE FROM state WHERE name = %s", (name,))
            else:
                connection.execute(
                    "INSERT INTO state VALUES (%s, %s) "
                    "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    (name, value),
                )
