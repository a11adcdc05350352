"""Time and identity, passed in so that the same run can be told again."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the current moment, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never run backwards, for durations."""
        ...


class IdFactory(Protocol):
    """Makes identifiers."""

    def new_id(self) -> str:
        """Return an identifier never returned before, safe in a file name and in a URL."""
        ...
