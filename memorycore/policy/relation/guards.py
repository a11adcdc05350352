"""What forbids a relation, whatever the similarity: the rules that keep facts alive."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memorycore.model.relation import Relation

Features = Mapping[str, float]

_MERGING = (Relation.SAME, Relation.SIMILAR)
_REPLACING = (Relation.SAME, Relation.UPDATE, Relation.REVERSAL)
_SUPERSEDING = (Relation.UPDATE, Relation.REVERSAL)
_ANY = (Relation.SAME, Relation.SIMILAR, Relation.UPDATE, Relation.REVERSAL)


@dataclass(frozen=True, slots=True)
class Guard:
    """One rule: the relations it forbids, why in words, and when."""

    forbids: tuple[Relation, ...]
    reason: str
    objects: Callable[[Features], bool]


def _unannounced(f: Features) -> bool:
    """No word of the newer text says that something changed or ended."""
    return f["change_b"] == 0 and f["cease_b"] == 0


def _one_value(f: Features) -> bool:
    """One value in the same place is all that differs, and it is not part of a name ("room 204")."""
    return f["head"] + f["tail"] >= 0.6 and f["lead_kept"] == 1 and f["number_id"] == 0


def _numbers_clash(f: Features) -> bool:
    """Both sides have numbers of their own, in texts close enough for them to be about one thing."""
    return f["num_both"] > 0 and (f["cov_min"] > 0.45 or f["slot"] > 0)


def _several_values(f: Features) -> bool:
    values = ("num_both", "ident_both", "name_both", "month_clash", "dow_clash")
    return sum(f[name] for name in values) > 1


def _thing_beside_no_number(f: Features) -> bool:
    """The slot holds another thing, not another number, and nothing says it changed."""
    return _unannounced(f) and f["another"] > 0 and f["num_both"] + f["ident_both"] == 0


def _turned(f: Features) -> bool:
    return f["opposite"] > 0 and f["sign_xor"] > 0


def _nothing_turned(f: Features) -> bool:
    signs = ("flipped", "opposite", "cease_b", "lone_neg_a", "lone_neg_b")
    return f["num_both"] > 0 and sum(f[name] for name in signs) == 0


def _other_subject(f: Features) -> bool:
    """Both sentences open with a word of their own that may be a name, and go on alike."""
    return f["initial_both"] > 0 and f["tail"] >= 0.3 and f["flipped"] + f["opposite"] == 0


def _same_kind_of_event(f: Features) -> bool:
    """One frame without a word of being: two events told alike, not one state told twice."""
    return _unannounced(f) and f["copula"] == 0 and f["parallel"] >= 0.7


def _other_thing_and_value(f: Features) -> bool:
    """Besides a value each side has a word of its own, in one frame without a word of being."""
    values = f["num_both"] + f["ident_both"]
    own_words = min(f["plain_a"], f["plain_b"]) > 0.7
    return _unannounced(f) and f["copula"] == 0 and values > 0 and own_words and f["head"] >= 0.25


def _parts_after_one_beginning(f: Features) -> bool:
    """Both begin alike and then each has words of its own; who says the same anew begins anew."""
    return f["head"] >= 0.3 and min(f["plain_a"], f["plain_b"]) > 0.7


def _no_subject(f: Features) -> bool:
    """No word of both texts can name what they are about."""
    return f["anchor"] == 0


def _faint_subject(f: Features) -> bool:
    return f["anchor"] < 0.7 and f["anchor_share"] < 0.3


GUARDS: tuple[Guard, ...] = (
    Guard(_ANY, "different environments", lambda f: f["env_clash"] > 0),
    Guard(_ANY, "different sides or platforms", lambda f: f["side_clash"] > 0),
    Guard(_REPLACING, "only one names an environment", lambda f: f["env_one"] > 0),
    Guard(_ANY, "different persons", lambda f: f["kin_clash"] > 0),
    Guard(_SUPERSEDING, "no common subject", _no_subject),
    Guard(_SUPERSEDING, "hardly a word in common", lambda f: f["cov_max"] < 0.2),
    Guard((Relation.SIMILAR,), "no common subject", _faint_subject),
    Guard((Relation.SAME,), "no common subject", lambda f: _no_subject(f) and f["cov_min"] < 0.6),
    Guard((Relation.SAME,), "different numbers", lambda f: f["num_both"] > 0),
    Guard((Relation.SIMILAR,), "different numbers", _numbers_clash),
    Guard((Relation.SAME,), "a number only one has", lambda f: f["num_a"] + f["num_b"] > 0),
    Guard(_MERGING, "different units", lambda f: f["unit_clash"] > 0 and f["num_same"] > 0),
    Guard(_MERGING, "different identifiers", lambda f: f["ident_both"] > 0),
    Guard(
        (Relation.SAME,), "an identifier only one has", lambda f: f["ident_a"] + f["ident_b"] > 0
    ),
    Guard(_MERGING, "different months", lambda f: f["month_clash"] > 0),
    Guard(_MERGING, "different days", lambda f: f["dow_clash"] > 0),
    Guard(_MERGING, "names that nearly match", lambda f: f["near"] > 0),
    Guard((Relation.SAME,), "different names", lambda f: f["name_both"] > 1),
    Guard(_MERGING, "opposite claims", _turned),
    Guard((Relation.SAME,), "one beginning, other words after it", _parts_after_one_beginning),
    Guard(_MERGING, "another thing in the same place", lambda f: f["another"] > 0),
    Guard(_SUPERSEDING, "another thing in the same place", _thing_beside_no_number),
    Guard(_MERGING, "two things changed places", lambda f: f["swapped"] > 0),
    Guard((Relation.REVERSAL,), "another value, no opposite claim", _nothing_turned),
    Guard((Relation.UPDATE,), "one more beside the older", lambda f: f["add_b"] > f["num_both"]),
    Guard(
        _SUPERSEDING,
        "another number of a series",
        lambda f: _unannounced(f) and f["series"] > 0 and f["num_both"] > 0,
    ),
    Guard(
        _REPLACING,
        "identifiers that nearly match",
        lambda f: f["near"] > 0 and _unannounced(f) and not _one_value(f),
    ),
    Guard((Relation.UPDATE,), "another event told alike", _same_kind_of_event),
    Guard((Relation.UPDATE,), "another thing and another value", _other_thing_and_value),
    Guard(
        (Relation.UPDATE,),
        "several values differ and nothing says they changed",
        lambda f: _unannounced(f) and _several_values(f),
    ),
    Guard(
        _SUPERSEDING,
        "another identifier, and nothing says it changed",
        lambda f: _unannounced(f) and f["ident_both"] > 0 and not _one_value(f),
    ),
    Guard(
        _REPLACING,
        "another name, and nothing says it changed",
        lambda f: _unannounced(f) and f["name_both"] > 0 and not _one_value(f),
    ),
    Guard(
        _SUPERSEDING,
        "another subject, and nothing says it changed",
        lambda f: _unannounced(f) and _other_subject(f),
    ),
)


_AGAINST: Mapping[Relation, Sequence[Guard]] = {
    relation: [guard for guard in GUARDS if relation in guard.forbids] for relation in _ANY
}


def objections(features: Features, relations: Iterable[Relation] = _ANY) -> dict[Relation, str]:
    """Return each of `relations` that is forbidden, with the first reason found against it."""
    out: dict[Relation, str] = {}
    for relation in relations:
        for guard in _AGAINST.get(relation, ()):
            if guard.objects(features):
                out[relation] = guard.reason
                break
    return out
