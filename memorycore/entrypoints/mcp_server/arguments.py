"""Arguments of tool calls: declared once, described by a simple schema, read leniently.

Models and hosts send `null`, `"null"`, `"[]"`, `["text"]` or `"5"` where a plain value or nothing was meant.
What can be understood without guessing is; everything else is refused in words that say what to send.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, assert_never

from memorycore.errors import InvalidInputError

_NOTHING = frozenset({"null", "none", "undefined", "[]", "{}"})
_YES = frozenset({"true", "yes", "1", "on"})
_NO = frozenset({"false", "no", "0", "off"})


class Kind(StrEnum):
    """What a parameter holds. `PROSE` is free text kept as it stands, `NAME` a short identifier."""

    PROSE = "prose"
    NAME = "name"
    NUMBER = "number"
    INTEGER = "integer"
    FLAG = "flag"
    CHOICE = "choice"
    MOMENT = "moment"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool; `default` None means: leave it out of the call."""

    name: str
    kind: Kind
    description: str
    required: bool = False
    default: object = None
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema: one simple type, never null."""
        types = {Kind.NUMBER: "number", Kind.INTEGER: "integer", Kind.FLAG: "boolean"}
        schema: dict[str, Any] = {"type": types.get(self.kind, "string")}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.low is not None:
            schema["minimum"] = self.low
        if self.high is not None:
            schema["maximum"] = self.high
        if self.default is not None:
            schema["default"] = self.default
        schema["description"] = self.description
        return schema


def input_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON schema of a tool that takes `parameters`."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
    }
    required = [parameter.name for parameter in parameters if parameter.required]
    if required:
        schema["required"] = required
    return schema | {"additionalProperties": False}


def read_arguments(parameters: Sequence[Parameter], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of `parameters` in `sent`, defaults filled in, absent ones left out.

    Raises:
        InvalidInputError: A key is unknown or missing, or a value cannot be understood.
    """
    known = {parameter.name for parameter in parameters}
    unknown = sorted(set(sent) - known)
    if unknown:
        takes = ", ".join(parameter.name for parameter in parameters) or "no arguments"
        message = f"Unknown argument {', '.join(map(repr, unknown))}; this tool takes {takes}."
        raise InvalidInputError(message)
    values: dict[str, Any] = {}
    for parameter in parameters:
        value = _read(parameter, sent.get(parameter.name))
        if value is not None:
            values[parameter.name] = value
        elif parameter.required:
            message = f"Argument {parameter.name!r} is required: {parameter.description}"
            raise InvalidInputError(message)
        elif parameter.default is not None:
            values[parameter.name] = parameter.default
    return values


def _read(parameter: Parameter, value: object) -> object:
    value = _unwrap(parameter, value)
    if value is None:
        return None
    match parameter.kind:
        case Kind.PROSE | Kind.NAME:
            return _text(parameter, value)
        case Kind.NUMBER | Kind.INTEGER:
            return _number(parameter, value)
        case Kind.FLAG:
            return _flag(parameter, value)
        case Kind.CHOICE:
            return _choice(parameter, value)
        case Kind.MOMENT:
            return _moment(parameter, value)
    assert_never(parameter.kind)


def _unwrap(parameter: Parameter, value: object) -> object:
    """Take the value out of a one-element list, also one sent as JSON text; None when nothing was meant."""
    if isinstance(value, str) and parameter.kind is not Kind.PROSE:
        value = _unquote(value.strip())
    if isinstance(value, list | dict) and not value:
        return None
    if isinstance(value, list) and len(value) == 1:
        return _unwrap(parameter, value[0])
    if isinstance(value, str) and value.strip().casefold() in _NOTHING:
        return None
    if value == "" and parameter.kind is not Kind.PROSE:
        return None
    return value


def _unquote(text: str) -> object:
    if not (text.startswith(("[", '"')) and text.endswith(("]", '"'))):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(parameter: Parameter, value: object) -> str:
    match value:
        case str():
            return value
        case bool():
            raise _wrong(parameter, "text", value)
        case int() | float():
            return str(value)
        case _:
            raise _wrong(parameter, "text", value)


def _number(parameter: Parameter, value: object) -> float | int:
    whole = parameter.kind is Kind.INTEGER
    wanted = "a whole number" if whole else "a number"
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _wrong(parameter, wanted, value)
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise _wrong(parameter, wanted, value) from None
    if not math.isfinite(number) or (whole and not number.is_integer()):
        raise _wrong(parameter, wanted, value)
    low, high = parameter.low, parameter.high
    if (low is not None and number < low) or (high is not None and number > high):
        message = f"Argument {parameter.name!r} must lie between {low} and {high}."
        raise InvalidInputError(message)
    return int(number) if whole else number


def _flag(parameter: Parameter, value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise _wrong(parameter, "true or false", value)


def _choice(parameter: Parameter, value: object) -> str:
    word = str(value).strip().casefold()
    if word in parameter.choices:
        return word
    raise _wrong(parameter, "one of " + ", ".join(parameter.choices), value)


def _moment(parameter: Parameter, value: object) -> datetime:
    wanted = "a moment in ISO 8601, such as 2026-05-01T12:00:00Z"
    if not isinstance(value, str):
        raise _wrong(parameter, wanted, value)
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        raise _wrong(parameter, wanted, value) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _wrong(parameter: Parameter, wanted: str, value: object) -> InvalidInputError:
    kind = type(value).__name__
    return InvalidInputError(
        f"Argument {parameter.name!r} must be {wanted}; got a value of type {kind}."
    )
