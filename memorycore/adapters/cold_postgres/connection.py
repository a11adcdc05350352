"""Connections to one server, and its faults as the cold tier's."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from pgvector.psycopg import register_vector
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from memorycore.errors import (
    ColdBusyError,
    ColdConflictError,
    ColdTierError,
    ColdUnavailableError,
    ConfigurationError,
)

log = logging.getLogger(__name__)

Connection = psycopg.Connection[tuple[Any, ...]]

WRITERS = 0x6D656D6F
"""Key of the advisory lock that orders writers, so that change numbers appear in the order of their commits."""

MOST_CONNECTIONS = 8
"""Connections of one process: more only wait for each other's locks."""

_PASSWORD = re.compile(r"(?<=:)[^:@/]+(?=@)|(?<=password=)\S+")


class Pool:
    """A pool of connections that knows vectors.

    Args:
        url: `postgresql://user:password@host/database`, or a libpq connection string.
        timeout: Seconds to wait for a connection and for another writer.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        self._timeout = timeout
        self._where = _PASSWORD.sub("***", url)
        self._url = url
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=timeout,
            open=False,
            kwargs={"connect_timeout": max(2, int(timeout)), "application_name": "memorycore"},
            configure=self._configure,
            reconnect_timeout=timeout,
            check=ConnectionPool.check_connection,
        )

    @property
    def where(self) -> str:
        """Return the address without its password, for messages."""
        return self._where

    def open(self) -> None:
        """Connect once, so that a wrong address is told at the start.

        Raises:
            ColdUnavailableError: The server does not answer; the message says why.
        """
        with self._mapped():
            with psycopg.connect(
                self._url, connect_timeout=max(2, int(self._timeout)), autocommit=True
            ) as first:
                _ensure_vector_type(first)
            self._pool.open()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Lend a connection for one read-only snapshot."""
        with self._mapped(), self._pool.connection() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Lend a connection for one transaction; writers of all processes take turns."""
        with self._mapped(), self._pool.connection() as connection:
            connection.execute(
                "SELECT set_config('lock_timeout', %s, true)", (f"{int(self._timeout * 1000)}ms",)
            )
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (WRITERS,))
            yield connection

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Lend a connection outside any transaction, for maintenance statements."""
        with self._mapped(), self._pool.connection() as connection:
            connection.rollback()
            connection.autocommit = True
            try:
                yield connection
            finally:
                connection.autocommit = False

    def close(self) -> None:
        """Close every connection; closing twice is harmless."""
        self._pool.close(timeout=2)

    def _configure(self, connection: Connection) -> None:
        register_vector(connection)
        connection.commit()

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as fault:
            message = f"another writer held {self._where} for longer than the timeout; try again"
            raise ColdBusyError(message) from fault
        except (psycopg.errors.UniqueViolation, psycopg.errors.SerializationFailure) as fault:
            message = "a row changed meanwhile"
            raise ColdConflictError(message) from fault
        except (psycopg.OperationalError, PoolTimeout, PoolClosed) as fault:
            message = f"PostgreSQL at {self._where} does not answer: {_first_line(fault)}"
            raise ColdUnavailableError(message) from fault
        except psycopg.Error as fault:
            message = f"PostgreSQL at {self._where} failed: {_first_line(fault)}"
            raise ColdTierError(message) from fault


def _ensure_vector_type(connection: Connection) -> None:
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.UniqueViolation:
        log.info("postgres.extension_made_by_another_process")
    except psycopg.Error as fault:
        message = (
            "the database has no pgvector: install it on the server and run "
            f"CREATE EXTENSION vector as its owner ({_first_line(fault)})"
        )
        raise ConfigurationError(message) from fault


def _first_line(fault: Exception) -> str:
    text = _PASSWORD.sub("***", str(fault).strip())
    return text.splitlines()[0] if text else type(fault).__name__
