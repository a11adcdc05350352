"""A lock that serves in the order of arrival, so that nobody starves among many."""

from collections import deque
from threading import Lock
from types import TracebackType


class FirstComeLock:
    """A lock for `with`. A plain one may pass over the same waiter again and again while others come and go."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._held = False
        self._waiting: deque[Lock] = deque()

    def __enter__(self) -> None:
        with self._guard:
            if not self._held:
                self._held = True
                return
            turn = Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False
