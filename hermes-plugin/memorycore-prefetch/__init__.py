"""MemoryCore for Hermes Agent: a MemoryProvider, and hooks that make room before the host's own tool writes.

Only glue: the logic lives in the `memorycore` package, which must be installed in the host's environment.
When it is not, a provider that says so stands in, so that `hermes memory status` shows the reason.
"""

from pathlib import Path
from typing import Any

from agent.memory_provider import MemoryProvider

try:
    from memorycore.entrypoints.hermes import HermesMemory, ToolGuard
except ImportError as missing:
    _REASON = f"{type(missing).__name__}: {missing}"
else:
    _REASON = ""

_NAME = "memorycore-prefetch"


def _current_home() -> Path | None:
    try:
        from hermes_constants import get_hermes_home
    except ImportError:
        return None
    return Path(get_hermes_home())


def _save_config(config: dict[str, Any]) -> None:
    from hermes_cli.config import save_config

    save_config(config)
    print(f"\n  {_NAME} is the memory provider and its hooks are enabled.")
    print("  It starts with the next session. See: hermes memory status\n")


if _REASON:

    class MemoryCoreProvider(MemoryProvider):
        """Stands in when the package cannot be imported; does nothing but tell why."""

        name = _NAME

        def is_available(self) -> bool:
            """Keep the host from activating it."""
            return False

        def unavailable_reason(self) -> str:
            """Say why, for hosts that ask."""
            return _REASON

        def initialize(self, session_id: str, **kwargs: Any) -> None:
            """Do nothing."""

        def get_tool_schemas(self) -> list[dict[str, Any]]:
            """Offer no tools."""
            return []

        def get_status_config(self, _provider_config: object = None) -> dict[str, Any]:
            """Return what `hermes memory status` shows."""
            return {
                "not available": _REASON,
                "remedy": "install memorycore into the environment Hermes runs in",
            }

else:

    class MemoryCoreProvider(HermesMemory, MemoryProvider):  # type: ignore[no-redef]
        """The provider of the package under the host's base class."""

        def __init__(self) -> None:
            super().__init__(current_home=_current_home, save_config=_save_config)


def register(ctx: Any) -> None:
    """Register the provider with the memory loader and the hooks with the general plugin loader."""
    if hasattr(ctx, "register_memory_provider"):
        ctx.register_memory_provider(MemoryCoreProvider())
    if not _REASON and hasattr(ctx, "register_hook"):
        guard = ToolGuard(current_home=_current_home)
        ctx.register_hook("pre_tool_call", guard.pre_tool_call)
        ctx.register_hook("post_tool_call", guard.post_tool_call)
