"""What a tool is: a name, a description for a model that must choose, schemas, and one call of the core."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memorycore.entrypoints.mcp_server.arguments import Parameter, input_schema, read_arguments

if TYPE_CHECKING:
    from memorycore.service.core import MemoryCore

Progress = Callable[[str, int, int], None]
"""Told the stage and how many of how many steps (0: unknown) are done, from the thread that does them."""

Arguments = Mapping[str, Any]
"""Arguments that `read_arguments` has checked."""

Call = Callable[["MemoryCore", Arguments, Progress], dict[str, Any]]
"""Carries a tool out and returns the structured result."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a tool may do to the memory, as hosts ask before they call it."""

    reads_only: bool = False
    destroys: bool = False
    idempotent: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the server."""

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    output: Mapping[str, Any]
    effect: Effect
    call: Call

    def listing(self) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input_schema(self.parameters),
            "outputSchema": dict(self.output),
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.effect.reads_only,
                "destructiveHint": self.effect.destroys,
                "idempotentHint": self.effect.idempotent,
                "openWorldHint": False,
            },
        }

    def read(self, sent: Mapping[str, Any]) -> Arguments:
        """Check the arguments that were sent.

        Raises:
            InvalidInputError: They cannot be used.
        """
        return read_arguments(self.parameters, sent)
