"""The working state of one planning: what is still in the file, and what was decided so far."""

from collections.abc import Iterator

from memorycore.model.plan import (
    Action,
    Compress,
    Merge,
    Retype,
    Split,
    Stub,
)
from memorycore.policy.overflow.facts import EntryFacts, OverflowView, joined_length

WORTH_MERGING = 0.3
"""Share of the smallest entry that a merge must save: less is not worth rewording anything."""


class Desk:
    """Keeps the size of the file as entries are taken from it.

    In hand-written Markdown nothing is put in the place of an entry; entries only leave it.
    """

    def __init__(self, view: OverflowView) -> None:
        self._facts = {facts.key: facts for facts in view.facts}
        self._sizes = {facts.key: facts.size for facts in view.facts}
        self._actions: dict[str, Action] = {}
        self._free_form = view.snapshot.free_form
        self._extra = view.snapshot.characters - joined_length(list(self._sizes.values()))

    @property
    def size(self) -> int:
        """Characters of the file as planned."""
        sizes = list(self._sizes.values())
        return max(joined_length(sizes) + self._extra, 0) if sizes else 0

    @property
    def protected_size(self) -> int:
        """Characters that the protected entries alone would take."""
        return joined_length([facts.size for facts in self._facts.values() if facts.protected])

    def present(self) -> Iterator[EntryFacts]:
        """Yield the entries nothing was decided on, in the file's order; a retyped entry is one of them."""
        for key, facts in self._facts.items():
            action = self._actions.get(key)
            if action is None or isinstance(action, Retype):
                yield facts

    def action_on(self, key: str) -> Action | None:
        """Return what was decided on an entry."""
        return self._actions.get(key)

    def note(self, action: Retype) -> None:
        """Decide something that changes no size."""
        self._actions[action.key] = action

    def take(self, facts: EntryFacts, action: Action) -> bool:
        """Decide on one entry; False when the file would not shrink by it."""
        left = _what_stays(action)
        if left is not None and (self._free_form or len(left) >= facts.size):
            return False
        self._actions[facts.key] = action
        if left is None:
            del self._sizes[facts.key]
        else:
            self._sizes[facts.key] = len(left)
        return True

    def merge(self, action: Merge) -> bool:
        """Decide on a merge unless one of its entries is spoken for or too little is saved."""
        free = all(key in self._sizes and key not in self._actions for key in action.keys)
        if self._free_form or not free:
            return False
        first, *others = action.keys
        sizes = [self._sizes[key] for key in action.keys]
        if joined_length(sizes) - len(action.text) < WORTH_MERGING * min(sizes):
            return False
        for key in others:
            del self._sizes[key]
        self._sizes[first] = len(action.text)
        self._actions.update(dict.fromkeys(action.keys, action))
        return True


def _what_stays(action: Action) -> str | None:
    match action:
        case Stub(text=text) | Compress(text=text):
            return text
        case Split(kept=kept):
            return kept
        case _:
            return None
