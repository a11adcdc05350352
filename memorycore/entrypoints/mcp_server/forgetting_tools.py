"""The tools that correct, forget, bring back and tell the history."""

from typing import TYPE_CHECKING, Any

from memorycore.entrypoints.mcp_server.arguments import Kind, Parameter
from memorycore.entrypoints.mcp_server.schemas import object_schema
from memorycore.entrypoints.mcp_server.tool import Arguments, Effect, Progress, Tool
from memorycore.entrypoints.views import events_view, memory_view, trashed_view
from memorycore.errors import InvalidInputError

if TYPE_CHECKING:
    from memorycore.service.core import MemoryCore

_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}
_FLAG = {"type": "boolean"}
_MEMORY = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "content": _TEXT,
        "importance": {"type": "number"},
        "created_at": _TEXT,
        "scope": _TEXT,
    },
    "required": ["id", "content"],
}
_MEMORIES = {"type": "array", "items": _MEMORY}
_LISTED = 50


def _supersede(core: "MemoryCore", given: Arguments, _: Progress) -> dict[str, Any]:
    result = core.supersede(given["old"], given["new_content"])
    return {
        "memory_id": result.memory_id,
        "content": result.content,
        "superseded": [memory_view(memory) for memory in result.superseded],
        "reason": result.reason,
    }


def _forget(core: "MemoryCore", given: Arguments, _: Progress) -> dict[str, Any]:
    dry_run = given["dry_run"]
    if given["mode"] == "purge":
        purged = core.purge(given["what"], dry_run=dry_run)
        shown, count = purged.preview, purged.purged
        reason, capped = purged.reason, purged.capped
    else:
        released = core.release(given["what"], dry_run=dry_run)
        shown, count = released.released, 0 if dry_run else len(released.released)
        reason, capped = released.reason, released.capped
    return {
        "mode": given["mode"],
        "dry_run": dry_run,
        "forgotten": count,
        "memories": [memory_view(memory) for memory in shown],
        "reason": reason,
        "capped": capped,
    }


def _trash(core: "MemoryCore", given: Arguments, _: Progress) -> dict[str, Any]:
    if given["action"] == "list":
        trashed = core.trash()
        return {
            "total": len(trashed),
            "memories": [trashed_view(memory) for memory in trashed[:_LISTED]],
        }
    if "memory_id" not in given:
        message = "Argument 'memory_id' is required to revive; action=list shows the ids."
        raise InvalidInputError(message)
    result = core.revive(given["memory_id"])
    revived = [memory_view(result.memory)] if result.memory else []
    return {"total": len(revived), "memories": revived, "reason": result.reason}


def _history(core: "MemoryCore", given: Arguments, _: Progress) -> dict[str, Any]:
    events = events_view(core.history(given["memory_id"]))
    return {"memory_id": given["memory_id"], "events": events}


SUPERSEDE = Tool(
    name="memorycore_supersede",
    title="Replace a memory",
    description=(
        "Correct a stored memory: the old text leaves recall (kept in history and the trash) and the "
        "new one takes its place, near copies included. Use it when the user says that something "
        "stored is no longer true."
    ),
    parameters=(
        Parameter(
            "old", Kind.PROSE, "Id of the memory, or words that only it answers to.", required=True
        ),
        Parameter(
            "new_content", Kind.PROSE, "What is true now, complete in itself.", required=True
        ),
    ),
    output=object_schema(
        {"memory_id": _TEXT, "content": _TEXT, "superseded": _MEMORIES, "reason": _TEXT}
    ),
    effect=Effect(destroys=True),
    call=_supersede,
)

FORGET = Tool(
    name="memorycore_forget",
    title="Forget memories",
    description=(
        "Forget on the user's request. mode=release moves memories to the trash (30 days); "
        "mode=purge erases them for good. Previews unless dry_run=false: show the user the preview "
        "first, then call again with an id from it."
    ),
    parameters=(
        Parameter(
            "what", Kind.PROSE, "A memory's id, or what the memories are about.", required=True
        ),
        Parameter(
            "mode",
            Kind.CHOICE,
            "release can be undone, purge cannot.",
            default="release",
            choices=("release", "purge"),
        ),
        Parameter("dry_run", Kind.FLAG, "Only show what would go.", default=True),
    ),
    output=object_schema(
        {
            "mode": _TEXT,
            "dry_run": _FLAG,
            "forgotten": _COUNT,
            "memories": _MEMORIES,
            "reason": _TEXT,
            "capped": _FLAG,
        }
    ),
    effect=Effect(destroys=True),
    call=_forget,
)

TRASH = Tool(
    name="memorycore_trash",
    title="Trash: list or revive",
    description=(
        "action=list shows what left the store in the last 30 days and why; action=revive brings "
        "one memory back by its id."
    ),
    parameters=(
        Parameter(
            "action", Kind.CHOICE, "list or revive.", default="list", choices=("list", "revive")
        ),
        Parameter("memory_id", Kind.NAME, "Id of the memory to revive."),
    ),
    output={
        "type": "object",
        "properties": {"total": _COUNT, "memories": _MEMORIES, "reason": _TEXT},
        "required": ["total", "memories"],
    },
    effect=Effect(idempotent=True),
    call=_trash,
)

HISTORY = Tool(
    name="memorycore_history",
    title="History of a memory",
    description="Who changed one memory, when, with which tool and why, oldest first.",
    parameters=(Parameter("memory_id", Kind.NAME, "Id of the memory.", required=True),),
    output=object_schema(
        {
            "memory_id": _TEXT,
            "events": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "at": _TEXT,
                        "kind": _TEXT,
                        "actor": _TEXT,
                        "tool": _TEXT,
                        "reason": _TEXT,
                        "related_id": {"type": ["string", "null"]},
                    },
                    "required": ["at", "kind", "reason"],
                },
            },
        }
    ),
    effect=Effect(reads_only=True, idempotent=True),
    call=_history,
)
