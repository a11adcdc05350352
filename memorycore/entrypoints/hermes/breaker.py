"""Leaving a failing store alone for a while."""

import threading
from collections.abc import Callable

FAILURES = 5
"""Failures in a row after which calls are spared."""

PAUSE = 120.0
"""Seconds until one call may try again."""


class Breaker:
    """Opens after `failures` in a row; after `pause` seconds it lets single calls through until one succeeds."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        failures: int = FAILURES,
        pause: float = PAUSE,
    ) -> None:
        self._monotonic = monotonic
        self._limit = failures
        self._pause = pause
        self._failed = 0
        self._retry_at = 0.0
        self._lock = threading.Lock()

    @property
    def open(self) -> bool:
        """True while calls are spared."""
        return self._failed >= self._limit

    def allows(self) -> bool:
        """Tell whether a call may be made now; an allowed call must be followed by `succeeded` or `failed`."""
        with self._lock:
            if not self.open:
                return True
            now = self._monotonic()
            if now < self._retry_at:
                return False
            self._retry_at = now + self._pause
            return True

    def succeeded(self) -> None:
        """Close: the store answers."""
        with self._lock:
            self._failed = 0

    def failed(self) -> None:
        """Count one failure."""
        with self._lock:
            self._failed += 1
            self._retry_at = self._monotonic() + self._pause
