"""Numbers that describe a pair of texts, for the rules and for the trained scorer."""

import math
from collections.abc import Sequence

from memorycore.policy.relation.claims import Claims, claims
from memorycore.policy.relation.difference import Difference, differ
from memorycore.policy.relation.facts import TextFacts
from memorycore.policy.relation.frames import holds_another_thing, roles_swapped
from memorycore.policy.relation.outline import Outline, outline
from memorycore.policy.relation.polarity import denied_words, opposite_poles, turned_pole
from memorycore.policy.relation.tokens import Kind

_MANY = 40
"""Names looked at on each side; more only occur in texts that differ anyway."""

_NUM, _IDENT, _NAME = (
    tuple(f"{name}_{kind}" for kind in ("a", "b", "both", "same"))
    for name in ("num", "ident", "name")
)
_GROUPS = ("env", "side", "kin", "unit", "month", "dow")
_MARKED = tuple((group, f"{group}_clash", f"{group}_one") for group in _GROUPS)
_NO_MARKS = dict.fromkeys([name for _, *names in _MARKED for name in names], 0.0)


def pair_features(older: TextFacts, newer: TextFacts) -> dict[str, float]:
    """Return the named features of a pair; every value is finite."""
    diff = differ(outline(older), outline(newer))
    a, b = claims(older), claims(newer)
    out = _shape(diff)
    out["cjk"] = float(older.language in ("zh", "ja", "ko"))
    out["ru"] = float(older.language == "ru")
    out |= _values(a, b, diff)
    out |= _polarity(a, b, diff)
    out |= _position(diff)
    out["swapped"] = float(roles_swapped(older.tokens, newer.tokens))
    out["parallel"] = _parallel(diff)
    out["copula"] = float(a.defines and b.defines)
    out["slot"] = float(_same_slot(diff))
    out["number_id"] = float(_numbered_noun(diff))
    return out


def _shape(diff: Difference) -> dict[str, float]:
    older, newer = diff.older, diff.newer
    common = len(older.grams & newer.grams)
    a, b = max(1, len(older.grams)), max(1, len(newer.grams))
    size_a, size_b = len(older.keys), len(newer.keys)
    short = max(1, min(size_a, size_b))
    left_a, left_b = _weight(older, diff.lone_older), _weight(newer, diff.lone_newer)
    covered_a, covered_b = 1 - left_a / (older.total or 1.0), 1 - left_b / (newer.total or 1.0)
    anchor = _anchor(diff)
    return {
        "cov_a": covered_a,
        "cov_b": covered_b,
        "cov_min": min(covered_a, covered_b),
        "cov_max": max(covered_a, covered_b),
        "jaccard": common / max(1, a + b - common),
        "gram_a": common / a,
        "gram_b": common / b,
        "len_a": math.log1p(size_a),
        "len_b": math.log1p(size_b),
        "len_ratio": math.log((size_b + 1) / (size_a + 1)),
        "left_a": math.log1p(left_a),
        "left_b": math.log1p(left_b),
        "shared": math.log1p((older.total or 1.0) - left_a),
        "anchor": math.log1p(anchor),
        "anchor_share": anchor / max(1.0, older.total),
        "head": diff.head / short,
        "tail": diff.tail / short,
    }


def _weight(side: Outline, positions: Sequence[int]) -> float:
    if len(positions) == len(side.keys):
        return side.total
    return sum([side.weights[i] for i in positions])


def _anchor(diff: Difference) -> float:
    """Return the weight of the matched tokens that can say what both texts are about; a synonym only in the same form."""
    side, alone = diff.older, frozenset(diff.lone_older)
    if len(alone) == len(side.keys):
        return 0.0
    named = [i for i in range(len(side.keys)) if i not in alone and i not in side.silent]
    if side.synonyms:
        shared = diff.newer.words
        named = [i for i in named if i not in side.synonyms or side.keys[i] in shared]
    return _weight(side, named)


def _sides(names: Sequence[str], a: frozenset[str], b: frozenset[str]) -> dict[str, float]:
    if not a and not b:
        return dict.fromkeys(names, 0.0)
    only_a, only_b = len(a - b), len(b - a)
    counts = (only_a, only_b, min(only_a, only_b), len(a & b))
    return {name: min(3.0, count) for name, count in zip(names, counts, strict=True)}


