"""A cold store that several authors share through one service, each seeing their own memories."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from memorycore.errors import InvalidInputError, UnknownMemoryError
from memorycore.model.contract import Capability
from memorycore.model.memory import LOCAL_AUTHOR, Event, Memory, Provenance, TrashReason
from memorycore.model.results import ColdUsage, RecallResult
from memorycore.ports import (
    ColdRepository,
    ColdStore,
    Draft,
    Outcome,
    RecallQuery,
    Remembered,
)
from memorycore.service.first_come import FirstComeLock
from memorycore.service.receipts import Receipt, Receipts

PAGE = 200
"""Memories of one page of a scan."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, with which tool, and under which key; `key` None means that a repetition is a new request."""

    author: str
    tool: str = "cold-server"
    reason: str = "asked for over the wire"
    key: str | None = None

    @property
    def provenance(self) -> Provenance:
        """Return it for the history."""
        return Provenance(self.author or "user", self.tool, self.reason)


class ServedCold:
    """The verbs of the contract for an author who is known by a token.

    A memory of another author is answered about exactly as one that does not exist. With `shared` every author
    reads and writes one common store; the history still tells who did what. Writes go one after another: each is
    compared with what is there, and what is there must hold still for that long. `prepare` does beforehand what need
    not wait in that queue, such as the vector of a text.
    """

    def __init__(
        self,
        store: ColdStore,
        repository: ColdRepository,
        *,
        refuse: Callable[[str], str | None],
        after_write: Callable[[], object],
        prepare: Callable[[str], object] | None = None,
        shared: bool = False,
    ) -> None:
        self._store = store
        self._repository = repository
        self._receipts = Receipts(repository)
        self._refuse = refuse
        self._after_write = after_write
        self._prepare = prepare
        self._shared = shared
        self._writing = FirstComeLock()

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        """Return what is offered beyond the five verbs."""
        return tuple(Capability)

    def remember(self, draft: Draft, caller: Caller) -> Remembered:
        """Keep a text as the caller's.

        Raises:
            InvalidInputError: The text is empty, broken, too long or holds a secret.
        """
        self._check(draft.content)
        owned = replace(draft, author=self._owner(caller), provenance=caller.provenance)
        return self._once(caller, lambda: self._store.remember(owned), draft.content)

    def recall(self, query: RecallQuery, caller: Caller) -> RecallResult:
        """Find what is relevant among the caller's memories."""
        return self._store.recall(replace(query, author=self._owner(caller)))

    def update(self, memory_id: str, content: str, caller: Caller) -> Remembered:
        """Replace the text of one of the caller's memories.

        Raises:
            UnknownMemoryError: The caller has no such memory.
            InvalidInputError: The text cannot be kept.
        """
        self._check(content)

        def change() -> Remembered:
            known = self.get([memory_id], caller).get(memory_id)
            if known is None:
                message = f"there is no live memory {memory_id}"
                raise UnknownMemoryError(message)
            if known.content == content:
                return Remembered(Outcome.MERGED, memory_id, content, "it says that already")
            return self._store.update(memory_id, content, provenance=caller.provenance)

        return self._once(caller, change, content)

    def forget(self, memory_id: str, reason: TrashReason, caller: Caller) -> bool:
        """Move one of the caller's memories to the trash; False when there was none."""

        def change() -> Remembered:
            known = memory_id in self.get([memory_id], caller) and self._store.forget(
                memory_id, reason=reason, provenance=caller.provenance
            )
            outcome = Outcome.STORED if known else Outcome.DUPLICATE
            return Remembered(outcome, memory_id, "", "forgotten" if known else "not there")

        return self._once(caller, change, "").outcome is Outcome.STORED

    def get(self, memory_ids: Sequence[str], caller: Caller) -> Mapping[str, Memory]:
        """Return the caller's live memories among those ids."""
        found = self._repository.get(memory_ids)
        owner = self._owner(caller)
        return {key: memory for key, memory in found.items() if memory.author == owner}

    def scan(
        self, caller: Caller, *, after: str | None, limit: int
    ) -> tuple[Sequence[Memory], str | None]:
        """Return a page of the caller's live memories in id order, and after which id the next one begins."""
        owner = self._owner(caller)
        found: list[Memory] = []
        while True:
            page = self._repository.scan(after=after, limit=PAGE)
            for memory in page:
                if memory.author == owner:
                    found.append(memory)
                if len(found) == limit:
                    return found, memory.id
            if len(page) < PAGE:
                return found, None
            after = page[-1].id

    def history(self, memory_id: str, caller: Caller) -> Sequence[Event]:
        """Return what happened to one of the caller's memories, live or in the trash, oldest first.

        Raises:
            UnknownMemoryError: The caller has no such memory.
        """
        trashed = self._repository.trashed(memory_id)
        known = trashed.memory if trashed else self._repository.get([memory_id]).get(memory_id)
        if known is None or known.author != self._owner(caller):
            message = f"there is no memory {memory_id}"
            raise UnknownMemoryError(message)
        return self._repository.events(memory_id=memory_id)

    def stats(self, caller: Caller) -> ColdUsage:
        """Return the caller's counts and the health of the store."""
        usage = self._store.stats()
        if self._shared:
            return usage
        own = self._repository.counts(author=self._owner(caller))
        return replace(
            usage, live=own.live, trashed=own.trashed, pending_vectors=own.pending_vectors, bytes=0
        )

    def _once(self, caller: Caller, change: Callable[[], Remembered], content: str) -> Remembered:
        """Carry a change out, unless the caller's key says that it was."""
        if caller.key is None:
            return self._changed(change)
        owner = self._owner(caller)
        with self._receipts.held(owner, caller.key):
            known = self._receipts.find(owner, caller.key)
            if known is not None:
                return self._repeated(known, content)
            kept = self._changed(change)
            receipt = Receipt(kept.outcome.value, kept.memory_id, kept.related_id)
            self._receipts.keep(owner, caller.key, receipt)
            return kept

    def _changed(self, change: Callable[[], Remembered]) -> Remembered:
        with self._writing:
            kept = change()
        self._after_write()
        return kept

    def _repeated(self, receipt: Receipt, content: str) -> Remembered:
        live = self._repository.get([receipt.memory_id]).get(receipt.memory_id)
        return Remembered(
            Outcome(receipt.outcome),
            receipt.memory_id,
            live.content if live else content,
            "this request was carried out before",
            receipt.related_id,
        )

    def _check(self, content: str) -> None:
        refused = self._refuse(content)
        if refused:
            raise InvalidInputError(refused)
        if self._prepare is not None:
            self._prepare(content)

    def _owner(self, caller: Caller) -> str:
        return LOCAL_AUTHOR if self._shared else caller.author
