"""Binding a port and serving on it until a signal comes: what both HTTP servers share."""

import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import JSONResponse

from memorycore.entrypoints.http_guard import App, Receive, Scope, Send
from memorycore.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Place:
    """Where to listen; `options` names what the user changes when that address cannot be had."""

    host: str
    port: int
    options: str


class McpEndpoint:
    """The MCP endpoint as an ASGI application of its own, so that it may stream."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._manager.handle_request(scope, receive, send)


async def health(_: Request) -> JSONResponse:
    """Answer that the server is up, and nothing else."""
    return JSONResponse({"status": "ok"})


def serve_until_signal(
    app: App, place: Place, *, grace: int, announce: Callable[[str], None]
) -> None:
    """Serve until SIGINT or SIGTERM, then finish the requests under way and return.

    Args:
        app: What to serve.
        place: Where.
        grace: Seconds that requests under way get.
        announce: Called with the URL once the port is bound.

    Raises:
        ConfigurationError: The address cannot be bound.
    """
    config = uvicorn.Config(
        app,
        host=place.host,
        port=place.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
    )
    bound = _bound(config, place)
    host, port = bound.getsockname()[:2]
    announce(f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _handled)
    anyio.run(_serve, uvicorn.Server(config), bound)


def _handled(_number: int, _frame: object) -> None:
    """Let the process end in order: uvicorn stops on the signal and then raises it again for its caller."""


async def _serve(server: uvicorn.Server, bound: socket.socket) -> None:
    await server.serve(sockets=[bound])


def _bound(config: uvicorn.Config, place: Place) -> socket.socket:
    """Bind now, so that a taken port is one clear sentence."""
    try:
        bound = config.bind_socket()
        bound.listen(config.backlog)
        # Without it every answer waits 40 ms for the acknowledgement of its own headers.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (SystemExit, OSError) as fault:
        message = (
            f"{place.host}:{place.port} cannot be bound: the port is taken or the address is not "
            f"this machine's. Choose another ({place.options})."
        )
        raise ConfigurationError(message) from fault
    return bound
