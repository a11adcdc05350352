"""What routing decides about one text."""

from dataclasses import dataclass
from enum import StrEnum

from memorycore.model.record import Record


class Target(StrEnum):
    """The hot file a fact is meant for: `memory` is MEMORY.md, `user` is USER.md."""

    MEMORY = "memory"
    USER = "user"


class Route(StrEnum):
    """Where a text belongs; `stale` goes to the trash, recoverable."""

    HOT = "hot"
    COLD = "cold"
    STALE = "stale"


class EntryType(StrEnum):
    """`rule` stays valid until changed, `state` records what was, `stub` points to a cold memory."""

    RULE = "rule"
    STATE = "state"
    STUB = "stub"


@dataclass(frozen=True, slots=True)
class Classification(Record):
    """Route, type and protection of one text, with the reasons in words.

    `behavioural` says that the text tells the agent how to act (preference, rule, correction, identity).
    `confidence` is the classifier's own probability of `route`, 0 to 1. `needed` is the probability that every
    turn needs the text, whatever its topic, and `red_line` that it must never leave the hot tier; both None where
    no trained head tells them.
    """

    route: Route
    type: EntryType
    protected: bool
    behavioural: bool
    confidence: float
    reasons: tuple[str, ...]
    needed: float | None = None
    red_line: float | None = None


class Verdict(StrEnum):
    """Outcome of screening."""

    CLEAN = "clean"
    SECRET = "secret"
    INJECTION = "injection"


@dataclass(frozen=True, slots=True)
class Screening(Record):
    """Verdict on one text and the kinds found; never the value of a secret."""

    verdict: Verdict
    kinds: tuple[str, ...]
