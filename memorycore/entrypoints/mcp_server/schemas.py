"""Output schemas, derived from the result types so that they cannot drift from them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_PLAIN: Mapping[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of what `to_dict()` makes of a value of type `kind`."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return _union(arguments)
    if origin in {tuple, list}:
        return {"type": "array", "items": schema_of(arguments[0])}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    if isinstance(kind, type):
        return _class(kind)
    return {}


def _union(members: tuple[Any, ...]) -> dict[str, Any]:
    options = [schema_of(member) for member in members if member is not NoneType]
    if NoneType not in members:
        return {"anyOf": options}
    if len(options) == 1 and isinstance(options[0].get("type"), str) and "enum" not in options[0]:
        return options[0] | {"type": [options[0]["type"], "null"]}
    return {"anyOf": [*options, {"type": "null"}]}


def _class(kind: type) -> dict[str, Any]:
    if is_dataclass(kind):
        return object_schema(record_fields(kind))
    if issubclass(kind, Enum):
        return {"type": "string", "enum": [member.value for member in kind]}
    if issubclass(kind, datetime):
        return {"type": "string", "format": "date-time"}
    return {"type": _PLAIN[kind]} if kind in _PLAIN else {}


def record_fields(kind: type) -> dict[str, dict[str, Any]]:
    """Return the schema of every field of a record."""
    hints = get_type_hints(kind)
    return {field.name: schema_of(hints[field.name]) for field in fields(kind)}


def object_schema(properties: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of an object that has exactly `properties`, all of them present."""
    return {"type": "object", "properties": dict(properties), "required": list(properties)}
