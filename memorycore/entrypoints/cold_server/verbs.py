"""What each tool of the contract does with checked arguments, for an author who is known."""

from collections.abc import Mapping
from typing import Any

from memorycore.entrypoints.cold_server.results import memory_view
from memorycore.errors import InvalidInputError
from memorycore.model.contract import CONTRACT_VERSION, LONGEST_KEY
from memorycore.model.memory import TrashReason
from memorycore.model.record import plain
from memorycore.model.routing import EntryType
from memorycore.policy.validation import is_broken
from memorycore.ports import Draft, Outcome, RecallQuery
from memorycore.service.served_cold import Caller, ServedCold

Given = Mapping[str, Any]
"""Arguments that were checked."""


def remember(served: ServedCold, given: Given, author: str) -> dict[str, Any]:
    """Keep a text as the author's."""
    caller = _caller(given, author)
    draft = Draft(
        given["content"],
        caller.provenance,
        scope=given["scope"],
        importance=given["importance"],
        type=EntryType(given["type"]),
        protected=given["protected"],
        source=given.get("source"),
        created_at=given.get("created_at"),
    )
    kept = served.remember(draft, caller)
    return {
        "status": kept.outcome.value,
        "id": kept.memory_id,
        "content": kept.content,
        "reason": kept.reason,
        "related_id": kept.related_id,
    }


def recall(served: ServedCold, given: Given, author: str) -> dict[str, Any]:
    """Find what is relevant among the author's memories."""
    text = given["query"]
    if is_broken(text):
        raise InvalidInputError("the query holds broken Unicode; send it as valid UTF-8")
    query = RecallQuery(
        text,
        top_k=given["top_k"],
        scope=given.get("scope"),
        as_of=given.get("as_of"),
        about=given.get("about"),
        explain=given["explain"],
        count=given["count"],
        revive=given["revive"],
    )
    return served.recall(query, _caller({}, author)).to_dict()


def update(served: ServedCold, given: Given, author: str) -> dict[str, Any]:
    """Replace the text of one of the author's memories."""
    kept = served.update(given["id"], given["content"], _caller(given, author))
    status = "updated" if kept.outcome is Outcome.MERGED else kept.outcome.value
    return {
        "status": status,
        "id": kept.memory_id,
        "content": kept.content,
        "reason": kept.reason,
        "related_id": kept.related_id,
    }


def forget(served: ServedCold, given: Given, author: str) -> dict[str, Any]:
    """Move one of the author's memories to the trash."""
    cause = TrashReason(given["cause"])
    forgotten = served.forget(given["id"], cause, _caller(given, author))
    return {"forgotten": forgotten, "id": given["id"]}


def stats(served: ServedCold, _: Given, author: str) -> dict[str, Any]:
    """Return the author's counts and what is offered."""
    usage = served.stats(_caller({}, author)).to_dict()
    del usage["queued"]
    capabilities = [one.value for one in served.capabilities]
    return {"contract_version": CONTRACT_VERSION, "capabilities": capabilities, **usage}


def get(served: ServedCold, given: Given, author: str) -> dict[str, Any]:
    """Return the author's live memories under some ids."""
    found = served.get(given["ids"], _caller({}, author))
    return {"memories": [memory_view(found[key]) for key in given["ids"] if key in found]}


def scan(served: ServedCold, given: Given, author: str) -> dict[str, Any]:
    """Return a page of the author's live memories."""
    rows, further = served.scan(_caller({}, author), after=given.get("after"), limit=given["limit"])
    return {"memories": [memory_view(row) for row in rows], "next": further}


def history(served: ServedCold, given: Given, author: str) -> dict[str, Any]:
    """Return what happened to one of the author's memories."""
    events = served.history(given["id"], _caller({}, author))
    return {"id": given["id"], "events": [plain(event) for event in events]}


def _caller(given: Given, author: str) -> Caller:
    key = given.get("idempotency_key")
    if key is not None and len(key) > LONGEST_KEY:
        message = f"idempotency_key is longer than {LONGEST_KEY} characters"
        raise InvalidInputError(message)
    return Caller(
        author,
        tool=given.get("tool", "cold-server"),
        reason=given.get("reason", "asked for over the wire"),
        key=key,
    )
