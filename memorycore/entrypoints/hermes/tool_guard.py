"""The host's general plugin hooks: room is made before its own `memory` tool would refuse a write.

They see the writes of the background review too, which no provider hook does.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memorycore.entrypoints.hermes.fencing import carries_fence
from memorycore.entrypoints.hermes.home import Home, Homes, shared_homes
from memorycore.entrypoints.hermes.host_writes import host_write

TOOL = "memory"
"""The host's own tool."""

_RECALLED = (
    "This text was recalled from long-term memory just now and is stored already. Nothing to save."
)


class ToolGuard:
    """Prepares each call of the host's tool; a fault is counted and lets the call go on as it would."""

    def __init__(
        self,
        *,
        homes: Homes | None = None,
        current_home: Callable[[], Path | None] = lambda: None,
    ) -> None:
        self._homes = homes or shared_homes()
        self._current_home = current_home

    def pre_tool_call(
        self, tool_name: str = "", args: object = None, session_id: str = "", **_: Any
    ) -> dict[str, str] | None:
        """Make room; stop the call, with a message for the model, only when the fact is kept already."""
        if tool_name != TOOL or not isinstance(args, Mapping):
            return None
        home = self._home(session_id)
        if home is None:
            return None
        try:
            message = _prepare(home, args)
        except Exception as fault:  # noqa: BLE001 - the plugin's hook wrapper
            home.ledger.fault("pre_tool_call", fault)
            return None
        return {"action": "block", "message": message} if message else None

    def post_tool_call(self, tool_name: str = "", session_id: str = "", **_: Any) -> None:
        """Notice at once what the call changed, also where no provider hook fires."""
        if tool_name != TOOL:
            return
        home = self._home(session_id)
        if home is None:
            return
        try:
            home.host_wrote()
            home.catch_up()
        except Exception as fault:  # noqa: BLE001 - the plugin's hook wrapper
            home.ledger.fault("post_tool_call", fault)

    def _home(self, session_id: str) -> Home | None:
        return self._homes.of_session(session_id, self._current_home())


def _prepare(home: Home, args: Mapping[str, Any]) -> str | None:
    write = host_write(args)
    governance = home.governance
    if write is None or governance is None:
        return None
    if any(carries_fence(operation.content) for operation in write.operations):
        return _RECALLED
    home.turn()
    home.host_writes()
    return governance.prepare(write)
