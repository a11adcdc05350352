"""What the tools of the contract answer: views of values, schemas, and the form of a refusal."""

from collections.abc import Mapping
from typing import Any

from memorycore.entrypoints.mcp_server.schemas import object_schema, record_fields, schema_of
from memorycore.errors import InvalidInputError, MemoryCoreError, UnknownMemoryError
from memorycore.model.contract import Fault
from memorycore.model.memory import Event, Memory
from memorycore.model.results import ColdUsage, RecallResult

_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_OPTIONAL: dict[str, Any] = {"type": ["string", "null"]}
_FIELDS = ("id", "content", "scope", "importance", "type", "protected", "source", "revision")
_MOMENTS = ("created_at", "updated_at", "confirmed_at", "last_recalled")


def memory_view(memory: Memory) -> dict[str, Any]:
    """Return a memory as the contract shows it; the author is the caller and is not repeated."""
    fields = memory.to_dict()
    return {name: fields[name] for name in (*_FIELDS, *_MOMENTS)}


def failure(fault: MemoryCoreError) -> dict[str, Any]:
    """Return the object that says why a call was refused."""
    if isinstance(fault, UnknownMemoryError):
        code = Fault.UNKNOWN_MEMORY.value
    elif isinstance(fault, InvalidInputError):
        code = Fault.INVALID_INPUT.value
    else:
        code = Fault.UNAVAILABLE.value if fault.retryable else fault.code
    return {"error": {"code": code, "message": str(fault), "retryable": fault.retryable}}


def _row_schema() -> dict[str, Any]:
    known = record_fields(Memory)
    return object_schema({name: known[name] for name in (*_FIELDS, *_MOMENTS)})


def _counts_schema() -> dict[str, Any]:
    known: Mapping[str, Any] = record_fields(ColdUsage)
    counts = {name: schema for name, schema in known.items() if name != "queued"}
    return object_schema({"contract_version": _TEXT, "capabilities": _TEXTS, **counts})


_ROWS = {"type": "array", "items": _row_schema()}

DONE = object_schema(
    {"status": _TEXT, "id": _TEXT, "content": _TEXT, "reason": _TEXT, "related_id": _OPTIONAL}
)
FOUND = schema_of(RecallResult)
GONE = object_schema({"forgotten": {"type": "boolean"}, "id": _TEXT})
COUNTS = _counts_schema()
ROWS = object_schema({"memories": _ROWS})
PAGE = object_schema({"memories": _ROWS, "next": _OPTIONAL})
HISTORY = object_schema({"id": _TEXT, "events": {"type": "array", "items": schema_of(Event)}})
