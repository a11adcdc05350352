"""Serves MCP as streamable HTTP at `/mcp`, and `/health` without data."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from socket import IPPROTO_TCP, TCP_NODELAY
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from memorycore.entrypoints.http_guard import (
    Access,
    App,
    Guard,
    Receive,
    Scope,
    Send,
    is_loopback,
    names_of,
)
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

    routes = [Route("/mcp", _Mcp(manager)), Route("/health", _health, methods=["GET"])]
    return Guard(Starlette(routes=routes, lifespan=lifespan), access)


class _Mcp:
    """The endpoint as an ASGI application of its own, so that it may stream."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


async def _health(_: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


def serve_http(core: LazyCore, settings: "Settings", start_jobs: Callable[[], Any]) -> None:
    """Serve until a signal comes.

    Raises:
        ConfigurationError: The address may not be bound without a token, or cannot be bound.
    """
    access = access_of(settings)
    core.get()
    stop_jobs = start_jobs()
    config = uvicorn.Config(
        build_app(core, access),
        host=settings.http_host,
        port=settings.http_port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOPPING,
    )
    socket = _bound(config, settings)
    host, port = socket.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    _log.warning("event=serving url=http://%s:%d/mcp token=%s", shown, port, bool(access.token))
    try:
        anyio.run(_serve, uvicorn.Server(config), socket)
    finally:
        stop_jobs()
        core.close()


async def _serve(server: uvicorn.Server, socket: Any) -> None:
    await server.serve(sockets=[socket])


def _bound(config: uvicorn.Config, settings: "Settings") -> Any:
    """Bind now, so that a taken port is one clear sentence."""
    try:
        socket = config.bind_socket()
        socket.listen()
        # Without it every answer waits 40 ms for the acknowledgement of its own headers.
        socket.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
    except (SystemExit, OSError) as fault:
        message = (
            f"http_host {settings.http_host}, http_port {settings.http_port} cannot be bound: "
            "the port is taken or the address is not this machine's. Choose another (--port)."
        )
        raise ConfigurationError(message) from fault
    return socket
