"""What planning an overflow needs to know; gathered before, so that planning itself is pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from memorycore.model.hot import EntryMeta, HotEntry, HotSnapshot
from memorycore.model.routing import Classification, EntryType, Route

SEPARATOR_LENGTH = 3
"""Characters between two entries of a file, as the host counts them."""

PROTECTED_IMPORTANCE = 0.9
"""From this importance on an entry is protected whatever it says."""


SURELY_COLD = 0.9
"""From this confidence on the classifier's `cold` outweighs a word that tells who the user is."""


NEEDED_SHARE = 0.7
"""Below this probability of being needed on every turn an unprotected entry may go under hard pressure."""

LOOSE_SHARE = 0.5
"""The same for an entry the classifier protects: it errs there on the safe side, and rules of one task fall in."""

RED_LINE_SHARE = 0.3
"""From this probability of a red line on, protection holds whatever else is thought of the entry."""


def is_loose(found: Classification) -> bool:
    """Tell whether the classifier's protection of a text is a precaution only: a rule of one task, no red line."""
    if found.needed is None or found.red_line is None:
        return False
    return found.needed < LOOSE_SHARE and found.red_line < RED_LINE_SHARE


def _surely_cold(found: Classification) -> bool:
    dispensable = found.needed is not None and found.needed < LOOSE_SHARE
    return found.route is Route.COLD and (found.confidence >= SURELY_COLD or dispensable)


class Warmth(StrEnum):
    """Who needs a hot entry: any turn, turns about one topic, or whoever looks it up (a tool's rule, a doubtful one)."""

    NEEDED = "needed"
    TOPICAL = "topical"
    LOOKED_UP = "looked up"


class Dormancy(StrEnum):
    """Verdict on a topic; `unknown` (too little evidence) counts as active."""

    ACTIVE = "active"
    DORMANT = "dormant"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a long entry; `core` sentences stay when the entry is split."""

    text: str
    core: bool


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """One hot entry with everything observed of it.

    `identity` tells that it says who the user is, `warmth` which turns need it.
    `taste` tells that it has a word of preference, so that it is never thrown away as stale.
    `withheld` says why its text must be copied nowhere (a secret), empty when it may.
    `completed` says in words why the entry looks like an old finished record (S2), `redundant_with` is the id of
    an equivalent live cold memory (S5), `compressed` what a judge made of it (S1), `sentences` its parts when it
    may be split.
    """

    entry: HotEntry
    meta: EntryMeta
    classification: Classification
    identity: bool = False
    warmth: Warmth = Warmth.NEEDED
    taste: bool = False
    withheld: str = ""
    completed: str | None = None
    redundant_with: str | None = None
    dormancy: Dormancy = Dormancy.UNKNOWN
    dormancy_reason: str = ""
    compressed: str | None = None
    sentences: tuple[Sentence, ...] = ()

    @property
    def key(self) -> str:
        """The entry's key."""
        return self.entry.key

    @property
    def size(self) -> int:
        """Characters of the entry."""
        return len(self.entry.text)

    @property
    def protected(self) -> bool:
        """Whether the entry must never leave."""
        judged = self.meta.protected or self.classification.protected
        held = self.withheld or self.meta.importance >= PROTECTED_IMPORTANCE
        return bool(held or (judged and not is_loose(self.classification))) and not self.stub

    @property
    def stub(self) -> bool:
        """Whether the entry is a pointer."""
        return self.meta.type is EntryType.STUB

    @property
    def needed(self) -> bool:
        """Whether every turn needs the entry, so that neither age nor ordinary pressure moves it."""
        if self.stub:
            return False
        found = self.classification
        identity = self.identity and not _surely_cold(found)
        return self.protected or identity or found.route is Route.HOT

    def age(self, now: datetime) -> timedelta:
        """Time since the fact was written; never negative, so that a clock set back ages nothing."""
        return max(now - self.meta.written_at, timedelta(0))

    def idle(self, now: datetime) -> timedelta:
        """Time since the entry last changed; never negative."""
        return max(now - self.meta.updated_at, timedelta(0))


@dataclass(frozen=True, slots=True)
class MergeProposal:
    """Entries that say one thing, oldest first, and the one text that keeps all of it."""

    keys: tuple[str, ...]
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class OverflowView:
    """A hot file with the facts on each of its entries, in the file's order."""

    snapshot: HotSnapshot
    facts: tuple[EntryFacts, ...]
    merges: tuple[MergeProposal, ...] = ()


def joined_length(sizes: list[int]) -> int:
    """Return the characters of a file with entries of these sizes."""
    return sum(sizes) + SEPARATOR_LENGTH * max(len(sizes) - 1, 0)
