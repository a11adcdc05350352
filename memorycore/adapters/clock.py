"""The machine's time and random identifiers."""

import time
import uuid
from datetime import UTC, datetime


class SystemClock:
    """The wall clock in UTC."""

    def now(self) -> datetime:
        """Return the current moment."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since some fixed point."""
        return time.monotonic()


class RandomIds:
    """Random identifiers of 32 hexadecimal digits."""

    def new_id(self) -> str:
        """Return a version 4 UUID without dashes."""
        return uuid.uuid4().hex
