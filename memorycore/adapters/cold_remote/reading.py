"""Answers of the five tools as values, in the contract's own form and in the forms older services have."""

import logging
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memorycore.errors import (
    ColdTierError,
    ColdUnavailableError,
    ContractError,
    InvalidInputError,
    UnknownMemoryError,
)
from memorycore.model.contract import CONTRACT_MAJOR, Answer, Fault
from memorycore.model.results import ColdUsage, Hit, RecallResult
from memorycore.ports import Draft, Outcome, Remembered

log = logging.getLogger(__name__)

STATUS: Mapping[str, Outcome] = {
    **{outcome.value: outcome for outcome in Outcome},
    "ok": Outcome.STORED,
    "success": Outcome.STORED,
    "saved": Outcome.STORED,
    "created": Outcome.STORED,
    "remembered": Outcome.STORED,
    "exists": Outcome.DUPLICATE,
    "updated": Outcome.MERGED,
    "accepted": Outcome.QUEUED,
    "pending": Outcome.QUEUED,
}
"""Words by which services say what became of a text."""

NOT_FOUND = frozenset({"not_found", "not found", "unknown", "missing", Fault.UNKNOWN_MEMORY.value})
TEMPORARY = frozenset({Fault.UNAVAILABLE.value, "cold_unavailable", "cold_busy", "cold_conflict"})
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
"""When a memory was told whose service does not say."""


def checked(answer: Answer, *, tool: str) -> Mapping[str, Any]:
    """Return the object that a tool answered.

    Raises:
        UnknownMemoryError: The service knows no such memory.
        InvalidInputError: It cannot use the arguments.
        ColdUnavailableError: It cannot do it now.
        ColdTierError: It refused for another reason.
        ContractError: The answer is no object.
    """
    error = answer.fields.get("error")
    if answer.is_error or error:
        raise _refused(error, answer, tool)
    if not isinstance(answer.value, Mapping):
        message = f"{tool} answered with {type(answer.value).__name__} instead of an object"
        raise ContractError(message)
    return answer.value


def _refused(error: object, answer: Answer, tool: str) -> Exception:
    told = error if isinstance(error, Mapping) else answer.fields
    code = str(told.get("code") or told.get("status") or "").casefold()
    message = told.get("message") or (error if isinstance(error, str) else "") or answer.text
    said = f"the remote refused {tool}: {' '.join(str(message).split())[:300]}"
    if code in NOT_FOUND:
        return UnknownMemoryError(said)
    if code == Fault.INVALID_INPUT:
        return InvalidInputError(said)
    if code in TEMPORARY or told.get("retryable") is True:
        return ColdUnavailableError(said)
    return ColdTierError(said)


def read_remembered(answer: Answer, draft: Draft) -> Remembered:
    """Return what became of a text.

    Raises:
        ContractError: The service does not say under which id it is, or not what it did.
    """
    fields = checked(answer, tool="remember")
    word = str(fields.get("status", fields.get("outcome", "ok"))).casefold()
    outcome = STATUS.get(word)
    if outcome is None or fields.get("stored") is False:
        message = f"remember answered with the status {word!r}, which says nothing about storing"
        raise ContractError(message)
    if fields.get("duplicate") is True and outcome is Outcome.STORED:
        outcome = Outcome.DUPLICATE
    memory_id = read_id(fields) or ("" if outcome is Outcome.QUEUED else None)
    if memory_id is None:
        message = f"remember answered {word!r} without an id"
        raise ContractError(message)
    content = fields.get("content")
    related = fields.get("related_id")
    return Remembered(
        outcome,
        memory_id,
        content if isinstance(content, str) else draft.content,
        str(fields.get("reason") or f"the remote says: {word}"),
        related_id=None if related is None else str(related),
    )


def read_updated(answer: Answer, memory_id: str, content: str) -> Remembered:
    """Return what an update did.

    Raises:
        UnknownMemoryError: The service knows no such memory.
    """
    fields = checked(answer, tool="update")
    status = str(fields.get("status", "")).casefold()
    if status in NOT_FOUND or fields.get("updated") is False:
        message = f"the remote has no live memory {memory_id}"
        raise UnknownMemoryError(message)
    held = fields.get("content")
    text = held if isinstance(held, str) else content
    reason = str(fields.get("reason") or "updated by the remote")
    return Remembered(Outcome.MERGED, read_id(fields) or memory_id, text, reason)


def read_forgotten(answer: Answer) -> bool:
    """Return whether there was something to forget."""
    try:
        fields = checked(answer, tool="forget")
    except UnknownMemoryError:
        return False
    for name in ("forgotten", "deleted"):
        if name in fields:
            return bool(fields[name])
    return str(fields.get("status", "")).casefold() in {"forgotten", "deleted", "ok", "success"}


