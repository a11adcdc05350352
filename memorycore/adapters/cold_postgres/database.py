"""Opening the database and handing out its facets."""

from dataclasses import dataclass

from memorycore.adapters.cold_postgres.address import address_of
from memorycore.adapters.cold_postgres.connection import Pool
from memorycore.adapters.cold_postgres.leases import PostgresLeases
from memorycore.adapters.cold_postgres.repository import PostgresRepository
from memorycore.adapters.cold_postgres.schema import migrate


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """One database: the rows of the cold store and the leases of all machines that share it."""

    repository: PostgresRepository
    leases: PostgresLeases
    pool: Pool

    def close(self) -> None:
        """Close every connection; closing twice is harmless."""
        self.pool.close()


def open_postgres(url: str, *, timeout: float = 10.0) -> PostgresDatabase:
    """Connect, and bring the database to the newest schema.

    Args:
        url: `postgresql://user:password@host/database`, or a libpq connection string.
        timeout: Seconds to wait for the server and for another writer.

    Raises:
        ColdUnavailableError: The server does not answer.
        ConfigurationError: `url` is no address, or the database has no pgvector and this user may not install it.
        SchemaTooNewError: A newer release wrote it.
    """
    pool = Pool(address_of(url), timeout=timeout)
    try:
        pool.open()
        migrate(pool)
    except BaseException:
        pool.close()
        raise
    return PostgresDatabase(PostgresRepository(pool), PostgresLeases(pool), pool)
