"""The tools of the cold-store contract: arguments in, one JSON object out, whatever carries them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memorycore.entrypoints.cold_server import verbs
from memorycore.entrypoints.cold_server.results import (
    COUNTS,
    DONE,
    FOUND,
    GONE,
    HISTORY,
    PAGE,
    ROWS,
    failure,
)
from memorycore.entrypoints.cold_server.verbs import Given
from memorycore.entrypoints.mcp_server.arguments import (
    Kind,
    Parameter,
    input_schema,
    read_arguments,
)
from memorycore.entrypoints.views import encodable
from memorycore.errors import InvalidInputError, MemoryCoreError
from memorycore.model.memory import GLOBAL_SCOPE, TrashReason
from memorycore.policy.validation import objection
from memorycore.service.served_cold import ServedCold

MOST = 100
"""Most hits, ids or rows of one call."""

_KEY = Parameter(
    "idempotency_key",
    Kind.NAME,
    "A name for this request: repeated under it, it is answered again and not carried out again.",
)
_TOOL = Parameter("tool", Kind.NAME, "Which program asks; kept in the history.")
_REASON = Parameter("reason", Kind.NAME, "Why, in words; kept in the history.")
_ID = Parameter("id", Kind.NAME, "The memory's id, as remember or recall gave it.", required=True)
_CONTENT = Parameter("content", Kind.PROSE, "The text, kept as it is.", required=True)
_SIGNED = (_KEY, _TOOL, _REASON)


@dataclass(frozen=True, slots=True)
class ContractTool:
    """One tool of the contract."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    output: Mapping[str, Any]
    reads_only: bool
    call: Callable[[ServedCold, Given, str], dict[str, Any]]

    def listing(self) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": input_schema(self.parameters),
            "outputSchema": dict(self.output),
            "annotations": {
                "readOnlyHint": self.reads_only,
                "destructiveHint": self.name == "forget",
                "idempotentHint": True,
                "openWorldHint": False,
            },
        }


TOOLS = (
    ContractTool(
        "remember",
        "Keep one text. Answers `stored` only when it is on disk; the same text again is a `duplicate`.",
        (
            _CONTENT,
            Parameter("importance", Kind.NUMBER, "0 to 1.", default=0.5, low=0, high=1),
            Parameter("scope", Kind.NAME, "Where it holds.", default=GLOBAL_SCOPE),
            Parameter("source", Kind.NAME, "Where it comes from."),
            Parameter(
                "type", Kind.CHOICE, "rule or state.", default="state", choices=("rule", "state")
            ),
            Parameter("protected", Kind.FLAG, "Never decays.", default=False),
            Parameter("created_at", Kind.MOMENT, "When it was told; left out: now."),
            *_SIGNED,
        ),
        DONE,
        reads_only=False,
        call=verbs.remember,
    ),
    ContractTool(
        "recall",
        "Find what is relevant to a query, best first; nothing when nothing is.",
        (
            Parameter("query", Kind.PROSE, "What is looked for.", required=True),
            Parameter("top_k", Kind.INTEGER, "Most hits.", default=5, low=1, high=MOST),
            Parameter("scope", Kind.NAME, "Also look in this scope."),
            Parameter("about", Kind.NAME, "Only memories that name this."),
            Parameter("as_of", Kind.MOMENT, "What was known then."),
            Parameter("explain", Kind.FLAG, "Fill `why` of each hit.", default=False),
            Parameter("count", Kind.FLAG, "Count it as a use of the hits.", default=True),
            Parameter("revive", Kind.FLAG, "May bring a decayed memory back.", default=True),
        ),
        FOUND,
        reads_only=True,
        call=verbs.recall,
    ),
    ContractTool(
        "update",
        "Replace the text of a memory; the old text stays in its history.",
        (_ID, _CONTENT, *_SIGNED),
        DONE,
        reads_only=False,
        call=verbs.update,
    ),
    ContractTool(
        "forget",
        "Move one memory to the trash. Forgetting what is not there answers `forgotten: false`.",
        (
            _ID,
            Parameter(
                "cause",
                Kind.CHOICE,
                "Why it leaves.",
                default=TrashReason.USER.value,
                choices=tuple(reason.value for reason in TrashReason),
            ),
            *_SIGNED,
        ),
        GONE,
        reads_only=False,
        call=verbs.forget,
    ),
    ContractTool(
        "stats",
        "Counts, health, the version of the contract and what is offered beyond the five tools.",
        (),
        COUNTS,
        reads_only=True,
        call=verbs.stats,
    ),
    ContractTool(
        "get",
        "The live memories under some ids; unknown ids are left out.",
        (Parameter("ids", Kind.NAME, f"Up to {MOST} ids, as a list.", required=True),),
        ROWS,
        reads_only=True,
        call=verbs.get,
    ),
    ContractTool(
        "scan",
        "All live memories in id order, page by page.",
        (
            Parameter("after", Kind.NAME, "The `next` of the page before."),
            Parameter("limit", Kind.INTEGER, "Rows a page.", default=MOST, low=1, high=MOST),
        ),
        PAGE,
        reads_only=True,
        call=verbs.scan,
    ),
    ContractTool(
        "history",
        "What happened to a memory, oldest first.",
        (_ID,),
        HISTORY,
        reads_only=True,
        call=verbs.history,
    ),
)
"""The five of the contract, then the optional ones."""


