"""The application on `mcp` 1 (1.26 and later): handlers stand in a table of request types.

The types of that major are not those the project is checked against, hence `Any`.
"""

import importlib
from typing import Any

from memorycore.entrypoints.mcp_server.application import INSTRUCTIONS, SERVER_NAME, Application
from memorycore.entrypoints.mcp_server.reading import prompt_listing, prompt_messages
from memorycore.errors import InvalidInputError, MemoryCoreError


class _Handlers:
    """One method a request; each returns the union type the first major wants."""

    def __init__(self, application: Application, server: Any, types: Any) -> None:
        self._application = application
        self._server = server
        self._types = types

    async def list_tools(self, _: Any) -> Any:
        return self._result("ListToolsResult", self._application.list_tools())

    async def call_tool(self, asked: Any) -> Any:
        given = asked.params.arguments or {}
        result = await self._application.call(asked.params.name, given, self._report())
        return self._result("CallToolResult", result)

    async def list_resources(self, _: Any) -> Any:
        return self._result("ListResourcesResult", self._application.list_resources())

    async def read_resource(self, asked: Any) -> Any:
        try:
            result = await self._application.read(str(asked.params.uri))
        except MemoryCoreError as fault:
            raise self._as_rpc(fault) from fault
        return self._result("ReadResourceResult", result)

    async def list_prompts(self, _: Any) -> Any:
        return self._result("ListPromptsResult", {"prompts": [prompt_listing()]})

    async def get_prompt(self, asked: Any) -> Any:
        try:
            return self._result("GetPromptResult", prompt_messages(asked.params.name))
        except MemoryCoreError as fault:
            raise self._as_rpc(fault) from fault

    def _report(self) -> Any:
        context = self._server.request_context
        token = context.meta.progressToken if context.meta else None

        async def report(done: float, total: float | None, text: str | None) -> None:
            if token is not None:
                await context.session.send_progress_notification(
                    token, done, total, text, related_request_id=str(context.request_id)
                )

        return report

    def _result(self, name: str, fields: dict[str, Any]) -> Any:
        return self._types.ServerResult(getattr(self._types, name).model_validate(fields))

    def _as_rpc(self, fault: MemoryCoreError) -> Exception:
        wrong = isinstance(fault, InvalidInputError)
        code = self._types.INVALID_PARAMS if wrong else self._types.INTERNAL_ERROR
        exceptions: Any = importlib.import_module("mcp.shared.exceptions")
        error: Exception = exceptions.McpError(self._types.ErrorData(code=code, message=str(fault)))
        return error


def bind(application: Application, *, version: str) -> Any:
    """Return a server of the first major that offers `application`."""
    types: Any = importlib.import_module("mcp.types")
    lowlevel: Any = importlib.import_module("mcp.server.lowlevel")
    server = lowlevel.Server(SERVER_NAME, version=version, instructions=INSTRUCTIONS)
    handlers = _Handlers(application, server, types)
    server.request_handlers.update(
        {
            types.ListToolsRequest: handlers.list_tools,
            types.CallToolRequest: handlers.call_tool,
            types.ListResourcesRequest: handlers.list_resources,
            types.ReadResourceRequest: handlers.read_resource,
            types.ListPromptsRequest: handlers.list_prompts,
            types.GetPromptRequest: handlers.get_prompt,
        }
    )
    return server
