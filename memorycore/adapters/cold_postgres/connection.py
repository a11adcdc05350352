"""Connections to one server, and its faults as the cold tier's."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, LiteralString

import psycopg
from pgvector.psycopg import register_vector
from psycopg.types.string import StrDumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
from typing_extensions import override

from memorycore.adapters.cold_postgres.address import Address
from memorycore.errors import (
    ColdBusyError,
    ColdConflictError,
    ColdTierError,
    ColdUnavailableError,
    ConfigurationError,
    InvalidInputError,
)

log = logging.getLogger(__name__)

Connection = psycopg.Connection[tuple[Any, ...]]

SCHEMA: LiteralString = "memorycore"
"""Everything of ours lies in this schema, so that a database may hold other things too."""

WRITERS = 0x6D656D6F
"""Key of the advisory lock that orders writers, so that change numbers appear in the order of their commits."""

MOST_CONNECTIONS = 8
"""Connections of one process: more only wait for each other's locks."""

LIGHT_TIMEOUT_MS = 200
"""How long writes wait that may as well not happen, such as counting a recall."""


class _WellFormed(StrDumper):
    """Refuses text that UTF-8 or PostgreSQL cannot hold, in words a caller understands."""

    @override
    def dump(self, obj: str) -> Any:
        if "\x00" in obj:
            message = "PostgreSQL cannot keep a NUL character: take it out of the text"
            raise InvalidInputError(message)
        try:
            return super().dump(obj)
        except UnicodeEncodeError as fault:
            message = "the text holds half a surrogate pair, which is no character: take it out"
            raise InvalidInputError(message) from fault


class Pool:
    """A pool of connections that knows vectors.

    Args:
        address: The server and the database.
        timeout: Seconds to wait for a connection and for another writer.
    """

    def __init__(self, address: Address, *, timeout: float) -> None:
        self._timeout = timeout
        self._address = address
        self._silent = False
        self._how: dict[str, Any] = {
            "connect_timeout": max(2, int(timeout)),
            "application_name": "memorycore",
            "options": f"{address.options} -c search_path={SCHEMA},public "
            "-c client_min_messages=warning",
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 3,
            "tcp_user_timeout": int(max(2.0, timeout) * 1000),
        }
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            address.url,
            min_size=0,
            max_size=MOST_CONNECTIONS,
            timeout=timeout,
            open=False,
            kwargs=self._how,
            configure=_configure,
            reconnect_timeout=timeout,
            check=ConnectionPool.check_connection,
        )

    @property
    def where(self) -> str:
        """Return the address without its password, for messages."""
        return self._address.where

    def open(self) -> None:
        """Connect once, so that a wrong address is told at the start.

        Raises:
            ColdUnavailableError: The server does not answer; the message says why.
            ConfigurationError: The database has no pgvector and this user may not install it.
        """
        with self._mapped():
            with self._connect() as first:
                _ensure_vector_type(first)
            self._pool.open()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Lend a connection for one read-only snapshot."""
        with self._lent() as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Lend a connection for one transaction; writers of all processes take turns."""
        with self._lent() as connection:
            connection.execute(
                "SELECT set_config('lock_timeout', %s, true), pg_advisory_xact_lock(%s)",
                (f"{int(self._timeout * 1000)}ms", WRITERS),
            )
            yield connection

    @contextmanager
    def write_lightly(self) -> Iterator[Connection]:
        """Lend a connection for a write of one row's side facts, which a crash may undo: it takes no turn."""
        with self._lent() as connection:
            connection.execute(
                "SELECT set_config('lock_timeout', %s, true), "
                "set_config('synchronous_commit', 'off', true)",
                (f"{LIGHT_TIMEOUT_MS}ms",),
            )
            yield connection

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Lend a connection of its own outside any transaction, for maintenance statements."""
        with self._mapped(), self._connect() as connection:
            connection.execute(
                "SELECT set_config('lock_timeout', %s, false)", (f"{int(self._timeout * 1000)}ms",)
            )
            yield connection

    def close(self) -> None:
        """Close every connection; closing twice is harmless."""
        self._pool.close(timeout=2)

    def _connect(self) -> Connection:
        return psycopg.connect(self._address.url, autocommit=True, **self._how)

    @contextmanager
    def _lent(self) -> Iterator[Connection]:
        with self._mapped():
            if self._silent:
                # The pool waits out its timeout for a server that is gone; a connection of one's own tells at once.
                self._connect().close()
            with self._pool.connection() as connection:
                self._silent = False
                connection.isolation_level = connection.read_only = None
                yield connection

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as fault:
            message = f"another writer held {self.where} for longer than the timeout; try again"
            raise ColdBusyError(message) from fault
        except (psycopg.errors.UniqueViolation, psycopg.errors.SerializationFailure) as fault:
            message = "a row changed meanwhile"
            raise ColdConflictError(message) from fault
        except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout, PoolClosed) as fault:
            self._silent = True
            message = f"PostgreSQL ({self.where}) does not answer: {self._told(fault)}"
            raise ColdUnavailableError(message) from fault
        except psycopg.Error as fault:
            message = f"PostgreSQL ({self.where}) failed: {self._told(fault)}"
            raise ColdTierError(message) from fault

    def _told(self, fault: Exception) -> str:
        """Return the first line of a fault: the others quote statements and rows."""
        text = self._address.censored(str(fault).strip())
        return text.splitlines()[0] if text else type(fault).__name__


def _configure(connection: Connection) -> None:
    register_vector(connection)
    connection.adapters.register_dumper(str, _WellFormed)
    connection.commit()


def _ensure_vector_type(connection: Connection) -> None:
    known = connection.execute("SELECT 1 FROM pg_type WHERE typname = 'vector'").fetchone()
    if known:
        return
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    except psycopg.errors.UniqueViolation:
        log.info("postgres.extension_made_by_another_process")
    except psycopg.Error as fault:
        message = (
            "the database has no pgvector: install it on the server and run "
            f"CREATE EXTENSION vector as its owner ({str(fault).splitlines()[0]})"
        )
        raise ConfigurationError(message) from fault
