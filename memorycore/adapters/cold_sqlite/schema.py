"""The schema, as numbered migrations: each runs once, in one transaction with the record of it."""

from collections.abc import Sequence

import apsw

from memorycore.adapters.cold_sqlite.connection import Connections
from memorycore.adapters.cold_sqlite.rows import fetch
from memorycore.errors import SchemaTooNewError

_FIRST = """
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    live INTEGER NOT NULL,
    change INTEGER NOT NULL,
    hash BLOB NOT NULL,
    content TEXT NOT NULL,
    author TEXT NOT NULL,
    scope TEXT NOT NULL,
    importance REAL NOT NULL,
    type TEXT NOT NULL,
    protected INTEGER NOT NULL,
    source TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    confirmed_at INTEGER NOT NULL,
    last_recalled INTEGER,
    recall_count INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    supersedes TEXT,
    valid_from INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX memories_text ON memories (hash, author, scope) WHERE live = 1;
CREATE INDEX memories_change ON memories (change);
CREATE TABLE trash (
    seq INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    hash BLOB NOT NULL,
    reason TEXT NOT NULL,
    note TEXT NOT NULL,
    trashed_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    successor_id TEXT
) STRICT;
CREATE INDEX trash_text ON trash (hash);
CREATE INDEX trash_expiry ON trash (expires_at);
CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;
CREATE TABLE pending (seq INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE) STRICT;
CREATE TABLE staged (
    seq INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    model TEXT NOT NULL,
    revision INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE TABLE revisions (
    seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    content TEXT NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER NOT NULL,
    vector BLOB,
    PRIMARY KEY (seq, revision)
) STRICT, WITHOUT ROWID;
CREATE TABLE changes (number INTEGER PRIMARY KEY AUTOINCREMENT, seq INTEGER NOT NULL) STRICT;
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    tool TEXT NOT NULL,
    reason TEXT NOT NULL,
    memory_id TEXT,
    entry_key TEXT,
    related_id TEXT
) STRICT;
CREATE INDEX events_memory ON events (memory_id) WHERE memory_id IS NOT NULL;
CREATE TABLE tallies (
    author TEXT PRIMARY KEY, live INTEGER NOT NULL, trashed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE live_index USING fts5(
    tokens, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE trash_index USING fts5(
    tokens, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE TABLE intents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    step TEXT NOT NULL,
    owner TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    payload TEXT NOT NULL
) STRICT;
CREATE TABLE outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    operation TEXT NOT NULL,
    payload TEXT NOT NULL,
    queued_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    last_error TEXT
) STRICT;
CREATE TABLE activity (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX activity_at ON activity (at);
CREATE TABLE leases (
    name TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE jobs (
    name TEXT PRIMARY KEY, last_run INTEGER, last_error TEXT, due INTEGER
) STRICT, WITHOUT ROWID;
"""

MIGRATIONS: tuple[str, ...] = (_FIRST,)
"""Migration n brings the schema from version n - 1 to n; a released one never changes."""

_RECORDS = "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, made_at TEXT NOT NULL) STRICT"


def current_version(connection: apsw.Connection) -> int:
    """Return the number of the last migration that ran on this database, 0 for an empty one."""
    known = fetch(connection, "SELECT count(*) FROM sqlite_master WHERE name = 'migrations'")
    if not known[0][0]:
        return 0
    version: int | None = fetch(connection, "SELECT max(version) FROM migrations")[0][0]
    return version or 0


def migrate(connections: Connections, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Bring the database to the newest schema.

    Raises:
        SchemaTooNewError: A newer release wrote it; nothing is changed.
    """
    with connections.read() as reader:
        version = current_version(reader)
    newest = len(migrations)
    if version > newest:
        raise SchemaTooNewError(
            f"{connections.path} has schema {version}, this release knows {newest}: "
            "upgrade memorycore, or set another data_dir"
        )
    if version == newest:
        return
    with connections.write() as writer:
        writer.execute(_RECORDS)
        for number in range(current_version(writer) + 1, newest + 1):
            writer.execute(migrations[number - 1])
            writer.execute(
                "INSERT INTO migrations (version, made_at) VALUES (?, datetime('now'))", (number,)
            )
