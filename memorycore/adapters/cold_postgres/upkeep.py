"""Care of the tables: erased bytes, the vector index, planner statistics, integrity."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

import logging
from typing import LiteralString

import psycopg

from memorycore.adapters.cold_postgres.connection import Connection, Pool
from memorycore.adapters.cold_postgres.nearest import hnsw_index
from memorycore.errors import ColdTierError

log = logging.getLogger(__name__)

UNSCRUBBED = "unscrubbed"
"""Named state: an erasure whose dead bytes still lie in the tables, as they were in use."""

_REWRITE: tuple[LiteralString, ...] = (
    "VACUUM (FULL) memories",
    "VACUUM (FULL) revisions",
    "VACUUM (FULL) trash",
    "VACUUM (FULL) staged",
    "VACUUM (FULL) events",
)
_FLUSH: tuple[LiteralString, ...] = ("SELECT pg_switch_wal()", "CHECKPOINT")
_NOTED: LiteralString = f"INSERT INTO state VALUES ('{UNSCRUBBED}', 'yes') ON CONFLICT DO NOTHING"
_FORGOTTEN: LiteralString = f"DELETE FROM state WHERE name = '{UNSCRUBBED}'"


def scrub(pool: Pool) -> None:
    """Write the tables and their indexes anew, so that erased bytes stand in none of them.

    A table in use for longer than the timeout is left to the next `tidy`. Then the write-ahead log is closed off
    where this user may do that: its old segments are recycled by the server in its own time.
    """
    with pool.alone() as connection:
        connection.execute(_NOTED)
        _rewrite(connection, pool.where)


def tidy(pool: Pool, *, exact_rows: int) -> None:
    """Finish an erasure, make the vector index once the store is large, refresh the planner's statistics."""
    with pool.alone() as connection:
        left = connection.execute("SELECT 1 FROM state WHERE name = %s", (UNSCRUBBED,)).fetchone()
        if left:
            _rewrite(connection, pool.where)
        largest = connection.execute("SELECT coalesce(max(live), 0) FROM tallies").fetchone()
        if largest and largest[0] > exact_rows:
            _index_vectors(connection)
        connection.execute("ANALYZE memories")


def check_integrity(pool: Pool) -> str | None:
    """Return where rows, trash and counts disagree, or None."""
    try:
        with pool.read() as connection:
            row = connection.execute(
                "SELECT (SELECT count(*) FROM memories WHERE NOT live), "
                "(SELECT count(*) FROM trash), "
                "(SELECT count(*) FROM trash JOIN memories USING (seq) WHERE live), "
                "(SELECT count(*) FROM memories WHERE live), "
                "(SELECT coalesce(sum(live), 0) FROM tallies), "
                "(SELECT coalesce(sum(trashed), 0) FROM tallies)"
            ).fetchone()
    except ColdTierError as fault:
        return str(fault)
    dead, trashed, both, live, live_counted, trash_counted = row or (0, 0, 0, 0, 0, 0)
    if dead != trashed or both:
        return f"{dead} memories are not live, but the trash holds {trashed}"
    if (live, dead) != (live_counted, trash_counted):
        return f"{live} live and {dead} trashed memories, but {live_counted} and {trash_counted} counted"
    return None


def _index_vectors(connection: Connection) -> None:
    row = connection.execute(
        "SELECT vector_dims(vector), count(*) FROM memories WHERE vector IS NOT NULL "
        "GROUP BY 1 ORDER BY 2 DESC LIMIT 1"
    ).fetchone()
    if row:
        connection.execute(hnsw_index(row[0]))


def _rewrite(connection: Connection, where: str) -> None:
    try:
        for statement in _REWRITE:
            connection.execute(statement)
    except psycopg.errors.LockNotAvailable:
        log.warning("postgres.scrub_put_off where=%s reason=tables_in_use", where)
        return
    connection.execute(_FORGOTTEN)
    for statement in _FLUSH:
        try:
            connection.execute(statement)
        except psycopg.errors.InsufficientPrivilege:
            log.info("postgres.log_not_closed_off where=%s", where)
