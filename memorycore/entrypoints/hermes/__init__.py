"""The Hermes Agent plugin: a memory provider and the hooks beside it, testable without the host."""

from memorycore.entrypoints.hermes.host_config import PLUGIN
from memorycore.entrypoints.hermes.provider import HermesMemory
from memorycore.entrypoints.hermes.status import plugin_check, status_of
from memorycore.entrypoints.hermes.tool_guard import ToolGuard

__all__ = ["PLUGIN", "HermesMemory", "ToolGuard", "plugin_check", "status_of"]
