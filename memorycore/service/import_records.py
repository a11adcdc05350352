"""One record of an import as a draft, or why it cannot be one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from memorycore.model.memory import GLOBAL_SCOPE, LOCAL_AUTHOR, Provenance
from memorycore.model.routing import EntryType, Target
from memorycore.policy.validation import objection
from memorycore.ports import Draft, Vector

IMPORTED = Provenance("import", "import", "a bulk import")


class UnusableRecordError(ValueError):
    """The record cannot be imported; the message says why."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A record in our terms; `hot` names the hot file it came from, `vector` its own vector, if it brought one."""

    draft: Draft
    hot: Target | None = None
    vector: Vector | None = None
    vector_model: str | None = None


def read_record(record: Mapping[str, object]) -> Imported:
    """Return the draft of a record with `content` and optional fields; unknown fields are ignored.

    Raises:
        UnusableRecordError: A field cannot be used; the message names it.
    """
    content = record.get("content")
    refused = objection(content)
    if refused is not None or not isinstance(content, str):
        raise UnusableRecordError(refused or "the content must be text")
    draft = Draft(
        content=content,
        provenance=IMPORTED,
        author=_text(record, "author") or LOCAL_AUTHOR,
        scope=_text(record, "scope") or GLOBAL_SCOPE,
        importance=_share(record),
        type=_type(record),
        protected=record.get("protected") is True,
        source=_text(record, "source"),
        created_at=_moment(record),
    )
    hot = _target(record) if record.get("tier") == "hot" else None
    return Imported(draft, hot, _vector(record), _text(record, "vector_model"))


def _text(record: Mapping[str, object], name: str) -> str | None:
    value = record.get(name)
    if value is None or isinstance(value, str):
        return value
    raise UnusableRecordError(f"{name} must be text, not {type(value).__name__}")


def _share(record: Mapping[str, object]) -> float:
    value = record.get("importance", 0.5)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UnusableRecordError(f"importance must be a number from 0 to 1, not {value!r}")
    return float(value)


def _type(record: Mapping[str, object]) -> EntryType:
    value = record.get("type", EntryType.STATE)
    try:
        return EntryType(str(value))
    except ValueError as fault:
        raise UnusableRecordError(f"type must be rule or state, not {value!r}") from fault


def _target(record: Mapping[str, object]) -> Target:
    value = record.get("target", Target.MEMORY)
    try:
        return Target(str(value))
    except ValueError as fault:
        raise UnusableRecordError(f"target must be memory or user, not {value!r}") from fault


def _moment(record: Mapping[str, object]) -> datetime | None:
    value = record.get("created_at")
    if value is None:
        return None
    try:
        moment = _parsed(value)
    except (ValueError, OverflowError, OSError) as fault:
        raise UnusableRecordError(
            f"created_at must be ISO 8601 or seconds, not {value!r}"
        ) from fault
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _parsed(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC)
    return datetime.fromisoformat(str(value))


def _vector(record: Mapping[str, object]) -> Vector | None:
    value = record.get("vector")
    if value is None:
        return None
    try:
        vector = np.asarray(value, dtype=np.float32)
    except (TypeError, ValueError) as fault:
        raise UnusableRecordError("vector must be a list of numbers") from fault
    length = float(np.linalg.norm(vector)) if vector.ndim == 1 else 0.0
    if not np.isfinite(length) or length == 0.0:
        raise UnusableRecordError("vector must be a list of finite numbers, not all zero")
    unit: Vector = vector / np.float32(length)
    return unit
