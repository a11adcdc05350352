"""The rows that the settings name, and the state of this machine, which is always in a local file."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memorycore.adapters.cold_sqlite import open_database
from memorycore.adapters.cold_sqlite.transfer import SqliteTransfer
from memorycore.bootstrap.surroundings import DATABASE
from memorycore.errors import ConfigurationError
from memorycore.ports import ActivityLog, ColdRepository, Journal, Leases, Outbox
from memorycore.ports.transfer import Transfer
from memorycore.settings import ColdBackend, Settings

DRIVER = ("psycopg", "psycopg_pool", "pgvector")
"""Modules of the extra `postgres`."""


@dataclass(frozen=True, slots=True)
class Databases:
    """The cold rows with the leases of all who share them; journal, outbox and activity of this machine."""

    repository: ColdRepository
    leases: Leases
    journal: Journal
    outbox: Outbox
    activity: ActivityLog
    transfer: Transfer
    close: Callable[[], None]


def open_databases(settings: Settings) -> Databases:
    """Open what the settings name.

    Raises:
        ConfigurationError: PostgreSQL is named and its driver is not installed.
        ColdTierError: A database cannot be opened; the message says what to do.
    """
    path = settings.data_dir / DATABASE
    if settings.cold_backend is not ColdBackend.POSTGRES:
        return with_sqlite(path)
    return with_postgres(path, settings.cold_url or "", timeout=settings.cold_timeout)


def with_sqlite(path: Path) -> Databases:
    """Open rows and local state in one file."""
    local = open_database(path)
    return Databases(
        repository=local.repository,
        leases=local.leases,
        journal=local.journal,
        outbox=local.outbox,
        activity=local.activity,
        transfer=SqliteTransfer(local.connections),
        close=local.close,
    )


def with_postgres(path: Path, url: str, *, timeout: float) -> Databases:
    """Open rows and leases at `url`, local state in the file at `path`.

    Raises:
        ConfigurationError: The driver is not installed, or `url` is no address.
        ColdTierError: A database cannot be opened.
    """
    if not all(importlib.util.find_spec(name) for name in DRIVER):
        message = "cold_backend = postgres needs its driver: pip install 'memorycore[postgres]'"
        raise ConfigurationError(message)
    # The driver is an extra, and loading it takes a moment that stores in SQLite need not wait for.
    from memorycore.adapters.cold_postgres import PostgresTransfer, open_postgres  # noqa: PLC0415

    local = open_database(path)
    try:
        shared = open_postgres(url, timeout=timeout)
    except BaseException:
        local.close()
        raise

    def close() -> None:
        shared.close()
        local.close()

    return Databases(
        repository=shared.repository,
        leases=shared.leases,
        journal=local.journal,
        outbox=local.outbox,
        activity=local.activity,
        transfer=PostgresTransfer(shared.pool),
        close=close,
    )
