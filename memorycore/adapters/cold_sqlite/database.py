"""Opening the file and handing out its facets."""

from dataclasses import dataclass
from pathlib import Path

from memorycore.adapters.cold_sqlite.connection import Connections
from memorycore.adapters.cold_sqlite.local_state import (
    SqliteActivityLog,
    SqliteJournal,
    SqliteLeases,
    SqliteOutbox,
)
from memorycore.adapters.cold_sqlite.repository import SqliteRepository
from memorycore.adapters.cold_sqlite.schema import migrate


@dataclass(frozen=True, slots=True)
class SqliteDatabase:
    """One file: the rows of the cold store and the state of this machine."""

    repository: SqliteRepository
    journal: SqliteJournal
    outbox: SqliteOutbox
    activity: SqliteActivityLog
    leases: SqliteLeases
    connections: Connections

    def close(self) -> None:
        """Close every connection; closing twice is harmless."""
        self.connections.close()


def open_database(path: Path) -> SqliteDatabase:
    """Open or create the database at `path`, readable by this user alone, at the newest schema.

    Raises:
        ColdUnavailableError: The file or its folder cannot be used; the message says what to do.
        ColdCorruptError: The file is damaged or no database; it is left as it is.
        SchemaTooNewError: A newer release wrote it.
        ColdBusyError: Another process holds it for longer than the timeout.
    """
    connections = Connections(path)
    migrate(connections)
    return SqliteDatabase(
        repository=SqliteRepository(connections),
        journal=SqliteJournal(connections),
        outbox=SqliteOutbox(connections),
        activity=SqliteActivityLog(connections),
        leases=SqliteLeases(connections),
        connections=connections,
    )
