"""Connections: one writer for the process, one reader for each thread."""

import os
import stat
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memorycore.adapters.cold_sqlite.faults import mapped_faults
from memorycore.errors import ColdUnavailableError

BUSY_TIMEOUT_MS = 5000
"""How long a statement waits for another process's lock."""

LIGHT_TIMEOUT_MS = 200
"""The same for writes that may as well not happen, such as counting a recall."""

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA journal_size_limit = 4194304",
    "PRAGMA cache_size = -8000",
)


class Connections:
    """Opens `path` and hands out connections; every fault leaves as a `ColdTierError`.

    Writes are serialised in the process by a lock and between processes by SQLite. Readers see the last
    committed state and never wait for a writer.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        _claim_file(path)
        self._write_lock = threading.RLock()
        self._local = threading.local()
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        with mapped_faults(path):
            self._writer = self._connect()

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        for pragma in _PRAGMAS:
            for _ in connection.execute(pragma):
                pass
        self._open.add(connection)
        return connection

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Lend this thread's reader."""
        with mapped_faults(self.path):
            connection: apsw.Connection | None = getattr(self._local, "reader", None)
            if connection is None:
                connection = self._connect()
                self._local.reader = connection
            yield connection

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """Lend the writer inside one immediate transaction: committed at the end, rolled back on a fault."""
        with self._write_lock, mapped_faults(self.path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    def write_lightly(
        self,
        statement: str,
        values: tuple[object, ...],
        *,
        timeout_ms: int = LIGHT_TIMEOUT_MS,
    ) -> None:
        """Run one statement that a crash of the machine may undo: no wait for the disk, hardly any for others."""
        with self._write_lock, mapped_faults(self.path):
            self._writer.set_busy_timeout(timeout_ms)
            self._writer.execute("PRAGMA synchronous = NORMAL")
            try:
                self._writer.execute(statement, values)
            finally:
                self._writer.execute("PRAGMA synchronous = FULL")
                self._writer.set_busy_timeout(BUSY_TIMEOUT_MS)

    @contextmanager
    def alone(self) -> Iterator[apsw.Connection]:
        """Lend the writer outside a transaction, for pragmas that need that."""
        with self._write_lock, mapped_faults(self.path):
            yield self._writer

    @contextmanager
    def fresh(self) -> Iterator[apsw.Connection]:
        """Lend a connection opened for this block, with nothing of an older state in memory.

        The check of a full-text index takes the segments a connection remembers for those in the file and
        reports damage where another connection has merged them.
        """
        with mapped_faults(self.path):
            connection = self._connect()
            try:
                yield connection
            finally:
                connection.close()

    def close(self) -> None:
        """Close every connection; the last one of all processes folds the write-ahead log in."""
        with self._write_lock, mapped_faults(self.path):
            for connection in list(self._open):
                connection.close()


def _claim_file(path: Path) -> None:
    """Create the folder and an empty file for this user alone, so that no moment leaves it readable."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.is_dir():
            raise ColdUnavailableError(f"{path} is a folder: move it away or set another data_dir")
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, stat.S_IRUSR | stat.S_IWUSR))
    except OSError as fault:
        raise ColdUnavailableError(
            f"{path} cannot be created ({fault.strerror}): make the folder writable or set another data_dir"
        ) from fault
