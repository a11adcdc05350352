"""The default cold store: one SQLite file with rows, vectors, full text, history and local state."""

from memorycore.adapters.cold_sqlite.database import SqliteDatabase, open_database

__all__ = ["SqliteDatabase", "open_database"]
