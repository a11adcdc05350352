"""What every result can do: turn into plain JSON values."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from enum import Enum
from typing import Any


def plain(value: object) -> Any:
    """Return `value` as JSON values: enums by value, moments as ISO 8601, records as dictionaries."""
    match value:
        case Record():
            return value.to_dict()
        case Enum():
            return value.value
        case datetime():
            return value.isoformat()
        case Mapping():
            return {str(plain(key)): plain(item) for key, item in value.items()}
        case tuple() | list() | set() | frozenset():
            return [plain(item) for item in value]
        case _:
            return value


class Record:
    """Base of the frozen dataclasses that leave the package."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values, nested records included."""
        return {field.name: plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]