def read_recalled(answer: Answer, query: str) -> RecallResult:
    """Return the hits of a recall, best first; rows that cannot be used are left out with a warning.

    Raises:
        ContractError: The answer is no list of hits.
    """
    rows, fields = _rows(answer)
    hits = [hit for row in rows if (hit := read_hit(row)) is not None]
    if len(hits) < len(rows):
        log.warning("remote.rows_skipped malformed=%d of=%d", len(rows) - len(hits), len(rows))
    hits.sort(key=lambda hit: -hit.score)
    degraded = fields.get("degraded")
    return RecallResult(query, tuple(hits), not hits, str(degraded) if degraded else None)


def _rows(answer: Answer) -> tuple[Sequence[Any], Mapping[str, Any]]:
    if isinstance(answer.value, list) and not answer.is_error:
        return answer.value, {}
    fields = checked(answer, tool="recall")
    for name in ("hits", "results", "memories"):
        if isinstance(fields.get(name), list):
            return fields[name], fields
    if fields.get("id") is not None:
        return [fields], {}
    raise ContractError("recall answered without a list of hits")


def read_hit(row: object) -> Hit | None:
    """Return one hit, None when the row has no id, no text or no score."""
    if not isinstance(row, Mapping):
        return None
    memory_id = read_id(row)
    content = next((row[name] for name in ("content", "text", "memory") if name in row), None)
    dense = _number(row.get("dense_score"))
    score = _number(row.get("score"))
    score = dense if score is None else score
    if memory_id is None or not isinstance(content, str) or score is None:
        return None
    why = row.get("why")
    return Hit(
        id=memory_id,
        content=content,
        score=min(1.0, max(0.0, score)),
        dense_score=dense,
        keyword_score=_number(row.get("keyword_score")),
        importance=min(1.0, max(0.0, _number(row.get("importance")) or 0.0)),
        created_at=read_moment(row.get("created_at")) or LONG_AGO,
        last_recalled=read_moment(row.get("last_recalled")),
        revived=row.get("revived") is True,
        why=tuple(str(one) for one in why) if isinstance(why, list) else (),
    )


def read_id(fields: Mapping[str, Any]) -> str | None:
    """Return the id as text, whether the service counts or names its memories."""
    for name in ("id", "memory_id"):
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def counted_ids(answer: Answer) -> dict[str, int]:
    """Return the ids in an answer that the service counts, by the text they are known by here."""
    rows = [answer.fields, *(answer.value if isinstance(answer.value, list) else ())]
    for name in ("hits", "results", "memories"):
        found = answer.fields.get(name)
        rows.extend(found if isinstance(found, list) else ())
    values = [row.get("id", row.get("memory_id")) for row in rows if isinstance(row, Mapping)]
    return {
        str(value): value
        for value in values
        if isinstance(value, int) and not isinstance(value, bool)
    }


def read_moment(value: object) -> datetime | None:
    """Return an ISO 8601 text or Unix seconds as an aware moment, None when it is neither."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        number = _number(value)
        return None if number is None else datetime.fromtimestamp(number, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def read_usage(answer: Answer, *, backend: str) -> ColdUsage:
    """Return the counts of the remote.

    Raises:
        ContractError: It speaks another major of the contract.
    """
    fields = checked(answer, tool="stats")
    check_version(fields)
    live = next((fields[name] for name in ("live", "count", "total") if name in fields), 0)
    degraded = fields.get("degraded")
    embedder = fields.get("embedder")
    return ColdUsage(
        backend=f"{backend} ({fields['backend']})" if fields.get("backend") else backend,
        live=_count(live),
        trashed=_count(fields.get("trashed")),
        pending_vectors=_count(fields.get("pending_vectors")),
        queued=0,
        bytes=_count(fields.get("bytes")),
        soft_limit=_count(fields.get("soft_limit")),
        hard_limit=_count(fields.get("hard_limit")),
        embedder=str(embedder) if embedder else None,
        degraded=str(degraded) if degraded else None,
    )


def check_version(fields: Mapping[str, Any]) -> None:
    """Refuse a service of another major; one without a version speaks the plain five-tool form.

    Raises:
        ContractError: The major is another one.
    """
    version = str(fields.get("contract_version") or CONTRACT_MAJOR)
    if version.partition(".")[0] != str(CONTRACT_MAJOR):
        message = f"the remote speaks contract {version}, this release speaks {CONTRACT_MAJOR}.x"
        raise ContractError(message)


def _count(value: object) -> int:
    number = _number(value)
    return max(0, int(number)) if number is not None else 0
