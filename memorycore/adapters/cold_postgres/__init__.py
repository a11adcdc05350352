"""The cold store in PostgreSQL with pgvector, for when one machine is not enough."""

from memorycore.adapters.cold_postgres.database import PostgresDatabase, open_postgres
from memorycore.adapters.cold_postgres.transfer import PostgresTransfer

__all__ = ["PostgresDatabase", "PostgresTransfer", "open_postgres"]
