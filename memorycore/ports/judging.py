"""Second opinions of a language model, for the ambiguous band only."""

from collections.abc import Sequence
from typing import Protocol

from memorycore.model.relation import Relation


class Judge(Protocol):
    """Each method raises `JudgeError` when there is no usable answer; callers fall back to the rule's."""

    def relation(self, older: str, newer: str) -> Relation:
        """Decide how two texts relate."""
        ...

    def merge(self, older: str, newer: str) -> str:
        """Return one text that keeps every number, name, path and date of both."""
        ...

    def compress(self, text: str, *, limit: int) -> str:
        """Return `text` in at most `limit` characters with every number, name, path and date kept."""
        ...

    def dormant(self, topic: str, queries: Sequence[str]) -> bool:
        """Tell whether nothing in the recent `queries` touches `topic`; in doubt False."""
        ...
