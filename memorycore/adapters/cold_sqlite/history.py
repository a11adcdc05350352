"""What happened to memories and which texts they had."""

from collections.abc import Sequence

from memorycore.adapters.cold_sqlite.connection import Connections
from memorycore.adapters.cold_sqlite.rows import fetch, from_micros, to_event, to_micros
from memorycore.model.memory import Event, TextRevision

# ruff: noqa: S608 - the statements interpolate column lists of this package, never a caller's text

_EVENT_COLUMNS = "at, kind, actor, tool, reason, memory_id, entry_key, related_id"


class KeptHistory:
    """The part of the repository that keeps events and old texts."""

    _connections: Connections

    def events(self, *, memory_id: str | None = None, limit: int = 200) -> Sequence[Event]:
        """Return the newest `limit` events, oldest first."""
        of_one = "" if memory_id is None else "WHERE memory_id = :id OR related_id = :id"
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                f"SELECT {_EVENT_COLUMNS} FROM events {of_one} ORDER BY number DESC LIMIT :limit",
                {"id": memory_id, "limit": limit},
            )
        return [to_event(row) for row in reversed(rows)]

    def record(self, events: Sequence[Event]) -> None:
        """Append events that concern no row."""
        with self._connections.write() as connection:
            connection.executemany(
                f"INSERT INTO events ({_EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        to_micros(event.at),
                        event.kind.value,
                        event.provenance.actor,
                        event.provenance.tool,
                        event.provenance.reason,
                        event.memory_id,
                        event.entry_key,
                        event.related_id,
                    )
                    for event in events
                ],
            )

    def revisions(self, memory_id: str) -> Sequence[TextRevision]:
        """Return the texts a memory had, oldest first, the current one last."""
        with self._connections.read() as connection:
            rows = fetch(
                connection,
                "SELECT r.revision, r.content, r.valid_from, r.valid_to FROM revisions AS r "
                "JOIN memories AS m ON m.seq = r.seq WHERE m.id = :id UNION ALL "
                "SELECT m.revision, m.content, m.valid_from, t.trashed_at FROM memories AS m "
                "LEFT JOIN trash AS t ON t.seq = m.seq WHERE m.id = :id ORDER BY 1",
                {"id": memory_id},
            )
        return [
            TextRevision(
                memory_id,
                revision,
                content,
                from_micros(since),
                None if until is None else from_micros(until),
            )
            for revision, content, since, until in rows
        ]
