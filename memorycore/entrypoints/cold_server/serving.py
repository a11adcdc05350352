"""Serves a cold store over HTTP: MCP at `/mcp`, `/health` without data."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route

from memorycore.bootstrap.cold_service import ColdService
from memorycore.entrypoints.cold_server.authors import Authors, Rate
from memorycore.entrypoints.cold_server.binding import AUTHOR_KEY, bind
from memorycore.entrypoints.cold_server.tools import ContractTools
from memorycore.entrypoints.http_guard import (
    Access,
    App,
    Guard,
    Receive,
    Refusal,
    Scope,
    Send,
    is_loopback,
)
from memorycore.entrypoints.listening import McpEndpoint, Place, health, serve_until_signal
from memorycore.entrypoints.release import release
from memorycore.entrypoints.scheduler import start_scheduler
from memorycore.errors import ConfigurationError

STOPPING = 5
"""Seconds that requests under way get when the server is stopped."""

JOBS_STOP = 1.5
"""Seconds that jobs under way get then."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Door:
    """Who is let in: the HTTP rules, the authors, and how often each may ask."""

    access: Access
    authors: Authors
    rate: Rate


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens; port 0 takes any free one."""

    host: str
    port: int

    def check(self, authors: Authors) -> None:
        """Refuse to serve without tokens where other machines can reach it.

        Raises:
            ConfigurationError: There are no tokens and the address is no loopback address.
        """
        if not authors.digests and not is_loopback(self.host):
            message = (
                f"{self.host} can be reached from other machines: give each author a token "
                "(--token author=... or --tokens FILE), or bind 127.0.0.1"
            )
            raise ConfigurationError(message)


class Authenticated:
    """Lets requests through that carry an author's token, and not more of them than the rate allows."""

    def __init__(self, app: App, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http" and scope["path"] != "/health":
            refusal = self._refusal(scope)
            if refusal is not None:
                await refusal.send(send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        author = self._door.authors.author_of(_authorization(scope))
        peer = scope["client"][0] if scope.get("client") else "?"
        wait = self._door.rate.wait_of(f"peer {peer}" if author is None else f"author {author}")
        if wait is not None:
            text = f"Too many requests; come back in {wait} s."
            return Refusal(429, text, headers=((b"retry-after", str(wait).encode()),))
        if author is None:
            return Refusal(401, "A bearer token of one of this server's authors is required.")
        scope[AUTHOR_KEY] = author
        return None


def _authorization(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name.lower() == b"authorization":
            return str(value.decode("latin-1"))
    return ""


def build_app(tools: ContractTools, door: Door) -> App:
    """Return the ASGI application; no session is kept, so clients go on after a restart."""
    manager = StreamableHTTPSessionManager(
        bind(tools, version=release()), stateless=True, json_response=True
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    routes = [Route("/mcp", McpEndpoint(manager)), Route("/health", health, methods=["GET"])]
    app = Starlette(routes=routes, lifespan=lifespan)
    return Authenticated(Guard(app, door.access), door)


def serve_cold(service: ColdService, address: Address, door: Door, *, jobs: bool = True) -> None:
    """Serve until a signal comes: then take no new requests, finish those under way, close the store.

    Raises:
        ConfigurationError: The address cannot be bound.
    """
    scheduler = start_scheduler(service) if jobs else None

    def announce(url: str) -> None:
        _log.warning("event=serving url=%s authors=%d", url, len(door.authors.digests))

    try:
        serve_until_signal(
            build_app(ContractTools(service.served), door),
            Place(address.host, address.port, "--host, --port"),
            grace=STOPPING,
            announce=announce,
        )
    finally:
        if scheduler is not None:
            scheduler.stop(JOBS_STOP)