def _values(a: Claims, b: Claims, diff: Difference) -> dict[str, float]:
    out = _sides(_NUM, *_numbers(a, b))
    out |= _sides(_IDENT, a.idents, b.idents)
    out |= _sides(_NAME, a.names, b.names)
    out["initial_a"] = float(not a.initials <= diff.newer.words)
    out["initial_b"] = float(not b.initials <= diff.older.words)
    out["initial_both"] = out["initial_a"] * out["initial_b"]
    out |= _marks(a.marks, b.marks)
    out["near"] = min(2.0, float(near_misses(diff)))
    return out


def _numbers(older: Claims, newer: Claims) -> tuple[frozenset[str], frozenset[str]]:
    """Return the numbers of both sides; a one that may mean "a" fits any one and its absence."""
    a, b = older.numbers, newer.numbers
    if older.weak_one and "n:1" in b:
        a |= {"n:1"}
    if newer.weak_one and "n:1" in a:
        b |= {"n:1"}
    return a, b


def _marks(a: frozenset[str], b: frozenset[str]) -> dict[str, float]:
    if a == b:
        return _NO_MARKS
    only_a = {mark.partition(":")[0] for mark in a - b}
    only_b = {mark.partition(":")[0] for mark in b - a}
    out = {}
    for group, clash, one in _MARKED:
        out[clash] = float(group in only_a and group in only_b)
        out[one] = float(group in only_a or group in only_b)
    return out


def near_misses(diff: Difference) -> int:
    """Count pairs of unmatched names or identifiers that differ by a letter or two or in digit order."""
    a, b = _names(diff.older, diff.lone_older), _names(diff.newer, diff.lone_newer)
    # A word that only may be a name must be nearer to count.
    return sum([_near(x, y, 1 if vague or vaguer else 2) for x, vague in a for y, vaguer in b])


def _names(side: Outline, positions: Sequence[int]) -> list[tuple[str, bool]]:
    """Return the first of the names, each with whether it only may be one."""
    if not side.named:
        return []
    found = [i for i in positions if i in side.named][:_MANY]
    return [(side.named[i], "initial" in side.content[i].tags) for i in found]


def _near(x: str, y: str, slack: int) -> bool:
    if x == y or abs(len(x) - len(y)) > slack:
        return False
    if sorted(x) == sorted(y):
        return True
    head = 0
    while head < min(len(x), len(y)) and x[head] == y[head]:
        head += 1
    tail = 0
    while tail < min(len(x), len(y)) - head and x[-1 - tail] == y[-1 - tail]:
        tail += 1
    return max(len(x), len(y)) - head - tail <= slack and head + tail >= 2


def _polarity(older: Claims, newer: Claims, diff: Difference) -> dict[str, float]:
    a, b = older.stance, newer.stance
    lone_a, lone_b = _cues(diff.older, diff.lone_older), _cues(diff.newer, diff.lone_newer)
    return {
        "neg_a": min(2.0, a.negations),
        "neg_b": min(2.0, b.negations),
        "neg_diff": float(b.negations - a.negations),
        "neg_xor": float((a.negations + b.negations) % 2),
        "lone_neg_a": float("neg" in lone_a),
        "lone_neg_b": float("neg" in lone_b),
        "cease_a": float("cease" in lone_a),
        "cease_b": float("cease" in lone_b),
        "sign_xor": float(a.sign != b.sign),
        "flipped": min(2.0, _flipped(a.poles, b.poles)),
        "opposite": min(2.0, _opposites(diff, lone_a, lone_b)),
        "change_a": min(2.0, lone_a.count("change")),
        "change_b": min(3.0, lone_b.count("change")),
        "add_b": float(newer.adds and not older.adds),
        "series": float(older.series and newer.series),
        "shield": float(("shield" in lone_a) != ("shield" in lone_b)),
        "pole_a": float(any(tag.startswith("pole:") for tag in lone_a)),
        "pole_b": float(any(tag.startswith("pole:") for tag in lone_b)),
    }


