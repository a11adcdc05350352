"""A circuit breaker: a remote that failed is left alone for a while, then tried by one caller."""

import threading
from collections.abc import Callable

FIRST_PAUSE = 5.0
"""Seconds without a try after the first failure; doubled by every failed try."""

LONGEST_PAUSE = 60.0
"""Seconds without a try at most: a remote that is back is noticed within a minute."""


class Breaker:
    """Closed while all is well, open after a failure, half open when one probe may try.

    `monotonic` gives seconds; `jitter` a number from 0 to 1 that spreads the probes of many clients.
    """

    def __init__(
        self,
        monotonic: Callable[[], float],
        jitter: Callable[[], float],
        *,
        first_pause: float = FIRST_PAUSE,
    ) -> None:
        self._monotonic = monotonic
        self._jitter = jitter
        self._first = first_pause
        self._lock = threading.Lock()
        self._pause = 0.0
        self._until = 0.0
        self._cause = ""
        self._probing = False

    @property
    def cause(self) -> str | None:
        """Return why it is open, None while it is closed."""
        with self._lock:
            return self._cause if self._pause else None

    def admits(self) -> bool:
        """Tell whether a call may go out; once the pause is over, True for one caller: the probe."""
        with self._lock:
            if not self._pause:
                return True
            if self._probing or self._monotonic() < self._until:
                return False
            self._probing = True
            return True

    def succeeded(self) -> None:
        """Close: the remote answered."""
        with self._lock:
            self._pause, self._probing, self._cause = 0.0, False, ""

    def failed(self, cause: str) -> None:
        """Open, for twice as long as the last time."""
        with self._lock:
            self._pause = min(LONGEST_PAUSE, self._pause * 2 or self._first)
            self._until = self._monotonic() + self._pause * (0.8 + 0.4 * self._jitter())
            self._cause, self._probing = cause, False

    def withdrawn(self) -> None:
        """Forget the caller that was admitted: it learned nothing."""
        with self._lock:
            self._probing = False
