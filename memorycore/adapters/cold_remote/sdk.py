"""What the client uses of the `mcp` package, the same for both of its majors.

The first major speaks through `httpx` and wraps every request in a union; the second has an `httpx` of its own and
takes requests as they are. Neither check of the tool's output schema is used: one wrong row must not cost the others.
"""

import importlib
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any

from memorycore.model.contract import Answer, Offer
from memorycore.policy.contract_answer import answer_of

MOST_PAGES = 20
"""Pages of the list of tools that are read."""


@dataclass(frozen=True, slots=True)
class Sdk:
    """The installed major."""

    types: Any
    client_session: Any
    streams: Any
    http: Any
    rpc_error: Any
    stream_ended: tuple[type[Exception], ...]
    wraps_requests: bool

    def http_client(self, *, headers: Mapping[str, str], timeout: float, on_response: Any) -> Any:
        """Return an HTTP client that reports every response before its body is read."""
        return self.http.AsyncClient(
            headers=dict(headers),
            timeout=timeout,
            follow_redirects=False,
            event_hooks={"response": [on_response]},
        )

    def connect(self, url: str, client: Any) -> AbstractAsyncContextManager[Any]:
        """Return the transport; its first two streams read and write."""
        streams: AbstractAsyncContextManager[Any] = self.streams(url, http_client=client)
        return streams

    async def call(self, session: Any, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        params = self.types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        request = self.types.CallToolRequest(method="tools/call", params=params)
        result = await session.send_request(self._wrapped(request), self.types.CallToolResult)
        sent = result.model_dump(by_alias=True, mode="json")
        texts = [block["text"] for block in sent["content"] if block.get("type") == "text"]
        return answer_of(sent.get("structuredContent"), texts, is_error=bool(sent.get("isError")))

    async def offer(self, session: Any) -> Offer:
        """Return the tools and the parameters each names."""
        parameters: dict[str, dict[str, str]] = {}
        cursor: Any = None
        for _ in range(MOST_PAGES):
            params = self.types.PaginatedRequestParams(cursor=cursor) if cursor else None
            request = self.types.ListToolsRequest(method="tools/list", params=params)
            result = await session.send_request(self._wrapped(request), self.types.ListToolsResult)
            sent = result.model_dump(by_alias=True, mode="json")
            for tool in sent["tools"]:
                parameters[tool["name"]] = _types(tool["inputSchema"].get("properties"))
            cursor = sent.get("nextCursor")
            if not cursor:
                break
        return Offer(parameters)

    def _wrapped(self, request: Any) -> Any:
        return self.types.ClientRequest(request) if self.wraps_requests else request


def _types(properties: object) -> dict[str, str]:
    if not isinstance(properties, Mapping):
        return {}
    kinds = {
        name: schema.get("type") if isinstance(schema, Mapping) else None
        for name, schema in properties.items()
    }
    return {name: kind if isinstance(kind, str) else "" for name, kind in kinds.items()}


@cache
def installed() -> Sdk:
    """Return the major that is installed."""
    types = importlib.import_module("mcp.types")
    exceptions = importlib.import_module("mcp.shared.exceptions")
    anyio = importlib.import_module("anyio")
    first = "isError" in types.CallToolResult.model_fields
    return Sdk(
        types=types,
        client_session=importlib.import_module("mcp.client.session").ClientSession,
        streams=importlib.import_module("mcp.client.streamable_http").streamable_http_client,
        http=importlib.import_module("httpx" if first else "httpx2"),
        rpc_error=getattr(exceptions, "McpError" if first else "MCPError"),
        stream_ended=(anyio.ClosedResourceError, anyio.BrokenResourceError),
        wraps_requests=first,
    )
