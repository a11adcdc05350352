"""Forgetting on request: replace, release to the trash, purge for good; by id or by what a query is about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memorycore.errors import InvalidInputError, UnknownMemoryError
from memorycore.model.memory import (
    GLOBAL_SCOPE,
    LOCAL_AUTHOR,
    Provenance,
    TrashReason,
)
from memorycore.model.results import PurgeResult, ReleaseResult, StoreResult, SupersedeResult
from memorycore.model.routing import Classification, Route, Screening, Target, Verdict
from memorycore.policy.text import content_hash, entry_key
from memorycore.policy.validation import objection, splits_hot_file
from memorycore.ports import Change, Draft, Revive
from memorycore.service.holdings import Held, Holdings, Place
from memorycore.service.paraphrases import Paraphrases
from memorycore.service.purging import Purging
from memorycore.service.removal import Order, Removal
from memorycore.service.targets import Found, Meant, Targets
from memorycore.service.telling import rests_for_good, told


@dataclass(frozen=True, slots=True)
class ForgettingRules:
    """What the verbs decide by, and how a text with nothing to replace is stored."""

    classify: Callable[[str, Target, float], Classification]
    screen: Callable[[str], Screening]
    store: Callable[[Draft, Target], StoreResult]


class Forgetting:
    """The verbs. Each returns what it did, or with `dry_run` would do."""

    def __init__(
        self,
        *,
        holdings: Holdings,
        targets: Targets,
        removal: Removal,
        purging: Purging,
        paraphrases: Paraphrases,
        rules: ForgettingRules,
    ) -> None:
        self._holdings = holdings
        self._targets = targets
        self._removal = removal
        self._purging = purging
        self._paraphrases = paraphrases
        self._rules = rules
        self._repository = removal.repository
        self._clock = removal.clock

    def release(
        self,
        query: str,
        *,
        provenance: Provenance,
        author: str = LOCAL_AUTHOR,
        dry_run: bool = False,
    ) -> ReleaseResult:
        """Move what `query` is about, or the memory it is the id of, to the trash.

        It comes back only by an explicit revive, never by being recalled.

        Raises:
            InvalidInputError: The query names nothing.
        """
        found = self._meant(query, author)
        if rests_for_good(found):
            return ReleaseResult((), dry_run, told(found))
        if dry_run or not found.meant:
            memories = tuple(item.held.memory for item in found.meant)
            return ReleaseResult(memories, dry_run, told(found), found.capped)
        order = Order(TrashReason.RELEASED, provenance, self._clock.now())
        moved = self._removal.to_trash(found.meant, order)
        return ReleaseResult(moved, dry_run, told(found), found.capped)

    def forget(
        self, memory_id: str, *, provenance: Provenance, author: str = LOCAL_AUTHOR
    ) -> ReleaseResult:
        """Move the one memory, or hot entry, named by its id to the trash.

        Raises:
            UnknownMemoryError: Nothing of `author` has that id.
        """
        held = self._by_id(memory_id, author)
        if held is None:
            message = f"no memory has the id {memory_id}"
            raise UnknownMemoryError(message)
        order = Order(TrashReason.USER, provenance, self._clock.now())
        moved = self._removal.to_trash([Meant(held)], order)
        return ReleaseResult(moved, dry_run=False, reason="forgotten by its id")

    def purge(
        self,
        query_or_id: str,
        *,
        provenance: Provenance,
        author: str = LOCAL_AUTHOR,
        dry_run: bool = False,
    ) -> PurgeResult:
        """Erase what the query is about, or the memory it is the id of, for good.

        Raises:
            InvalidInputError: The query names nothing.
        """
        found = self._meant(query_or_id, author, reasons=tuple(TrashReason))
        if dry_run:
            memories = tuple(item.held.memory for item in found.meant)
            return PurgeResult(len(memories), memories, dry_run, told(found), found.capped)
        if not found.meant:
            return PurgeResult(0, (), dry_run, told(found))
        left = self._purging.purge(
            found.meant,
            author=author,
            provenance=provenance,
            names=lambda text: self._targets.names(query_or_id, text),
        )
        reason = "; ".join((told(found), *left))
        return PurgeResult(len(found.meant), (), dry_run, reason, found.capped)

    def supersede(
        self,
        old: str,
        new_content: str,
        *,
        provenance: Provenance,
        author: str = LOCAL_AUTHOR,
    ) -> SupersedeResult:
        """Store `new_content` in the place of what `old`, an id or a query, is about.

        What was replaced goes to the trash; every paraphrase of it goes too. When nothing is found the new text
        is stored all the same.

        Raises:
            InvalidInputError: `old` names nothing, or the new text cannot be kept.
        """
        content = self._acceptable(new_content)
        found = self._meant(old, author, new=content)
        digest = content_hash(content)
        meant = [m for m in found.meant if content_hash(m.held.memory.content) != digest]
        said = [m for m in found.meant if m not in meant and m.held.place is not Place.TRASH]
        if said and not meant:
            return SupersedeResult(said[0].held.memory.id, content, (), "that is said already")
        meant += self._paraphrases.of(meant, content, author=author)
        draft = self._draft(content, provenance, author, meant)
        if any(item.held.place is Place.HOT for item in meant) and self._may_be_hot(draft):
            return self._in_hot_place(draft, meant, found)
        if not meant or self._belongs_hot(draft) or self._removal.remote is not None:
            return self._stored(draft, meant, found)
        return self._in_cold_place(draft, meant, found)

    def _meant(
        self,
        query: str,
        author: str,
        *,
        reasons: Sequence[TrashReason] | None = None,
        new: str | None = None,
    ) -> Found:
        held = self._by_id(query.strip(), author)
        if held is not None:
            return Found((Meant(held),), "named by its id")
        self._targets.topic(query)
        known = self._holdings
        holdings = known.of(author) if reasons is None else known.of(author, reasons=reasons)
        holdings += known.remote(query, author)
        return self._targets.find(query, holdings, new=new)

    def _by_id(self, memory_id: str, author: str) -> Held | None:
        """Return what `author` has under an id; what belongs to others is as unknown as what never was."""
        held = self._held(memory_id) or self._holdings.remote_by_id(memory_id, author)
        return held if held is not None and held.memory.author == author else None

    def _held(self, memory_id: str) -> Held | None:
        memory = self._repository.get([memory_id]).get(memory_id)
        if memory is not None:
            return Held(Place.LIVE, memory)
        trashed = self._repository.trashed(memory_id)
        if trashed is not None:
            return Held(Place.TRASH, trashed.memory, trashed=trashed)
        entries = self._holdings.hot(LOCAL_AUTHOR) if len(memory_id) == HEX_KEY else []
        return next((held for held in entries if held.memory.id == memory_id), None)

    def _acceptable(self, content: str) -> str:
        refused = objection(content)
        if refused:
            raise InvalidInputError(refused)
        screening = self._rules.screen(content)
        if screening.verdict is Verdict.SECRET:
            kinds = ", ".join(screening.kinds)
            message = f"the new text looks like a secret ({kinds}); nothing was changed"
            raise InvalidInputError(message)
        return content.strip()

    def _draft(
        self, content: str, provenance: Provenance, author: str, meant: Sequence[Meant]
    ) -> Draft:
        """Return the new text with the standing of what it replaces."""
        importance = max((item.held.memory.importance for item in meant), default=0.5)
        decided = self._rules.classify(content, self._target(meant), importance)
        return Draft(
            content,
            provenance,
            author=author,
            scope=meant[0].held.memory.scope if meant else GLOBAL_SCOPE,
            importance=importance,
            type=decided.type,
            protected=decided.protected or any(m.held.memory.protected for m in meant),
        )

    def _target(self, meant: Sequence[Meant]) -> Target:
        return next((m.held.target for m in meant if m.held.target), Target.MEMORY)

    def _may_be_hot(self, draft: Draft) -> bool:
        clean = self._rules.screen(draft.content).verdict is Verdict.CLEAN
        return clean and not splits_hot_file(draft.content) and draft.author == LOCAL_AUTHOR

    def _belongs_hot(self, draft: Draft) -> bool:
        if draft.scope != GLOBAL_SCOPE or not self._may_be_hot(draft):
            return False
        decided = self._rules.classify(draft.content, Target.MEMORY, draft.importance)
        return decided.route is Route.HOT

    def _stored(self, draft: Draft, meant: list[Meant], found: Found) -> SupersedeResult:
        """Store the new text as any other, then retire the old ones."""
        result = self._rules.store(draft, self._target(meant))
        where = result.memory_id or result.entry_key or ""
        if not where:
            raise InvalidInputError(result.reason)
        left = [m for m in meant if m.held.memory.id != where and self._still_there(m)]
        order = Order(TrashReason.SUPERSEDED, draft.provenance, self._clock.now(), result.memory_id)
        moved = self._removal.to_trash(left, order)
        already = tuple(m.held.memory for m in meant if m not in left)
        reason = told(found) if meant else f"{found.reason}; stored as new: {result.reason}"
        return SupersedeResult(where, draft.content, (*moved, *already), reason)

    def _still_there(self, item: Meant) -> bool:
        """Tell whether storing the new text left an old one where it was, unchanged."""
        memory = item.held.memory
        if item.held.place is Place.HOT:
            return any(held.memory.id == memory.id for held in self._holdings.hot(LOCAL_AUTHOR))
        if item.held.place is Place.REMOTE:
            far = self._holdings.remote_by_id(memory.id)
            return far is not None and far.memory.content == memory.content
        now = self._repository.get([memory.id]).get(memory.id)
        if item.held.place is Place.LIVE:
            return now is not None and now.revision == memory.revision
        return now is None

    def _in_cold_place(self, draft: Draft, meant: list[Meant], found: Found) -> SupersedeResult:
        now = self._clock.now()
        changes, memory_id = self._new_row(draft, meant[0].held.memory.id, now)
        order = Order(TrashReason.SUPERSEDED, draft.provenance, now, memory_id)
        moved = self._removal.to_trash(meant, order, before=changes)
        return SupersedeResult(memory_id, draft.content, moved, told(found))

    def _in_hot_place(self, draft: Draft, meant: list[Meant], found: Found) -> SupersedeResult:
        """Put the new text where the first old hot entry stands; the old ones are in the trash by then."""
        first = next(item for item in meant if item.held.place is Place.HOT)
        order = Order(TrashReason.SUPERSEDED, draft.provenance, self._clock.now())
        text = draft.content if first.rest is None else f"{first.rest}\n{draft.content}"
        replaced = replace(first, rest=text)
        others = [item for item in meant if item is not first]
        moved = self._removal.to_trash([replaced, *others], order)
        key = entry_key(text)
        return SupersedeResult(key, draft.content, moved, told(found))

    def _new_row(self, draft: Draft, older_id: str, at: datetime) -> tuple[list[Change], str]:
        """Return the changes that make the new text live, and the id it has then."""
        digest = content_hash(draft.content)
        twin = self._repository.find(digest, author=draft.author, scope=draft.scope)
        binned = self._repository.find_trashed(digest, author=draft.author, scope=draft.scope)
        if twin is None and binned is not None:
            return [Revive(binned.memory.id)], binned.memory.id
        memory_id = twin.id if twin else self._removal.ids.new_id()
        memory = replace(draft.as_memory(memory_id, at=at), supersedes=older_id)
        return self._removal.keep(memory), memory.id


HEX_KEY = 64
"""Length of a hot entry's key."""
