"""What a new text does to the memories it is close to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memorycore.model.memory import Memory
from memorycore.model.relation import Match, Relation
from memorycore.policy.text import has_cjk
from memorycore.policy.tokens import index_tokens

MERGED_LIMIT = 1200
"""Longest text, in characters, that merging at write time may grow: three times the longest entries people write."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A live memory close to the new text and how the two relate; `older` tells whether the memory came first."""

    memory: Memory
    match: Match
    older: bool


@dataclass(frozen=True, slots=True)
class AddNew:
    """The text stands for itself."""

    reason: str


@dataclass(frozen=True, slots=True)
class Recognise:
    """The memory says it already."""

    memory: Memory
    reason: str


@dataclass(frozen=True, slots=True)
class MergeInto:
    """The memory's text becomes `content`, which says what both said."""

    memory: Memory
    content: str
    reason: str


@dataclass(frozen=True, slots=True)
class Replace:
    """The text is the newer value of every memory in `memories`."""

    memories: tuple[Memory, ...]
    reversal: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Outdated:
    """The memory holds a newer value than the text."""

    memory: Memory
    reason: str


Decision = AddNew | Recognise | MergeInto | Replace | Outdated


def plan_cold_write(
    text: str, neighbours: Sequence[Neighbour], *, merge: Callable[[str, str], str]
) -> Decision:
    """Decide by the strongest relation: replace before recognise before merge; without one, the text is new.

    A value that replaces another must do so even if a third memory says the same, so replacing comes first.
    Merging takes the surest neighbour only and never grows a text beyond `MERGED_LIMIT`.
    """
    replaced = _of(neighbours, Relation.UPDATE, Relation.REVERSAL)
    same = _of(neighbours, Relation.SAME)
    newer = [item for item in replaced if not item.older]
    if newer:
        return Outdated(newer[0].memory, newer[0].match.reason)
    if replaced:
        return Replace(
            tuple(item.memory for item in replaced),
            reversal=replaced[0].match.relation is Relation.REVERSAL,
            reason=replaced[0].match.reason,
        )
    if same:
        known = same[0].memory
        if says_more(text, known.content):
            return Replace((known,), reversal=False, reason="it says the same and more")
        return Recognise(known, same[0].match.reason)
    for item in _of(neighbours, Relation.SIMILAR):
        first, second = (item.memory.content, text) if item.older else (text, item.memory.content)
        content = merge(first, second)
        if len(content) <= max(MERGED_LIMIT, len(item.memory.content)):
            return MergeInto(item.memory, content, item.match.reason)
    return AddNew("nothing stored says this or contradicts it")


def says_more(text: str, other: str) -> bool:
    """Tell whether `text` has every word of `other` and words of its own, which must not be lost with it."""
    return _words(other) < _words(text)


def _words(text: str) -> frozenset[str]:
    """Return the words of a text; of a script without spaces its characters."""
    tokens = index_tokens(text)
    return frozenset(piece for token in tokens for piece in (token if has_cjk(token) else [token]))


def came_first(memory: Memory, *, told_at: datetime) -> bool:
    """Tell whether `memory` was last told before `told_at`; equal moments count as before."""
    return memory.confirmed_at <= told_at


def _of(neighbours: Sequence[Neighbour], *relations: Relation) -> list[Neighbour]:
    found = [item for item in neighbours if item.match.relation in relations]
    return sorted(found, key=lambda item: -item.match.score)
