"""The cold-store contract: names that both ends of the wire must agree on.

`examples/cold-store-contract.md` is the specification.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

CONTRACT_MAJOR = 1
"""Services and clients of one major understand each other."""

CONTRACT_VERSION = "1.0"
"""The version written down in the specification."""

VERBS = ("remember", "recall", "update", "forget", "stats")
"""The tools every service has."""

LONGEST_KEY = 200
"""Characters of an idempotency key."""


class Capability(StrEnum):
    """What a service may offer beyond the five tools, as `stats` declares it.

    `filters`: recall honours scope, about and as_of. `idempotency`: a write repeated with its key lands once.
    `get`, `scan`, `history`: tools of that name.
    """

    FILTERS = "filters"
    IDEMPOTENCY = "idempotency"
    GET = "get"
    SCAN = "scan"
    HISTORY = "history"


EXTRA_TOOLS = (Capability.GET, Capability.SCAN, Capability.HISTORY)
"""Capabilities that are tools of the same name."""


class Fault(StrEnum):
    """Codes of a refused call; a service may use further ones."""

    INVALID_INPUT = "invalid_input"
    UNKNOWN_MEMORY = "unknown_memory"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool call gave: `value` is the JSON value (None: none could be read), `text` the text as it came."""

    value: Any
    text: str = ""
    is_error: bool = False

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the value when it is an object, else nothing."""
        return self.value if isinstance(self.value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Offer:
    """What a service offers: for each tool its parameters, each with its JSON type ("" where none is named)."""

    parameters: Mapping[str, Mapping[str, str]]

    def takes(self, tool: str, parameter: str) -> bool:
        """Tell whether a tool names a parameter in its schema."""
        return parameter in self.parameters.get(tool, {})

    def type_of(self, tool: str, parameter: str) -> str:
        """Return the JSON type of a parameter, "" when the schema names none or several."""
        return self.parameters.get(tool, {}).get(parameter, "")
