"""Other wordings of what is replaced: a correction must reach every one of them."""

from collections.abc import Sequence

from memorycore.model.memory import Memory
from memorycore.model.relation import Relation
from memorycore.policy.relation.comparing import Comparer
from memorycore.ports import ColdRepository, SearchRequest
from memorycore.service.holdings import Held, Place
from memorycore.service.targets import Meant
from memorycore.service.vectors import Vectors

NEIGHBOURS = 8
"""Live memories looked at around each text."""


class Paraphrases:
    """Finds live memories that say what a replaced text says, or whose value the new text replaces."""

    def __init__(self, repository: ColdRepository, *, vectors: Vectors, comparer: Comparer) -> None:
        self._repository = repository
        self._vectors = vectors
        self._comparer = comparer

    def of(self, meant: Sequence[Meant], new: str, *, author: str) -> list[Meant]:
        """Return the further memories that a replacement of `meant` by `new` concerns."""
        taken = {item.held.memory.id for item in meant}
        found: dict[str, Memory] = {}
        for item in meant:
            for memory in self._near(item.held.memory):
                if memory.id in taken or memory.id in found or memory.author != author:
                    continue
                if self._concerned(memory.content, item.held.memory.content, new):
                    found[memory.id] = memory
        return [Meant(Held(Place.LIVE, memory)) for memory in found.values()]

    def _near(self, memory: Memory) -> list[Memory]:
        vector = self._vectors.passage(memory.content)
        request = SearchRequest(
            memory.content, vector, memory.author, (memory.scope,), limit=NEIGHBOURS
        )
        return [candidate.memory for candidate in self._repository.search(request)]

    def _concerned(self, text: str, replaced: str, new: str) -> bool:
        if self._relation(text, replaced) is Relation.SAME:
            return True
        outdated = (Relation.UPDATE, Relation.REVERSAL)
        return self._relation(text, new) in outdated and self._relation(text, replaced) in (
            Relation.SIMILAR,
            *outdated,
        )

    def _relation(self, older: str, newer: str) -> Relation:
        first, second = self._vectors.passages([older, newer])
        match = self._comparer.compare(older, newer, older_vector=first, newer_vector=second)
        return match.relation
