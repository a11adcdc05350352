"""One MCP session, kept open by a task of its own; any task of the loop may call through it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from memorycore.adapters.cold_remote.sdk import Sdk
from memorycore.adapters.cold_remote.trouble import (
    HttpFailure,
    Kind,
    TroubleError,
    in_words,
    leaves,
    trouble_of,
)
from memorycore.model.contract import Offer

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

CLOSING = 1.0
"""Seconds a session gets to say goodbye to the service."""

SETTLING = 0.2
"""Seconds to wait for the transport's own fault when a call failed with it."""

CONNECTION_CLOSED = -32000
"""JSON-RPC code by which both majors tell that the transport ended."""

SERVER_FAULTS = frozenset({CONNECTION_CLOSED, -32603})
"""JSON-RPC codes that another try may change: the transport ended, or the service failed inside."""

SESSION_GONE = frozenset({-32600, 32600})
"""JSON-RPC codes by which the majors tell a 404 in a session."""


class Session:
    """Opens with `open`, ends with `close` or when its transport fails."""

    def __init__(self, sdk: Sdk, url: str, *, headers: Mapping[str, str], timeout: float) -> None:
        self._sdk = sdk
        self._url = url
        self._headers = headers
        self._timeout = timeout
        self._failures: list[HttpFailure] = []
        self._closing = asyncio.Event()
        self._ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own())
        self._owner.add_done_callback(_looked_at)
        self._active = 0
        self._retired = False
        self.offer: Offer | None = None

    @property
    def alive(self) -> bool:
        """Tell whether calls may be sent."""
        return not (self._retired or self._owner.done())

    async def open(self) -> None:
        """Wait for the handshake.

        Raises:
            TroubleError: The service cannot be reached or is none.
        """
        try:
            await self._guarded(asyncio.shield(self._ready), in_session=False)
        except BaseException:
            self.retire()
            raise

    async def look(self) -> Offer:
        """Read what the service offers, once.

        Raises:
            TroubleError: It got no answer.
        """
        if self.offer is None:
            self.offer = await self.call(self._sdk.offer)
        return self.offer

    async def call(self, work: Callable[[Any], Awaitable[_T]]) -> _T:
        """Do `work` with the client session.

        Raises:
            TroubleError: It got no answer.
        """
        return await self._guarded(work(self._ready.result()), in_session=True)

    def retire(self) -> None:
        """Take no more calls; close once those under way are over."""
        self._retired = True
        if not self._ready.done():
            self._owner.cancel()
        if self._active == 0:
            self._closing.set()

    async def close(self) -> None:
        """Close within a second, whatever the service does."""
        self._retired = True
        self._closing.set()
        await asyncio.wait([self._owner], timeout=CLOSING)
        self._owner.cancel()
        await asyncio.wait([self._owner], timeout=CLOSING)

    async def _own(self) -> None:
        client = self._sdk.http_client(
            headers=self._headers, timeout=self._timeout, on_response=self._note
        )
        async with (
            client,
            self._sdk.connect(self._url, client) as streams,
            self._sdk.client_session(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            if not self._ready.done():
                self._ready.set_result(session)
            await self._closing.wait()

    async def _note(self, response: Any) -> None:
        if response.status_code >= 300 and response.request.method == "POST":
            after = response.headers.get("retry-after", "")
            seconds = float(after) if after.isdecimal() else None
            self._failures.append(HttpFailure(response.status_code, seconds))

    async def _guarded(self, work: Awaitable[_T], *, in_session: bool) -> _T:
        """Wait for `work` or for the end of the session, whichever comes first."""
        before = len(self._failures)
        self._active += 1
        waiting = asyncio.ensure_future(work)
        try:
            await asyncio.wait({waiting, self._owner}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done() and waiting.exception() is None:
                return waiting.result()
            raise await self._trouble(waiting, before, in_session=in_session)
        finally:
            self._active -= 1
            waiting.cancel()
            if self._retired and self._active == 0:
                self._closing.set()

    async def _trouble(
        self, waiting: "asyncio.Future[Any]", before: int, *, in_session: bool
    ) -> TroubleError:
        fault = waiting.exception() if waiting.done() and not waiting.cancelled() else None
        error = fault.error if isinstance(fault, self._sdk.rpc_error) else None
        if error is None or error.code == CONNECTION_CLOSED:
            await asyncio.wait([self._owner], timeout=SETTLING)
        stream_ended = isinstance(fault, self._sdk.stream_ended)
        if stream_ended:
            # The first major closes its streams without a word when the answer to an earlier message was no success.
            self.retire()
            before = 0
        if self._failures[before:]:
            return trouble_of(self._failures[-1], in_session=in_session)
        if self._owner.done():
            return self._transport_trouble()
        if error is not None:
            return _rpc_trouble(error, in_session=in_session)
        if stream_ended:
            return _down("the connection was closed")
        return TroubleError(Kind.FOREIGN, in_words(fault) if fault else "no answer")

    def _transport_trouble(self) -> TroubleError:
        if self._owner.cancelled():
            return _down("the connection was closed")
        fault = self._owner.exception()
        if fault is None:
            return _down("the session ended")
        network = any(isinstance(one, self._sdk.http.HTTPError | OSError) for one in leaves(fault))
        kind = Kind.DOWN if network else Kind.FOREIGN
        return TroubleError(kind, in_words(fault))


def _rpc_trouble(error: Any, *, in_session: bool) -> TroubleError:
    if error.code in SERVER_FAULTS:
        return _down(error.message)
    if in_session and error.code in SESSION_GONE and "session" in error.message.casefold():
        return TroubleError(Kind.LOST, error.message)
    return TroubleError(Kind.FOREIGN, f"{error.message} (JSON-RPC {error.code})")


def _looked_at(owner: "asyncio.Task[None]") -> None:
    """Take the fault out of a task that ended when nobody was calling, so that it is not reported as forgotten."""
    if not owner.cancelled() and (fault := owner.exception()) is not None:
        _log.debug("remote.session_ended cause=%s", in_words(fault))


def _down(cause: str) -> TroubleError:
    return TroubleError(Kind.DOWN, cause or "it failed without a reason")
