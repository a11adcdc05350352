"""S3: entries of one file that say one thing, and the text each pair becomes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memorycore.model.relation import Match, Relation
from memorycore.policy.overflow.coverage import covers
from memorycore.policy.overflow.facts import EntryFacts, MergeProposal
from memorycore.policy.overflow.likeness import close_pairs
from memorycore.ports.cold import Vector
from memorycore.service.vectors import Vectors

REMEMBERED = 4096
"""Pairs whose union is kept: comparing takes milliseconds and a full file is planned for at every write."""


class PairComparer(Protocol):
    """Decides how two texts relate."""

    def compare(
        self,
        older: str,
        newer: str,
        *,
        older_vector: Vector | None = None,
        newer_vector: Vector | None = None,
    ) -> Match:
        """Return the relation of `newer` to `older`."""
        ...


@dataclass(frozen=True, slots=True)
class Relating:
    """Comparing and merging texts: what both tiers decide sameness by."""

    comparer: PairComparer
    merge: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class _Union:
    text: str
    reason: str


class Merging:
    """Finds pairs that may become one. Protected entries and secrets are never reworded and never proposed."""

    def __init__(self, relating: Relating, vectors: Vectors | None) -> None:
        self._relating = relating
        self._vectors = vectors
        self._unions: dict[tuple[str, str], _Union | None] = {}

    def proposals(self, facts: Sequence[EntryFacts]) -> tuple[MergeProposal, ...]:
        """Return the merges that lose nothing, the closest pairs first."""
        free = [item for item in facts if not (item.stub or item.protected)]
        pairs = [
            sorted((free[one], free[other]), key=lambda item: item.meta.written_at)
            for one, other in close_pairs([item.entry.text for item in free])
        ]
        found = (self._proposal(older, newer) for older, newer in pairs)
        return tuple(proposal for proposal in found if proposal)

    def _proposal(self, older: EntryFacts, newer: EntryFacts) -> MergeProposal | None:
        pair = (older.key, newer.key)
        if pair not in self._unions:
            if len(self._unions) >= REMEMBERED:
                self._unions.clear()
            self._unions[pair] = self._union(older.entry.text, newer.entry.text)
        union = self._unions[pair]
        if union is None:
            return None
        verbatim = union.text in {older.entry.text.strip(), newer.entry.text.strip()}
        if (older.needed or newer.needed) and not verbatim:
            return None
        return MergeProposal(pair, union.text, union.reason)

    def _union(self, first: str, second: str) -> _Union | None:
        one, other = self._embedded(first, second)
        match = self._relating.comparer.compare(first, second, older_vector=one, newer_vector=other)
        if match.relation not in {Relation.SAME, Relation.SIMILAR}:
            return None
        text = self._one_text(match.relation, first, second)
        kept = covers(text, first) and covers(text, second)
        return _Union(text, f"one topic: {match.reason}") if kept else None

    def _one_text(self, relation: Relation, first: str, second: str) -> str:
        """Return the text a pair becomes: of two that say the same the longer one as it stands."""
        longer, shorter = sorted((first, second), key=len, reverse=True)
        if relation is Relation.SAME and covers(longer, shorter):
            return longer.strip()
        return self._relating.merge(first, second).strip()

    def _embedded(self, first: str, second: str) -> tuple[Vector | None, Vector | None]:
        if self._vectors is None:
            return None, None
        one, other = self._vectors.passages([first, second])
        return one, other
