"""Results as plain JSON values, the same for the command line, MCP and HTTP."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from memorycore.model.memory import Event, Memory, TrashedMemory
from memorycore.model.plan import Action, Merge, Plan
from memorycore.model.record import plain
from memorycore.model.results import AuditReport, OverflowReport

SNIPPET = 120
"""Characters of an entry that are enough to know it by."""


def snippet(text: str, width: int = SNIPPET) -> str:
    """Return `text` on one line, cut to `width` characters with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def action_name(action: Action) -> str:
    """Return what the action does in one word, such as `demote` or `drop_redundant`."""
    name = type(action).__name__
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip(
        "_"
    )


def action_keys(action: Action) -> tuple[str, ...]:
    """Return the keys of the entries the action concerns."""
    return action.keys if isinstance(action, Merge) else (action.key,)


def action_view(action: Action, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return an action with the texts of its entries; `texts` maps entry keys to texts."""
    detail = {
        name: value
        for name, value in action.to_dict().items()
        if name not in {"key", "keys", "signals", "reason"} and value is not None
    }
    return {
        "action": action_name(action),
        "entries": [snippet(texts.get(key, key)) for key in action_keys(action)],
        "reason": action.reason,
        "signals": plain(action.signals),
        **({"detail": detail} if detail else {}),
    }


def plan_view(plan: Plan, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return a plan that was not carried out."""
    return {
        "target": plan.target.value,
        "characters_before": plan.characters_before,
        "characters_after": plan.characters_after,
        "limit": plan.limit,
        "actions": [action_view(action, texts) for action in plan.actions],
        "note": plan.note,
    }


def overflow_view(report: OverflowReport, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return what an overflow did."""
    return {
        "target": report.target.value,
        "characters_before": report.characters_before,
        "characters_after": report.characters_after,
        "limit": report.limit,
        "actions": [action_view(action, texts) for action in report.actions],
        "note": report.note,
        "moved": report.moved,
        "rounds": report.rounds,
        "failed": list(report.failed),
    }


def texts_of(audit: AuditReport) -> dict[str, str]:
    """Return the text of every hot entry by key."""
    return {entry.key: entry.text for entry in audit.entries}


def memory_view(memory: Memory) -> dict[str, Any]:
    """Return what a reader needs of a memory."""
    return {
        "id": memory.id,
        "content": memory.content,
        "importance": memory.importance,
        "created_at": plain(memory.created_at),
        "scope": memory.scope,
    }


def trashed_view(trashed: TrashedMemory) -> dict[str, Any]:
    """Return a memory of the trash, why it is there and until when."""
    return {
        **memory_view(trashed.memory),
        "reason": trashed.reason.value,
        "note": trashed.note,
        "trashed_at": plain(trashed.trashed_at),
        "expires_at": plain(trashed.expires_at),
        "successor_id": trashed.successor_id,
    }


def events_view(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return history, oldest first."""
    return [
        {
            "at": plain(event.at),
            "kind": event.kind.value,
            "actor": event.provenance.actor,
            "tool": event.provenance.tool,
            "reason": event.provenance.reason,
            "related_id": event.related_id,
        }
        for event in sorted(events, key=_moment)
    ]


def _moment(event: Event) -> datetime:
    return event.at


def encodable(value: Any) -> Any:
    """Return `value` with every lone surrogate replaced, so that it can be sent as UTF-8."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case Mapping():
            return {encodable(key): encodable(item) for key, item in value.items()}
        case list() | tuple():
            return [encodable(item) for item in value]
        case _:
            return value
