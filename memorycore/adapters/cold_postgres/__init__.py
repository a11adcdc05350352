"""The cold store in PostgreSQL with pgvector, for when one machine is not enough."""

from memorycore.adapters.cold_postgres.database import PostgresDatabase, open_postgres

__all__ = ["PostgresDatabase", "open_postgres"]
