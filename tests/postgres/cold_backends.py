"""The stores that tests of the cold tier run on: a file, and a database on a real PostgreSQL server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from memorycore.bootstrap.databases import Databases

SERVER = "MEMORYCORE_TEST_POSTGRES_URL"
"""Environment variable with the address of a server to use, as a user who may make databases there."""


@pytest.fixture(scope="session")
def postgres_server_url() -> Iterator[str]:
    """The address of a server with pgvector: the one given, else one of our own."""
    given = os.environ.get(SERVER)  # noqa: TID251 - tells the tests, not the product, where a server is
    if given:
        yield given
        return
    server_module = pytest.importorskip(
        "postgres_server", reason="psycopg is not installed", exc_type=ImportError
    )
    if server_module.binaries() is None:
        pytest.skip(f"pgserver has no wheel for this Python: install it, or set {SERVER}")
    server = server_module.start_server()
    yield server.url()
    server_module.remove_server(server)


@pytest.fixture(scope="session")
def postgres_database(postgres_server_url: str, worker: str) -> str:
    """The address of this worker's database."""
    from postgres_server import make_database  # noqa: PLC0415 - only where there is a driver

    return make_database(postgres_server_url, f"memorycore_{worker}")


@pytest.fixture
def postgres_url(postgres_database: str) -> str:
    """The address of a database with nothing in it."""
    import psycopg  # noqa: PLC0415 - only where there is a driver

    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute("DROP SCHEMA IF EXISTS memorycore CASCADE")
    return postgres_database


@pytest.fixture(params=["sqlite", "postgres"])
def open_rows(request: pytest.FixtureRequest) -> Iterator[Callable[[Path], Databases]]:
    """Opens the store under test, again and again the same one; what is local lies in the file named."""
    from memorycore.bootstrap.databases import (  # noqa: PLC0415 - few tests need the databases
        with_postgres,
        with_sqlite,
    )

    opened: list[Databases] = []
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None

    def open_one(path: Path) -> Databases:
        made = with_sqlite(path) if url is None else with_postgres(path, url, timeout=10)
        opened.append(made)
        return made

    yield open_one
    for made in opened:
        made.close()


@pytest.fixture
def database(open_rows: Callable[[Path], Databases], tmp_path: Path) -> Databases:
    """One opened store."""
    return open_rows(tmp_path / "memorycore.db")


@pytest.fixture(scope="session")
def worker() -> str:
    """The name of this process among those that share the tests."""
    return os.environ.get("PYTEST_XDIST_WORKER", "main")  # noqa: TID251 - set by xdist
