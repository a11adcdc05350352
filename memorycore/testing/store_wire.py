"""Any `ColdStore`, governed by this process, as a service that can be checked without a network."""

from collections.abc import Mapping
from typing import Any

from memorycore.entrypoints.cold_server.tools import ContractTools
from memorycore.model.contract import Answer, Offer
from memorycore.policy.contract_answer import answer_of
from memorycore.policy.validation import objection
from memorycore.ports import ColdRepository, ColdStore
from memorycore.service.served_cold import ServedCold


class StoreWire:
    """Implements `Wire` by calling the tools of the contract in this process, as one author."""

    def __init__(self, tools: ContractTools, *, author: str = "") -> None:
        self._tools = tools
        self._author = author

    def offer(self) -> Offer:
        """Return the tools and their parameters."""
        return Offer({tool["name"]: _types(tool["inputSchema"]) for tool in self._tools.listing()})

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, budget: float | None = None
    ) -> Answer:
        """Call a tool; nothing is sent, so `budget` plays no part."""
        del budget
        result = self._tools.call(tool, arguments, author=self._author)
        texts = [block["text"] for block in result["content"]]
        return answer_of(result["structuredContent"], texts, is_error=result.get("isError", False))

    def close(self) -> None:
        """Do nothing."""


def wire_of(store: ColdStore, repository: ColdRepository, *, author: str = "") -> StoreWire:
    """Return a `Wire` to a store and the rows behind it, for `ColdStoreContract`."""
    served = ServedCold(store, repository, refuse=objection, after_write=_nothing)
    return StoreWire(ContractTools(served), author=author)


def _types(schema: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(one.get("type", "")) for name, one in schema["properties"].items()}


def _nothing() -> None:
    return
