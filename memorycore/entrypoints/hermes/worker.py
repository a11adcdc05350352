"""One background thread a home, so that no turn waits for governance."""

import logging
import queue
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)

CAPACITY = 128
"""Tasks that may wait; when more come they are dropped and the next reconcile catches up."""

Task = Callable[[], None]


class Worker:
    """Runs tasks one after the other in a daemon thread that starts with the first of them.

    Tasks handle their own faults.
    """

    def __init__(self, name: str, *, capacity: int = CAPACITY) -> None:
        self._name = name
        self._queue: queue.Queue[tuple[str, Task] | None] = queue.Queue(capacity)
        self._lock = threading.Lock()
        self._waiting: set[str] = set()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, key: str, task: Task) -> bool:
        """Queue a task unless one with the same key waits already; False when it was dropped."""
        with self._lock:
            if self._closed:
                return False
            if key in self._waiting:
                return True
            try:
                self._queue.put_nowait((key, task))
            except queue.Full:
                _log.warning("queue full, task dropped key=%s", key)
                return False
            self._waiting.add(key)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            return True

    def drain(self, timeout: float) -> bool:
        """Wait until every task queued so far is done; False when that takes longer than `timeout` seconds."""
        done = threading.Event()
        return self._thread is None or (
            self.submit(f"drain {id(done)}", done.set) and done.wait(timeout)
        )

    def close(self, timeout: float) -> bool:
        """Take no more tasks, finish those queued and end; False when `timeout` seconds did not suffice."""
        with self._lock:
            self._closed = True
            thread = self._thread
        if thread is None:
            return True
        try:
            self._queue.put(None, timeout=timeout)
        except queue.Full:
            return False
        thread.join(timeout)
        return not thread.is_alive()

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            key, task = item
            with self._lock:
                self._waiting.discard(key)
            task()