def _cues(side: Outline, positions: Sequence[int]) -> list[str]:
    if not side.cues:
        return []
    return [tag for i in positions if i in side.cues for tag in side.cues[i]]


def _flipped(a: frozenset[str], b: frozenset[str]) -> int:
    """Count the poles of the older text of which the newer one states only the opposite."""
    if not a or not b:
        return 0
    return len([pole for pole in a - b if turned_pole(pole) in b])


def _opposites(diff: Difference, cues_a: Sequence[str], cues_b: Sequence[str]) -> int:
    """Count pairs of unmatched words that stand at opposite poles or differ by a negating beginning."""
    a, b, lone_a, lone_b = diff.older, diff.newer, diff.lone_older, diff.lone_newer
    flips = opposite_poles(cues_a, cues_b) if cues_a and cues_b else 0
    return flips + _denied(a, lone_a, b, lone_b) + _denied(b, lone_b, a, lone_a)


def _denied(side: Outline, lone: Sequence[int], other: Outline, others: Sequence[int]) -> int:
    """Count the words of the other side that deny a word of this side by their beginning."""
    rests = [other.turned[i] for i in others if i in other.turned] if other.turned else []
    return denied_words([side.content[i] for i in lone], rests) if rests else 0


def _position(diff: Difference) -> dict[str, float]:
    older, newer = diff.older, diff.newer
    plain_a, plain_b = _plain(older, diff.lone_older), _plain(newer, diff.lone_newer)
    spots_a, spots_b = _spots(older, diff.lone_older), _spots(newer, diff.lone_newer)
    lead = older.keys[:2]
    return {
        "plain_a": math.log1p(_weight(older, plain_a)),
        "plain_b": math.log1p(_weight(newer, plain_b)),
        "valuelike": float(
            bool(plain_a)
            and older.figures.issuperset(plain_a)
            and newer.figures.issuperset(plain_b)
        ),
        "first_same": float(older.keys[:1] == newer.keys[:1]),
        "last_same": float(older.keys[-1:] == newer.keys[-1:]),
        "lead_kept": sum([key in newer.words for key in lead]) / max(1, len(lead)),
        "spot_a": _mean(spots_a),
        "spot_b": _mean(spots_b),
        "first_spot_a": min(spots_a, default=1.0),
        "first_spot_b": min(spots_b, default=1.0),
        "another": float(holds_another_thing(diff)),
    }


def _plain(side: Outline, positions: Sequence[int]) -> Sequence[int]:
    return [i for i in positions if i not in side.odd] if side.odd else positions


def _spots(side: Outline, positions: Sequence[int]) -> list[float]:
    last = max(1, len(side.keys) - 1)
    return [i / last for i in positions]


def _parallel(diff: Difference) -> float:
    """Return how far both texts are one frame with other words in its slots, 0 to 1."""
    a, b = _plain(diff.older, diff.lone_older), _plain(diff.newer, diff.lone_newer)
    size_a, size_b = len(diff.older.keys), len(diff.newer.keys)
    if not a or not b or abs(size_a - size_b) > 2:
        return 0.0
    short = max(1, min(size_a, size_b))
    return (
        min(1.0, diff.head / short + diff.tail / short) * min(len(a), len(b)) / max(len(a), len(b))
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.5


def _same_slot(diff: Difference) -> bool:
    """Tell whether an unmatched value of each side follows the same word."""
    if not diff.older.before or not diff.newer.before:
        return False
    before = _before(diff.older, diff.lone_older)
    return not before.isdisjoint(_before(diff.newer, diff.lone_newer))


def _before(side: Outline, positions: Sequence[int]) -> set[str]:
    return {token.key for i in positions if i in side.before for token in side.before[i]}


def _numbered_noun(diff: Difference) -> bool:
    """Tell whether an unmatched number of the older text names a thing ("room 204", "sprint 41")."""
    side = diff.older
    before = [token for i in diff.lone_older if i in side.figures for token in side.before[i]]
    return any(not t.tags and t.kind in (Kind.WORD, Kind.GLYPH) for t in before)
