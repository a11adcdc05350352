"""The cold tier at a remote: `ColdStore` over the five tools."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from memorycore.adapters.cold_remote.reading import (
    check_version,
    checked,
    counted_ids,
    read_forgotten,
    read_id,
    read_recalled,
    read_remembered,
    read_updated,
    read_usage,
)
from memorycore.adapters.cold_remote.reading_events import read_events
from memorycore.adapters.cold_remote.wire import McpWire
from memorycore.errors import ColdUnavailableError, InvalidInputError
from memorycore.model.contract import VERBS, Answer, Capability, Offer
from memorycore.model.memory import LOCAL_AUTHOR, Event, Provenance, TrashReason
from memorycore.model.results import ColdUsage, RecallResult
from memorycore.ports import Draft, Outcome, RecallQuery, Remembered

KNOWN = 512
"""Texts remembered by id, to read back from a service that cannot be asked by id."""

LOOK_FOR = 20
"""Hits looked through when a text is read back by a search for it."""

BACKEND = "mcp"


class RemoteCold:
    """Implements `ColdStore`; a call sends only what the service's schema names, so older services are served too.

    The token says who the author is: another author than this machine's own user cannot be served.
    """

    def __init__(self, wire: McpWire, *, monotonic: Callable[[], float]) -> None:
        self._wire = wire
        self._monotonic = monotonic
        self._lock = Lock()
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._numbers: dict[str, int] = {}
        self._checked = False

    def remember(self, draft: Draft, *, key: str | None = None) -> Remembered:
        """Keep a text; `key` makes a repetition of the call harmless where the service honours keys."""
        _only_local(draft.author)
        offer = self._offer()
        given = {
            "importance": draft.importance,
            "scope": draft.scope,
            "source": draft.source,
            "type": draft.type.value,
            "protected": draft.protected,
            "created_at": draft.created_at.isoformat() if draft.created_at else None,
            "idempotency_key": key,
            "tool": draft.provenance.tool,
            "reason": draft.provenance.reason,
        }
        place = "text" if _only(offer, "remember", "text", "content") else "content"
        arguments = {place: draft.content, **_named(offer, "remember", given)}
        answer = self._wire.call("remember", arguments)
        kept = read_remembered(answer, draft)
        if kept.outcome not in (Outcome.QUEUED, Outcome.OUTDATED):
            self._know(answer, {kept.memory_id: kept.content})
        return kept

    def recall(self, query: RecallQuery) -> RecallResult:
        """Find what is relevant, within the query's budget."""
        _only_local(query.author)
        begun = self._monotonic()
        offer = self._offer(budget=query.budget)
        given = {
            "top_k": query.top_k,
            "limit": None if offer.takes("recall", "top_k") else query.top_k,
            "scope": query.scope,
            "about": query.about,
            "as_of": query.as_of.isoformat() if query.as_of else None,
            "explain": query.explain,
            "count": query.count,
            "revive": query.revive,
        }
        arguments = {"query": query.text, **_named(offer, "recall", given)}
        left = self._left(query.budget, begun)
        answer = self._wire.call("recall", arguments, budget=left)
        found = read_recalled(answer, query.text)
        self._know(answer, {hit.id: hit.content for hit in found.hits})
        hits = found.hits[: query.top_k]
        return RecallResult(found.query, hits, not hits, found.degraded)

    def update(
        self, memory_id: str, content: str, *, provenance: Provenance, key: str | None = None
    ) -> Remembered:
        """Replace a memory's text."""
        given = {
            "idempotency_key": key,
            "tool": provenance.tool,
            "reason": provenance.reason,
        }
        offer = self._offer()
        arguments = {**self._named_id(offer, "update", memory_id), "content": content}
        answer = self._wire.call("update", arguments | _named(offer, "update", given))
        kept = read_updated(answer, memory_id, content)
        self._know(answer, {kept.memory_id: kept.content})
        return kept

    def forget(
        self,
        memory_id: str,
        *,
        reason: TrashReason,
        provenance: Provenance,
        key: str | None = None,
    ) -> bool:
        """Move a memory to the trash of the service."""
        given = {
            "cause": reason.value,
            "idempotency_key": key,
            "tool": provenance.tool,
            "reason": provenance.reason,
        }
        offer = self._offer()
        arguments = self._named_id(offer, "forget", memory_id) | _named(offer, "forget", given)
        forgotten = read_forgotten(self._wire.call("forget", arguments))
        with self._lock:
            self._texts.pop(memory_id, None)
        return forgotten

    def read(self, memory_id: str) -> str | None:
        """Return the live text under an id: by `get` where the service has it, else by a search for the text."""
        if Capability.GET.value in self._offer().parameters:
            answer = self._wire.call(Capability.GET.value, {"ids": [memory_id]})
            rows = checked(answer, tool=Capability.GET.value).get("memories")
            known = [row for row in rows if isinstance(row, Mapping)] if rows else []
            texts = [row.get("content") for row in known if read_id(row) == memory_id]
            return texts[0] if texts and isinstance(texts[0], str) else None
        return self._searched(memory_id)

    def history(self, memory_id: str) -> list[Event]:
        """Return what happened to a memory, oldest first; nothing where the service does not tell.

        Raises:
            UnknownMemoryError: The service knows no such memory.
        """
        offer = self._offer()
        tool = Capability.HISTORY.value
        if tool not in offer.parameters:
            return []
        return read_events(self._wire.call(tool, self._named_id(offer, tool, memory_id)))

    def stats(self) -> ColdUsage:
        """Return the counts of the service."""
        self._offer()
        return read_usage(self._wire.call("stats", {}), backend=BACKEND)

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()

    def _searched(self, memory_id: str) -> str | None:
        with self._lock:
            text = self._texts.get(memory_id)
        if text is None:
            return None
        query = RecallQuery(text, top_k=LOOK_FOR, count=False, revive=False)
        for hit in self.recall(query).hits:
            if hit.id == memory_id:
                return hit.content
        return None

    def _offer(self, budget: float | None = None) -> Offer:
        offer = self._wire.offer(budget=budget)
        missing = [verb for verb in VERBS if verb not in offer.parameters]
        if missing:
            message = f"the service at cold_url has no tool {', '.join(missing)}"
            raise ColdUnavailableError(message)
        if not self._checked and budget is None:
            check_version(checked(self._wire.call("stats", {}), tool="stats"))
            self._checked = True
        return offer

    def _left(self, budget: float | None, begun: float) -> float | None:
        if budget is None:
            return None
        return max(0.001, budget - (self._monotonic() - begun))

    def _know(self, answer: Answer, texts: Mapping[str, str]) -> None:
        with self._lock:
            self._numbers.update(counted_ids(answer))
            for memory_id, content in texts.items():
                self._texts[memory_id] = content
                self._texts.move_to_end(memory_id)
            while len(self._texts) > KNOWN:
                dropped, _ = self._texts.popitem(last=False)
                self._numbers.pop(dropped, None)

    def _named_id(self, offer: Offer, tool: str, memory_id: str) -> dict[str, str | int]:
        """Return the id under the name and in the type that the service wants."""
        name = "memory_id" if _only(offer, tool, "memory_id", "id") else "id"
        if offer.type_of(tool, name) == "integer" and memory_id.isdecimal():
            return {name: int(memory_id)}
        if offer.type_of(tool, name) == "string":
            return {name: memory_id}
        with self._lock:
            return {name: self._numbers.get(memory_id, memory_id)}


def _only(offer: Offer, tool: str, name: str, usual: str) -> bool:
    return offer.takes(tool, name) and not offer.takes(tool, usual)


def _named(offer: Offer, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in given.items()
        if value is not None and offer.takes(tool, name)
    }


def _only_local(author: str) -> None:
    if author != LOCAL_AUTHOR:
        message = (
            f"the remote cold tier knows its author by the token; leave author out instead of {author!r}, "
            "and give each author a token of their own"
        )
        raise InvalidInputError(message)
