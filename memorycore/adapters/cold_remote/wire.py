"""Calls to a remote that may be slow, dead, restarted or overloaded, for synchronous callers of any thread."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from memorycore.adapters.cold_remote.breaker import FIRST_PAUSE, Breaker
from memorycore.adapters.cold_remote.loop_thread import LoopThread
from memorycore.adapters.cold_remote.sdk import Sdk, installed
from memorycore.adapters.cold_remote.session import Session
from memorycore.adapters.cold_remote.trouble import Kind, TroubleError
from memorycore.errors import ColdTierError, ColdUnavailableError, ContractError
from memorycore.model.contract import Answer, Offer

_T = TypeVar("_T")
_log = logging.getLogger(__name__)

TRIES = 3
"""Attempts of one call within its time."""

FIRST_WAIT = 0.1
"""Seconds before the second attempt; four times as long before the third."""

KEEPS_SESSION = frozenset({Kind.FOREIGN, Kind.CALL_REFUSED, Kind.BUSY})
"""Troubles of one call that say nothing against the session."""

LOADED_WITHIN = 0.8
"""The share of a budget that may go into loading the client; beyond it there is no time left to ask."""

MARGIN = 1.0
"""Seconds beyond the deadline that a caller's thread waits for the loop to give up."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the remote is; `timeout` is seconds for a whole call, retries included."""

    url: str
    token: str | None = None
    timeout: float = 10.0
    first_pause: float = FIRST_PAUSE

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of every request."""
        return {"authorization": f"Bearer {self.token}"} if self.token else {}


class McpWire:
    """Implements `Wire`; thread-safe.

    `monotonic` gives seconds, `jitter` numbers from 0 to 1. A call with a budget never waits for a remote that is
    known to be dead: it fails at once, and a probe without a caller finds out when the remote is back.
    """

    def __init__(
        self, endpoint: Endpoint, *, monotonic: Callable[[], float], jitter: Callable[[], float]
    ) -> None:
        self._endpoint = endpoint
        self._monotonic = monotonic
        self._jitter = jitter
        self._loop = LoopThread("memorycore-remote")
        self._usual = Breaker(monotonic, jitter, first_pause=endpoint.first_pause)
        self._hurried = Breaker(monotonic, jitter, first_pause=endpoint.first_pause)
        self._session: Session | None = None
        self._opening: asyncio.Lock | None = None
        self._closed = threading.Event()
        self._loading = threading.Lock()
        self._loader: threading.Thread | None = None

    def offer(self, *, budget: float | None = None) -> Offer:
        """Return the tools of the service and their parameters; asked once a session."""
        session = self._session
        if session is not None and session.alive and session.offer is not None:
            return session.offer
        return self._within(self._offer_of, budget)

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, budget: float | None = None
    ) -> Answer:
        """Call a tool; see `Wire`."""

        async def work(session: Session) -> Answer:
            sdk: Sdk = installed()
            return await session.call(lambda client: sdk.call(client, tool, arguments))

        return self._within(work, budget)

    @property
    def down(self) -> str | None:
        """Return why calls are not even tried now, or None."""
        return self._usual.cause

    def close(self) -> None:
        """Close the session and end the thread."""
        self._closed.set()
        session, self._session = self._session, None
        if session is not None:
            try:
                self._loop.run(session.close(), within=2 * MARGIN)
            except TimeoutError:
                _log.info("remote.close_abandoned url=%s", self._endpoint.url)
        self._loop.close()

    async def _offer_of(self, session: Session) -> Offer:
        return await session.look()

    def _within(self, work: Callable[[Session], Awaitable[_T]], budget: float | None) -> _T:
        if self._closed.is_set():
            raise ColdUnavailableError("the connection to the remote is closed")
        hurried = budget is not None
        self._admit(hurried=hurried)
        limit = self._endpoint.timeout if budget is None else min(budget, self._endpoint.timeout)
        settled = False
        try:
            limit -= self._load(budget)
            result = self._loop.run(self._tried(work, limit), within=limit + MARGIN)
            settled = True
        except TimeoutError:
            cause = f"{self._endpoint.url} gave no answer within {limit:g} s"
            settled = True
            self._failed(cause, hurried=hurried)
            raise ColdUnavailableError(cause) from None
        except TroubleError as trouble:
            settled = True
            raise self._as_fault(trouble, hurried=hurried) from trouble
        finally:
            if not settled:
                self._interrupted(hurried=hurried)
        self._answered()
        return result

    def _interrupted(self, *, hurried: bool) -> None:
        """Let another caller be the probe if this one was."""
        for breaker in (self._hurried, *(() if hurried else (self._usual,))):
            breaker.withdrawn()

    def _load(self, budget: float | None) -> float:
        """Import the SDK, which takes a second where it is new, beside a hurried caller; return the seconds waited."""
        with self._loading:
            if self._loader is None:
                self._loader = threading.Thread(
                    target=installed, name="memorycore-sdk", daemon=True
                )
                self._loader.start()
        if not self._loader.is_alive():
            return 0.0
        begun = self._monotonic()
        self._loader.join(budget)
        waited = self._monotonic() - begun
        if budget is not None and waited > LOADED_WITHIN * budget:
            raise ColdUnavailableError("the client of the remote cold tier is still being loaded")
        return 0.0 if budget is None else waited

    def _admit(self, *, hurried: bool) -> None:
        breaker = self._hurried if hurried and not self._usual.cause else self._usual
        cause = breaker.cause
        if breaker.admits():
            if cause is None or not hurried:
                return
            self._loop.start(self._probe())
        raise ColdUnavailableError(f"{cause}; not tried again yet")

    async def _probe(self) -> None:
        try:
            await self._tried(self._offer_of, self._endpoint.timeout)
        except (TimeoutError, TroubleError) as fault:
            self._failed(str(fault) or "no answer", hurried=False)
        else:
            _log.info("remote.back url=%s", self._endpoint.url)
            self._answered()

    def _answered(self) -> None:
        self._usual.succeeded()
        self._hurried.succeeded()

    def _failed(self, cause: str, *, hurried: bool) -> None:
        _log.warning("remote.failed url=%s cause=%s", self._endpoint.url, cause)
        self._hurried.failed(cause)
        if not hurried:
            self._usual.failed(cause)

    def _as_fault(self, trouble: TroubleError, *, hurried: bool) -> ColdTierError:
        cause = f"{self._endpoint.url}: {trouble}"
        match trouble.kind:
            case Kind.FOREIGN | Kind.CALL_REFUSED:
                self._answered()
                return ContractError(cause)
            case Kind.LOST | Kind.DOWN | Kind.REFUSED | Kind.BUSY:
                self._failed(cause, hurried=hurried)
                return ColdUnavailableError(cause)

    async def _tried(self, work: Callable[[Session], Awaitable[_T]], limit: float) -> _T:
        async with asyncio.timeout(limit):
            reopened = False
            attempt = 0
            while True:
                try:
                    return await self._once(work)
                except TroubleError as trouble:
                    if trouble.kind is Kind.LOST and not reopened:
                        reopened = True
                        continue
                    attempt += trouble.kind is not Kind.BUSY
                    if trouble.kind not in (Kind.DOWN, Kind.BUSY) or attempt == TRIES:
                        raise
                    await asyncio.sleep(self._wait(attempt, trouble.retry_after))

    async def _once(self, work: Callable[[Session], Awaitable[_T]]) -> _T:
        session = await self._opened()
        try:
            return await work(session)
        except TroubleError as trouble:
            if trouble.kind not in KEEPS_SESSION:
                session.retire()
            raise
        except asyncio.CancelledError:
            session.retire()
            raise

    async def _opened(self) -> Session:
        self._opening = self._opening or asyncio.Lock()
        async with self._opening:
            if self._session is None or not self._session.alive:
                self._session = None
                session = Session(
                    installed(),
                    self._endpoint.url,
                    headers=self._endpoint.headers,
                    timeout=self._endpoint.timeout,
                )
                await session.open()
                self._session = session
            return self._session

    def _wait(self, attempt: int, retry_after: float | None) -> float:
        usual: float = FIRST_WAIT * 4.0 ** max(0, attempt - 1) * (0.5 + self._jitter())
        return usual if retry_after is None else max(usual, retry_after)
