"""The schema, as numbered migrations: each runs once, in one transaction with the record of it."""

from collections.abc import Sequence
from typing import LiteralString

from memorycore.adapters.cold_postgres.connection import SCHEMA, Pool
from memorycore.errors import SchemaTooNewError

_SCHEMA: LiteralString = f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"

_FIRST: LiteralString = """
CREATE TABLE memories (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    live boolean NOT NULL,
    change bigint NOT NULL,
    hash bytea NOT NULL,
    content text NOT NULL,
    tokens text[] NOT NULL,
    author text NOT NULL,
    scope text NOT NULL,
    importance double precision NOT NULL,
    type text NOT NULL,
    protected boolean NOT NULL,
    source text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    confirmed_at timestamptz NOT NULL,
    last_recalled timestamptz,
    recall_count integer NOT NULL,
    revision integer NOT NULL,
    supersedes text,
    valid_from timestamptz NOT NULL,
    vector vector
);
CREATE UNIQUE INDEX memories_text ON memories (hash, author, scope) WHERE live;
CREATE INDEX memories_change ON memories (change);
CREATE INDEX memories_author ON memories (author, live);
CREATE INDEX memories_tokens ON memories USING gin (tokens) WITH (fastupdate = off);
CREATE INDEX memories_pending ON memories (seq) WHERE live AND vector IS NULL;
CREATE TABLE trash (
    seq bigint PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    hash bytea NOT NULL,
    author text NOT NULL,
    scope text NOT NULL,
    reason text NOT NULL,
    note text NOT NULL,
    trashed_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    successor_id text
);
CREATE INDEX trash_text ON trash (hash, author, scope);
CREATE INDEX trash_expiry ON trash (expires_at);
CREATE TABLE staged (
    seq bigint PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    model text NOT NULL,
    revision integer NOT NULL,
    vector vector NOT NULL
);
CREATE TABLE revisions (
    seq bigint NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    revision integer NOT NULL,
    content text NOT NULL,
    valid_from timestamptz NOT NULL,
    valid_to timestamptz NOT NULL,
    vector vector,
    PRIMARY KEY (seq, revision)
);
CREATE TABLE changes (last bigint NOT NULL);
INSERT INTO changes VALUES (0);
CREATE TABLE events (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    actor text NOT NULL,
    tool text NOT NULL,
    reason text NOT NULL,
    memory_id text,
    entry_key text,
    related_id text
);
CREATE INDEX events_memory ON events (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX events_related ON events (related_id) WHERE related_id IS NOT NULL;
CREATE TABLE tallies (
    author text PRIMARY KEY, live bigint NOT NULL, trashed bigint NOT NULL
);
CREATE TABLE state (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE leases (name text PRIMARY KEY, owner text NOT NULL, until timestamptz NOT NULL);
CREATE TABLE jobs (
    name text PRIMARY KEY, last_run timestamptz, last_error text, due timestamptz
);
ALTER TABLE memories ALTER content SET STATISTICS 0, ALTER hash SET STATISTICS 0,
    ALTER tokens SET STATISTICS 0, ALTER vector SET STATISTICS 0;
ALTER TABLE revisions ALTER content SET STATISTICS 0, ALTER vector SET STATISTICS 0;
ALTER TABLE trash ALTER hash SET STATISTICS 0, ALTER note SET STATISTICS 0;
ALTER TABLE staged ALTER vector SET STATISTICS 0;
ALTER TABLE events ALTER reason SET STATISTICS 0, ALTER entry_key SET STATISTICS 0;
"""
# The token index has no list of pending entries, which every search would read through.
# No statistics of texts: the planner's samples would keep words of a memory that was purged.

MIGRATIONS: tuple[LiteralString, ...] = (_FIRST,)
"""Migration n brings the schema from version n - 1 to n; a released one never changes."""


def migrate(pool: Pool, migrations: Sequence[LiteralString] = MIGRATIONS) -> None:
    """Bring the database to the newest schema; of several processes one does it and the others wait.

    Raises:
        SchemaTooNewError: A newer release wrote it; nothing is changed.
    """
    newest = len(migrations)
    with pool.write() as connection:
        connection.execute(_SCHEMA)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, made_at timestamptz NOT NULL)"
        )
        found = connection.execute("SELECT coalesce(max(version), 0) FROM migrations").fetchone()
        version: int = found[0] if found else 0
        if version > newest:
            message = (
                f"{pool.where} has schema {version}, this release knows {newest}: "
                "upgrade memorycore, or name another database"
            )
            raise SchemaTooNewError(message)
        for number in range(version + 1, newest + 1):
            connection.execute(migrations[number - 1])
            connection.execute("INSERT INTO migrations VALUES (%s, now())", (number,))
