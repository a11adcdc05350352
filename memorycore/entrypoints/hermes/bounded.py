"""Calls that may hang, waited for only so long."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class StillRunningError(Exception):
    """An earlier call has not come back, or this one did not within its budget."""


class Bounded(Generic[T]):
    """Runs one call at a time in a thread of its own; while one hangs, further calls fail at once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._running: threading.Thread | None = None

    def call(self, work: Callable[[], T], *, budget: float) -> T:
        """Return what `work` returns, or raise what it raises, within `budget` seconds.

        Raises:
            StillRunningError: It, or an earlier one, takes longer; it goes on in the background.
        """
        results: list[T] = []
        faults: list[Exception] = []

        def run() -> None:
            try:
                results.append(work())
            except Exception as fault:  # noqa: BLE001 - handed over to the caller's thread below
                faults.append(fault)

        with self._lock:
            if self._running is not None and self._running.is_alive():
                message = "an earlier call still runs"
                raise StillRunningError(message)
            thread = threading.Thread(target=run, name=self._name, daemon=True)
            self._running = thread
            thread.start()
        thread.join(budget)
        if faults:
            raise faults[0]
        if not results:
            message = f"no answer within {budget:g} s"
            raise StillRunningError(message)
        return results[0]
