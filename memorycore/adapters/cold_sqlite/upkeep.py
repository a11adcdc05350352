"""Care of the file: erased bytes, planner statistics, the log of changes, integrity."""

from memorycore.adapters.cold_sqlite.connection import Connections
from memorycore.adapters.cold_sqlite.rows import fetch
from memorycore.errors import ColdCorruptError

CHANGES_KEPT = 50_000
"""Changes a cache in another process may be behind before it must read the store anew."""


def scrub(connections: Connections) -> None:
    """Write the log into the file and cut it, so that erased bytes stand in neither."""
    with connections.alone() as connection:
        fetch(connection, "PRAGMA wal_checkpoint(TRUNCATE)")


def tidy(connections: Connections) -> None:
    """Trim the log of changes, merge index segments a little, refresh statistics, fold the log in."""
    with connections.write() as connection:
        connection.execute(
            "DELETE FROM changes WHERE number <= (SELECT max(number) FROM changes) - ?",
            (CHANGES_KEPT,),
        )
        connection.execute("INSERT INTO live_index (live_index, rank) VALUES ('merge', 200)")
        connection.execute("INSERT INTO trash_index (trash_index, rank) VALUES ('merge', 50)")
    with connections.alone() as connection:
        fetch(connection, "PRAGMA optimize")
        fetch(connection, "PRAGMA wal_checkpoint(PASSIVE)")


def check_integrity(connections: Connections) -> str | None:
    """Return the first damage SQLite, the indexes or the row counts show, or None."""
    try:
        with connections.fresh() as connection:
            found = [row[0] for row in fetch(connection, "PRAGMA quick_check(1)")]
            if found != ["ok"]:
                return "; ".join(found)
            live, indexed, trashed, trash_indexed, tallied = fetch(
                connection,
                "SELECT (SELECT count(*) FROM memories WHERE live = 1), "
                "(SELECT count(*) FROM live_index), (SELECT count(*) FROM trash), "
                "(SELECT count(*) FROM trash_index), "
                "(SELECT coalesce(sum(live), 0) FROM tallies)",
            )[0]
    except ColdCorruptError as fault:
        return str(fault)
    if live != indexed:
        return f"{live} live memories but {indexed} rows in their full-text index"
    if live != tallied:
        return f"{live} live memories but {tallied} counted"
    if trashed != trash_indexed:
        return f"{trashed} memories in the trash but {trash_indexed} rows in its full-text index"
    return None
