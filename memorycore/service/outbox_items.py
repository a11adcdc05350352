"""What an outbox item holds for each operation: JSON on the way in, values on the way out."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memorycore.model.memory import Provenance, TrashReason
from memorycore.model.routing import EntryType
from memorycore.ports import Draft

REMEMBER = "remember"
UPDATE = "update"
FORGET = "forget"


def remember_payload(draft: Draft) -> dict[str, Any]:
    """Return a draft as JSON."""
    return draft.to_dict()


def update_payload(memory_id: str, content: str, provenance: Provenance) -> dict[str, Any]:
    """Return an update as JSON."""
    return {"id": memory_id, "content": content, "provenance": provenance.to_dict()}


def forget_payload(memory_id: str, reason: TrashReason, provenance: Provenance) -> dict[str, Any]:
    """Return a forget as JSON."""
    return {"id": memory_id, "reason": reason.value, "provenance": provenance.to_dict()}


def provenance_of(payload: Mapping[str, Any]) -> Provenance:
    """Return who asked for an operation."""
    return Provenance(**payload["provenance"])


def draft_of(payload: Mapping[str, Any]) -> Draft:
    """Return the draft of a `remember`."""
    told = payload.get("created_at")
    return Draft(
        payload["content"],
        provenance_of(payload),
        author=payload["author"],
        scope=payload["scope"],
        importance=payload["importance"],
        type=EntryType(payload["type"]),
        protected=payload["protected"],
        source=payload["source"],
        created_at=datetime.fromisoformat(told) if told else None,
    )
