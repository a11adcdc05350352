"""What a service tells of a memory's history, as events."""

import logging
from collections.abc import Mapping

from memorycore.adapters.cold_remote.reading import checked, read_moment
from memorycore.model.contract import Answer
from memorycore.model.memory import Event, EventKind, Provenance

log = logging.getLogger(__name__)


def read_events(answer: Answer) -> list[Event]:
    """Return what happened to a memory, oldest first; lines that cannot be read are left out with a warning.

    Raises:
        UnknownMemoryError: The service knows no such memory.
    """
    rows = checked(answer, tool="history").get("events")
    listed = rows if isinstance(rows, list) else []
    events = [event for row in listed if (event := _read_event(row)) is not None]
    if len(events) < len(listed):
        log.warning(
            "remote.rows_skipped malformed=%d of=%d", len(listed) - len(events), len(listed)
        )
    return events


def _read_event(row: object) -> Event | None:
    if not isinstance(row, Mapping):
        return None
    at = read_moment(row.get("at"))
    who = row.get("provenance")
    if at is None or row.get("kind") not in list(EventKind) or not isinstance(who, Mapping):
        return None
    names = (str(who.get(name, "")) for name in ("actor", "tool", "reason"))
    related = row.get("related_id")
    return Event(
        at,
        EventKind(row["kind"]),
        Provenance(*names),
        memory_id=str(row.get("memory_id")),
        related_id=None if related is None else str(related),
    )
