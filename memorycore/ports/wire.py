"""A connection to a service that keeps the cold-store contract."""

from collections.abc import Mapping
from typing import Any, Protocol

from memorycore.model.contract import Answer, Offer


class Wire(Protocol):
    """Calls tools of a service."""

    def offer(self) -> Offer:
        """Return the tools and their parameters.

        Raises:
            ColdUnavailableError: The service does not answer.
        """
        ...

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, budget: float | None = None
    ) -> Answer:
        """Call a tool; a refusal by the tool is an answer too. `budget` is seconds in all, None the usual.

        Raises:
            ColdUnavailableError: The service does not answer in time or not at all.
            ContractError: It answers with something else than MCP.
        """
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
