"""Serves MCP on standard input and output until the client goes away."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

import anyio

from memorycore.entrypoints.mcp_server.application import Application
from memorycore.entrypoints.mcp_server.wire import Incoming, Outgoing, claim_standard_streams
from memorycore.entrypoints.opening import LazyCore
from memorycore.entrypoints.release import release
from memorycore.errors import MemoryCoreError

GRACE = 2.5
"""Seconds that calls under way get to finish once the client is gone."""

CLOSING = 1.5
"""Seconds the jobs and the stores get to close; then the process ends all the same."""

WARM_UP = 0.3
"""Seconds after the first message before the core is opened, so that the handshake is answered first."""

PARENT_CHECK = 1.0
"""Seconds between two looks at whether the parent process still lives."""

CRASHED = 1
"""Exit code after a fault that ended the server."""

_log = logging.getLogger(__name__)

Starter = Callable[[], Callable[[], None]]
"""Starts what runs beside the server and returns what stops it."""


def serve_stdio(core: LazyCore, start_jobs: Starter) -> NoReturn:
    """Serve until standard input ends, the parent dies or a signal comes; then end the process within 5 s.

    Args:
        core: Opened shortly after the first message, never before the handshake.
        start_jobs: Called once the core is open.
    """
    incoming, outgoing = claim_standard_streams()
    session = _Session(core, start_jobs)
    code = CRASHED
    try:
        anyio.run(session.run, incoming, outgoing)
        code = 0
    finally:
        if code:
            _log.exception("event=crashed")
        # Never by the usual way out: it would wait for the thread that still reads standard input.
        _leave(code, session.stop_jobs, core.close)


class _Session:
    """One client from the first line to the last."""

    def __init__(self, core: LazyCore, start_jobs: Starter) -> None:
        self._core = core
        self._start_jobs = start_jobs
        self.stop_jobs: Callable[[], None] = _nothing

    async def run(self, incoming_stream: Any, outgoing_stream: Any) -> None:
        outgoing = Outgoing(outgoing_stream)
        incoming = Incoming(incoming_stream, outgoing, grace=GRACE)
        async with anyio.create_task_group() as tasks:
            for watch in (self._end_of_input, self._warm_up):
                tasks.start_soon(watch, incoming, tasks.cancel_scope)
            tasks.start_soon(_parent_death, tasks.cancel_scope)
            tasks.start_soon(_signals, tasks.cancel_scope)
            await self._serve(incoming, outgoing)
            tasks.cancel_scope.cancel()

    async def _serve(self, incoming: Incoming, outgoing: Outgoing) -> None:
        # The SDK is half of the start-up time: it is imported after the wire is safe.
        from mcp.server.stdio import stdio_server  # noqa: PLC0415

        from memorycore.entrypoints.mcp_server.sdk import build_server  # noqa: PLC0415

        server = build_server(Application(self._core), version=release())
        async with stdio_server(incoming, outgoing) as (reading, writing):  # type: ignore[arg-type]
            await server.run(reading, writing, server.create_initialization_options())

    async def _end_of_input(self, incoming: Incoming, scope: anyio.CancelScope) -> None:
        await incoming.ended.wait()
        await anyio.sleep(GRACE + WARM_UP)
        scope.cancel()

    async def _warm_up(self, incoming: Incoming, _: anyio.CancelScope) -> None:
        await incoming.begun.wait()
        await anyio.sleep(WARM_UP)
        # A thread of its own: whatever happens in it, the server goes on and the tools tell what is wrong.
        threading.Thread(target=self._open, name="memorycore-opening", daemon=True).start()

    def _open(self) -> None:
        try:
            self._core.get()
            self.stop_jobs = self._start_jobs()
        except MemoryCoreError as fault:
            _log.warning("event=open_failed code=%s message=%s", fault.code, fault)


async def _parent_death(scope: anyio.CancelScope) -> None:
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - no event tells that a parent died
        await anyio.sleep(PARENT_CHECK)
    _log.info("event=parent_gone")
    scope.cancel()


async def _signals(scope: anyio.CancelScope) -> None:
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
        async for number in received:
            _log.info("event=signal number=%d", number)
            scope.cancel()


def _nothing() -> None:
    return


def _leave(code: int, *steps: Callable[[], None]) -> NoReturn:
    """Run `steps` for as long as they may take, then end without waiting for threads still at work."""

    def close() -> None:
        for step in steps:
            step()

    closing = threading.Thread(target=close, name="memorycore-closing", daemon=True)
    closing.start()
    closing.join(CLOSING)
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)
