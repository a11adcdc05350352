"""The application on `mcp` 2: handlers are given to the constructor."""

from typing import Any

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from memorycore.entrypoints.mcp_server.application import INSTRUCTIONS, SERVER_NAME, Application
from memorycore.entrypoints.mcp_server.reading import prompt_listing, prompt_messages
from memorycore.errors import InvalidInputError, MemoryCoreError

_Context = ServerRequestContext[Any, Any]
_Page = types.PaginatedRequestParams | None


class _Handlers:
    """One method a request."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def list_tools(self, _: _Context, __: _Page) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate(self._application.list_tools())

    async def call_tool(
        self, context: _Context, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        report = context.session.report_progress
        result = await self._application.call(asked.name, asked.arguments or {}, report)
        return types.CallToolResult.model_validate(result)

    async def list_resources(self, _: _Context, __: _Page) -> types.ListResourcesResult:
        return types.ListResourcesResult.model_validate(self._application.list_resources())

    async def read_resource(
        self, _: _Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            result = await self._application.read(str(asked.uri))
        except MemoryCoreError as fault:
            raise _as_rpc(fault) from fault
        return types.ReadResourceResult.model_validate(result)

    async def list_prompts(self, _: _Context, __: _Page) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate({"prompts": [prompt_listing()]})

    async def get_prompt(
        self, _: _Context, asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            return types.GetPromptResult.model_validate(prompt_messages(asked.name))
        except MemoryCoreError as fault:
            raise _as_rpc(fault) from fault


def _as_rpc(fault: MemoryCoreError) -> MCPError:
    wrong = isinstance(fault, InvalidInputError)
    code = types.INVALID_PARAMS if wrong else types.INTERNAL_ERROR
    return MCPError(code=code, message=str(fault))


def bind(application: Application, *, version: str) -> Server[Any]:
    """Return a server of the second major that offers `application`."""
    handlers = _Handlers(application)
    return Server(
        SERVER_NAME,
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )
