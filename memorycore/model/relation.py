"""How two texts relate."""

from dataclasses import dataclass
from enum import StrEnum

from memorycore.model.record import Record


class Relation(StrEnum):
    """Relation of a newer text to an older one.

    `same`: nothing is lost by keeping one. `similar`: one topic, each side has something of its own.
    `update`: same subject and slot, new value. `reversal`: the newer negates the older. `distinct`: both live.
    """

    SAME = "same"
    SIMILAR = "similar"
    UPDATE = "update"
    REVERSAL = "reversal"
    DISTINCT = "distinct"


@dataclass(frozen=True, slots=True)
class Match(Record):
    """The relation, how sure the rules are of it (0 to 1), and why in words."""

    relation: Relation
    score: float
    reason: str
