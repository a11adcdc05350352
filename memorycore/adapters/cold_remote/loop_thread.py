"""An event loop in a thread of its own, so that synchronous callers can use an asynchronous client."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")

ENDING = 2.0
"""Seconds the thread gets to end."""


class LoopThread:
    """Runs coroutines for callers of any thread; the thread starts with the first of them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, _T], *, within: float) -> _T:
        """Run `work` to its end and return its result.

        Raises:
            TimeoutError: It took longer than `within` seconds; it was cancelled.
        """
        future = self.start(work)
        try:
            return future.result(within)
        except concurrent.futures.TimeoutError:
            future.cancel()
            raise

    def start(self, work: Coroutine[Any, Any, _T]) -> "concurrent.futures.Future[_T]":
        """Start `work` and return at once."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name=self._name, daemon=True
                )
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """End the loop and whatever still runs on it."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(ENDING)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=ENDING / 2))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
