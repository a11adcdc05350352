"""Serves MCP as streamable HTTP at `/mcp`, and `/health` without data."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route

from memorycore.entrypoints.http_guard import (
    Access,
    App,
    Guard,
    is_loopback,
    names_of,
)
from memorycore.entrypoints.listening import McpEndpoint, Place, health, serve_until_signal
from memorycore.entrypoints.mcp_server.application import Application
from memorycore.entrypoints.mcp_server.sdk import build_server
from memorycore.entrypoints.opening import LazyCore
from memorycore.entrypoints.release import release
from memorycore.errors import ConfigurationError

if TYPE_CHECKING:
    from memorycore.settings import Settings

STOPPING = 3
"""Seconds that requests under way get when the server is stopped."""

_log = logging.getLogger(__name__)


def access_of(settings: "Settings") -> Access:
    """Return who may speak to the server.

    Raises:
        ConfigurationError: The address is no loopback address and no token is set.
    """
    token = settings.http_token.get_secret_value() if settings.http_token else ""
    if not token.strip() and not is_loopback(settings.http_host):
        message = (
            f"http_host {settings.http_host} can be reached from other machines: set http_token "
            "(MEMORYCORE_HTTP_TOKEN), or bind 127.0.0.1"
        )
        raise ConfigurationError(message)
    return Access(names_of(settings.http_host, settings.http_allowed_hosts), token.strip() or None)


def build_app(core: LazyCore, access: Access) -> App:
    """Return the ASGI application.

    No session is kept between requests: a client's calls go on after the server was restarted.
    """
    server = build_server(Application(core), version=release())
    manager = StreamableHTTPSessionManager(server, stateless=True)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    routes = [Route("/mcp", McpEndpoint(manager)), Route("/health", health, methods=["GET"])]
    return Guard(Starlette(routes=routes, lifespan=lifespan), access)


def serve_http(core: LazyCore, settings: "Settings", start_jobs: Callable[[], Any]) -> None:
    """Serve until a signal comes.

    Raises:
        ConfigurationError: The address may not be bound without a token, or cannot be bound.
    """
    access = access_of(settings)
    core.get()
    stop_jobs = start_jobs()

    def announce(url: str) -> None:
        _log.warning("event=serving url=%s token=%s", url, bool(access.token))

    place = Place(settings.http_host, settings.http_port, "http_host, http_port, or --port")
    try:
        serve_until_signal(build_app(core, access), place, grace=STOPPING, announce=announce)
    finally:
        stop_jobs()
        core.close()
