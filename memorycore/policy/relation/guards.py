"""What forbids a relation, whatever the similarity: the rules that keep facts alive."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memorycore.model.relation import Relation

Features = Mapping[str, float]

_REPLACING = (Relation.SAME, Relation.UPDATE, Relation.REVERSAL)
_MERGING = (Relation.SAME, Relation.SIMILAR)
_ALL = (Relation.SAME, Relation.SIMILAR, Relation.UPDATE, Relation.REVERSAL)


@dataclass(frozen=True, slots=True)
class Guard:
    """One rule: the relations it forbids, when, and why in words."""

    forbids: tuple[Relation, ...]
    reason: str
    objects: Callable[[Features], bool]


def _no_cue(f: Features) -> bool:
    return f["change_b"] == 0 and f["cease_b"] == 0


GUARDS: tuple[Guard, ...] = (
    Guard(_ALL, "different environments", lambda f: f["env_clash"] > 0),
    Guard(_ALL, "different persons", lambda f: f["kin_clash"] > 0),
    Guard(
        _MERGING,
        "different numbers",
        lambda f: f["num_both"] > 0 and (f["cov_min"] > 0.45 or f["slot"] > 0),
    ),
    Guard((Relation.SAME,), "a number only one side has", lambda f: f["num_a"] + f["num_b"] > 0),
    Guard(_MERGING, "different units", lambda f: f["unit_clash"] > 0 and f["num_same"] > 0),
    Guard(_MERGING, "different identifiers", lambda f: f["ident_both"] > 0),
    Guard(
        (Relation.SAME,),
        "an identifier only one side has",
        lambda f: f["ident_a"] + f["ident_b"] > 0,
    ),
    Guard(_MERGING, "different months", lambda f: f["month_clash"] > 0),
    Guard(_MERGING, "different days", lambda f: f["dow_clash"] > 0),
    Guard(_MERGING, "names that nearly match", lambda f: f["near"] > 0),
    Guard((Relation.SAME,), "different names", lambda f: f["name_both"] > 1),
    Guard(_MERGING, "opposite claims", lambda f: f["opposite"] > 0 and f["sign_xor"] > 0),
    Guard(
        (Relation.REVERSAL,),
        "no opposite claim",
        lambda f: (
            f["num_both"] > 0
            and f["flipped"] + f["opposite"] + f["cease_b"] + f["lone_neg_b"] + f["lone_neg_a"] == 0
        ),
    ),
    Guard(
        _REPLACING,
        "identifiers that nearly match",
        lambda f: f["near"] > 0 and _no_cue(f) and not _one_value(f),
    ),
    Guard(
        (Relation.UPDATE,),
        "two values differ and nothing says they changed",
        lambda f: (
            _no_cue(f)
            and f["num_both"] + f["ident_both"] + f["name_both"] + f["month_clash"] + f["dow_clash"]
            > 1
        ),
    ),
    Guard(
        (Relation.UPDATE, Relation.REVERSAL),
        "another identifier, and nothing says it changed",
        lambda f: _no_cue(f) and f["ident_both"] > 0 and not _one_value(f),
    ),
    Guard(
        (Relation.UPDATE, Relation.SAME, Relation.REVERSAL),
        "another name, and nothing says it changed",
        lambda f: _no_cue(f) and f["name_both"] > 0 and f["first_same"] == 0 and f["flipped"] == 0,
    ),
)


def _one_value(f: Features) -> bool:
    """Tell whether one value in the same slot is all that differs."""
    return f["head"] + f["tail"] >= 0.6 and f["lead_kept"] == 1 and f["number_id"] == 0


def objections(features: Features) -> dict[Relation, str]:
    """Return each forbidden relation with the first reason found against it."""
    out: dict[Relation, str] = {}
    for guard in GUARDS:
        if guard.objects(features):
            for relation in guard.forbids:
                out.setdefault(relation, guard.reason)
    return out
