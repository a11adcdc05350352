"""The contract's tools on whichever major version of the `mcp` package is installed."""

import importlib
from collections.abc import Mapping
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.lowlevel import Server

from memorycore.entrypoints.cold_server.tools import ContractTools

SERVER_NAME = "memorycore-cold"
WORKERS = 32
"""Calls carried out at a time; writes among them go one after another."""

AUTHOR_KEY = "memorycore.author"
"""Where the door leaves the author's name in the ASGI scope of a request."""


class _Calls:
    """Carries calls out on worker threads: a call that was begun is finished, also when its client is gone."""

    def __init__(self, tools: ContractTools) -> None:
        self._tools = tools
        self._workers = anyio.CapacityLimiter(WORKERS)

    def listing(self) -> dict[str, Any]:
        return {"tools": self._tools.listing()}

    async def call(self, name: str, sent: Mapping[str, Any], request: Any) -> dict[str, Any]:
        author: str = request.scope[AUTHOR_KEY]
        result: dict[str, Any] = await anyio.to_thread.run_sync(
            lambda: self._tools.call(name, sent, author=author), limiter=self._workers
        )
        return result


def bind(tools: ContractTools, *, version: str) -> Any:
    """Return a low-level `mcp` server that offers `tools`."""
    calls = _Calls(tools)
    first = hasattr(Server, "request_context")
    return _first(calls, version) if first else _second(calls, version)


def _first(calls: _Calls, version: str) -> Any:
    types: Any = importlib.import_module("mcp.types")
    lowlevel: Any = importlib.import_module("mcp.server.lowlevel")
    server = lowlevel.Server(SERVER_NAME, version=version)

    async def list_tools(_: Any) -> Any:
        return types.ServerResult(types.ListToolsResult.model_validate(calls.listing()))

    async def call_tool(asked: Any) -> Any:
        params = asked.params
        request = server.request_context.request
        result = await calls.call(params.name, params.arguments or {}, request)
        return types.ServerResult(types.CallToolResult.model_validate(result))

    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server


def _second(calls: _Calls, version: str) -> Any:
    types: Any = importlib.import_module("mcp.types")

    async def list_tools(_: Any, __: Any) -> Any:
        return types.ListToolsResult.model_validate(calls.listing())

    async def call_tool(context: Any, asked: Any) -> Any:
        result = await calls.call(asked.name, asked.arguments or {}, context.request)
        return types.CallToolResult.model_validate(result)

    return Server(SERVER_NAME, version=version, on_list_tools=list_tools, on_call_tool=call_tool)