class ContractTools:
    """Carries calls out on a store; thread-safe."""

    def __init__(self, served: ServedCold) -> None:
        self._served = served
        self._tools = {tool.name: tool for tool in TOOLS}

    def listing(self) -> list[dict[str, Any]]:
        """Return the tools as `tools/list` shows them."""
        return [_with_list_of_ids(tool.listing()) for tool in self._tools.values()]

    def call(self, name: str, sent: Given, *, author: str) -> dict[str, Any]:
        """Carry a call out for an author and return the fields of its `CallToolResult`."""
        try:
            result = encodable(self._carried_out(name, sent, author))
        except MemoryCoreError as fault:
            error = encodable(failure(fault))
            return {"content": [_text(error)], "structuredContent": error, "isError": True}
        return {"content": [_text(result)], "structuredContent": result}

    def _carried_out(self, name: str, sent: Given, author: str) -> dict[str, Any]:
        tool = self._tools.get(name)
        if tool is None:
            message = f"there is no tool {name!r}; there are {', '.join(self._tools)}"
            raise InvalidInputError(message)
        for text in ("content", "query"):
            if text in sent and not isinstance(sent[text], str):
                message = f"{text} must be text, not {type(sent[text]).__name__}"
                raise InvalidInputError(message)
        if "content" in sent and (refused := objection(sent["content"])):
            raise InvalidInputError(refused)
        return tool.call(self._served, _read(tool, sent), author)


def _read(tool: ContractTool, sent: Given) -> Given:
    """Read the arguments; texts and lists of ids are taken as they stand."""
    kept = {name: sent[name] for name in ("content", "query") if name in sent}
    lenient = {**sent, **dict.fromkeys(kept, "text")}
    ids = sent.get("ids")
    if isinstance(ids, list):
        if len(ids) > MOST:
            message = f"ids holds {len(ids)} ids, more than {MOST}"
            raise InvalidInputError(message)
        kept["ids"] = [str(one) for one in ids]
        lenient["ids"] = "listed"
    given = read_arguments(tool.parameters, lenient) | kept
    if isinstance(given.get("ids"), str):
        given["ids"] = [given["ids"]]
    return given


def _with_list_of_ids(listing: dict[str, Any]) -> dict[str, Any]:
    properties = listing["inputSchema"]["properties"]
    if "ids" in properties:
        description = properties["ids"]["description"]
        properties["ids"] = {
            "type": "array",
            "items": {"type": "string"},
            "description": description,
        }
    return listing


def _text(value: Mapping[str, Any]) -> dict[str, str]:
    return {"type": "text", "text": json.dumps(value, ensure_ascii=False)}
