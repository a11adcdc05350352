"""One thread for work that a call must not wait for."""

import logging
import threading
from collections.abc import Callable

from memorycore.errors import MemoryCoreError

log = logging.getLogger(__name__)


class Background:
    """Runs `work` in a daemon thread when asked; asking while it runs makes it run once more.

    `work` is given a function that says whether it should stop.
    """

    def __init__(self, work: Callable[[Callable[[], bool]], object], *, name: str) -> None:
        self._work = work
        self._name = name
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._again = False
        self._thread: threading.Thread | None = None

    def request(self) -> None:
        """Start the work unless it is running already; returns at once."""
        with self._lock:
            if self._stop.is_set():
                return
            self._again = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is running; False when that took longer than `seconds`."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return thread is None or not thread.is_alive()

    def close(self, seconds: float = 4.0) -> bool:
        """Ask the work to stop and wait for it; False when it still runs after `seconds`."""
        self._stop.set()
        return self.wait(seconds)

    def _run(self) -> None:
        while self._wanted():
            try:
                self._work(self._stop.is_set)
            except MemoryCoreError:
                log.exception("background.failed name=%s", self._name)

    def _wanted(self) -> bool:
        with self._lock:
            if self._again and not self._stop.is_set():
                self._again = False
                return True
            self._thread = None
            return False
