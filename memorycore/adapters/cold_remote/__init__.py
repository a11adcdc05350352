"""A cold tier that is another service: five MCP tools over streamable HTTP."""

from memorycore.adapters.cold_remote.probe import probe_http
from memorycore.adapters.cold_remote.remote import RemoteCold
from memorycore.adapters.cold_remote.wire import Endpoint, McpWire

__all__ = ["Endpoint", "McpWire", "RemoteCold", "probe_http"]
