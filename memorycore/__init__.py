"""Memory governance beside an LLM agent: a small hot file, a searchable cold store, nothing lost in between."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memorycore.bootstrap import open_core
    from memorycore.errors import MemoryCoreError
    from memorycore.service.core import MemoryCore
    from memorycore.settings import Settings

_HOMES = {
    "MemoryCore": "memorycore.service.core",
    "MemoryCoreError": "memorycore.errors",
    "Settings": "memorycore.settings",
    "open_core": "memorycore.bootstrap",
}

__all__ = ["MemoryCore", "MemoryCoreError", "Settings", "open_core"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `memorycore --help` and the MCP handshake need none of them."""
    home = _HOMES.get(name)
    if home is None:
        message = f"module 'memorycore' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(home), name)
