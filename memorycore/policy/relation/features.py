"""Numbers that describe a pair of texts, for the rules and for the trained scorer."""

import math
from collections.abc import Iterable, Sequence

from memorycore.policy.relation.difference import Difference, bare_name, differ, weight
from memorycore.policy.relation.facts import TextFacts
from memorycore.policy.relation.frames import holds_another_thing, is_plain, roles_swapped
from memorycore.policy.relation.polarity import opposites, stance
from memorycore.policy.relation.tokens import Kind, Token

_MANY = 40
"""Names looked at on each side; more only occur in texts that differ anyway."""

_GROUPS = ("env", "side", "kin", "unit", "month", "dow")


def pair_features(older: TextFacts, newer: TextFacts) -> dict[str, float]:
    """Return the named features of a pair; every value is finite."""
    diff = differ(older, newer)
    out = _shape(older, newer, diff)
    out |= _values(older, newer, diff)
    out |= _polarity(older, newer, diff)
    out |= _position(older, newer, diff)
    return out


def _shape(older: TextFacts, newer: TextFacts, diff: Difference) -> dict[str, float]:
    common = len(older.grams & newer.grams)
    a, b = max(1, len(older.grams)), max(1, len(newer.grams))
    size_a, size_b = len(older.content), len(newer.content)
    return {
        "cov_a": diff.covered_older,
        "cov_b": diff.covered_newer,
        "cov_min": min(diff.covered_older, diff.covered_newer),
        "cov_max": max(diff.covered_older, diff.covered_newer),
        "jaccard": common / max(1, a + b - common),
        "gram_a": common / a,
        "gram_b": common / b,
        "len_a": math.log1p(size_a),
        "len_b": math.log1p(size_b),
        "len_ratio": math.log((size_b + 1) / (size_a + 1)),
        "left_a": math.log1p(sum(map(weight, diff.only_older))),
        "left_b": math.log1p(sum(map(weight, diff.only_newer))),
        "shared": math.log1p(diff.shared),
        "anchor": math.log1p(diff.anchor),
        "anchor_share": diff.anchor / max(1.0, sum(map(weight, older.content))),
        "head": diff.head,
        "tail": diff.tail,
        "cjk": float(older.language in ("zh", "ja", "ko")),
        "ru": float(older.language == "ru"),
    }


def _bare(names: frozenset[str]) -> frozenset[str]:
    return frozenset(map(bare_name, names))


def _sides(name: str, a: frozenset[str], b: frozenset[str]) -> dict[str, float]:
    only_a, only_b = len(a - b), len(b - a)
    return {
        f"{name}_a": min(3.0, only_a),
        f"{name}_b": min(3.0, only_b),
        f"{name}_both": min(3.0, only_a, only_b),
        f"{name}_same": min(3.0, len(a & b)),
    }


def _values(older: TextFacts, newer: TextFacts, diff: Difference) -> dict[str, float]:
    out = _sides("num", *_numbers(older, newer))
    out |= _sides("ident", older.idents, newer.idents)
    out |= _sides("name", _bare(older.names), _bare(newer.names))
    words_a, words_b = (frozenset(t.key for t in side.content) for side in (older, newer))
    out["initial_a"] = float(bool(older.initials - words_b))
    out["initial_b"] = float(bool(newer.initials - words_a))
    out["initial_both"] = out["initial_a"] * out["initial_b"]
    for group in _GROUPS:
        a = frozenset(m for m in older.marks if m.startswith(group + ":"))
        b = frozenset(m for m in newer.marks if m.startswith(group + ":"))
        out[f"{group}_clash"] = float(bool(a - b) and bool(b - a))
        out[f"{group}_one"] = float(bool(a ^ b))
    out["near"] = min(2.0, float(near_misses(diff)))
    return out


def _numbers(older: TextFacts, newer: TextFacts) -> tuple[frozenset[str], frozenset[str]]:
    """Return the numbers of both sides; a one that may mean "a" fits any one and its absence."""
    a, b = older.numbers, newer.numbers
    one = frozenset({"n:1"})
    if older.weak_one and b >= one:
        a |= one
    if newer.weak_one and a >= one:
        b |= one
    return a, b


def near_misses(diff: Difference) -> int:
    """Count pairs of unmatched names or identifiers that differ by a letter or two or in digit order."""
    a = [t for t in diff.only_older if _named(t)][:_MANY]
    b = [t for t in diff.only_newer if _named(t)][:_MANY]
    return sum(1 for x in a for y in b if _near(bare_name(x.key), bare_name(y.key), _slack(x, y)))


def _slack(x: Token, y: Token) -> int:
    """Words that only may be names must be nearer to count."""
    return 1 if "initial" in x.tags or "initial" in y.tags else 2


def _named(token: Token) -> bool:
    return token.name or token.kind is Kind.IDENT or "initial" in token.tags


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


def _polarity(older: TextFacts, newer: TextFacts, diff: Difference) -> dict[str, float]:
    a, b = stance(older), stance(newer)
    lone_a, lone_b = _tags(diff.only_older), _tags(diff.only_newer)
    flipped = sum(
        1
        for p in a.poles
        if p[:-1] + ("-" if p[-1] == "+" else "+") in b.poles and p not in b.poles
    )
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
        "flipped": min(2.0, flipped),
        "opposite": min(2.0, opposites(diff.only_older, diff.only_newer)),
        "change_a": min(2.0, lone_a.count("change")),
        "change_b": min(3.0, lone_b.count("change")),
        "add_b": float(_has(newer, "add") and not _has(older, "add")),
        "series": float(_has(older, "series:word") and _has(newer, "series:word")),
        "shield": float(("shield" in lone_a) != ("shield" in lone_b)),
        "pole_a": float(any(t.startswith("pole") for t in lone_a)),
        "pole_b": float(any(t.startswith("pole") for t in lone_b)),
    }


def _has(facts: TextFacts, tag: str) -> bool:
    return any(tag in t.tags for t in facts.tokens)


def _tags(tokens: Iterable[Token]) -> list[str]:
    return [tag for token in tokens for tag in token.tags]


def _plain(tokens: Iterable[Token]) -> list[Token]:
    return [token for token in tokens if is_plain(token)]


def _position(older: TextFacts, newer: TextFacts, diff: Difference) -> dict[str, float]:
    plain_a, plain_b = _plain(diff.only_older), _plain(diff.only_newer)
    first_a = older.content[0].key if older.content else ""
    first_b = newer.content[0].key if newer.content else ""
    last_a = older.content[-1].key if older.content else ""
    last_b = newer.content[-1].key if newer.content else ""
    keys_b = {t.key for t in newer.content}
    lead = older.content[:2]
    return {
        "plain_a": math.log1p(sum(map(weight, plain_a))),
        "plain_b": math.log1p(sum(map(weight, plain_b))),
        "valuelike": float(
            bool(plain_a)
            and all(t.kind is Kind.NUMBER for t in plain_a)
            and all(t.kind is Kind.NUMBER for t in plain_b)
        ),
        "first_same": float(first_a == first_b),
        "last_same": float(last_a == last_b),
        "lead_kept": sum(t.key in keys_b for t in lead) / max(1, len(lead)),
        "spot_a": _mean(diff.spots_older),
        "spot_b": _mean(diff.spots_newer),
        "first_spot_a": min(diff.spots_older, default=1.0),
        "first_spot_b": min(diff.spots_newer, default=1.0),
        "another": float(holds_another_thing(older.content, newer.content, _places(diff))),
        "swapped": float(roles_swapped(older.tokens, newer.tokens)),
        "parallel": _parallel(older, newer, diff),
        "copula": float(_has_copula(older) and _has_copula(newer)),
        "slot": float(_same_slot(older, newer, diff)),
        "number_id": float(_numbered_noun(older, diff)),
    }


def _places(diff: Difference) -> tuple[frozenset[int], frozenset[int]]:
    return (
        frozenset(token.start for token in diff.only_older),
        frozenset(token.start for token in diff.only_newer),
    )


def _parallel(older: TextFacts, newer: TextFacts, diff: Difference) -> float:
    """Return how far both texts are one frame with other words in its slots, 0 to 1."""
    a, b = _plain(diff.only_older), _plain(diff.only_newer)
    if not a or not b or abs(len(older.content) - len(newer.content)) > 2:
        return 0.0
    return min(1.0, diff.head + diff.tail) * min(len(a), len(b)) / max(len(a), len(b))


def _has_copula(facts: TextFacts) -> bool:
    return (
        any("copula:is" in t.tags for t in facts.tokens) or ":" in facts.text or "=" in facts.text
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.5


def _same_slot(older: TextFacts, newer: TextFacts, diff: Difference) -> bool:
    """Tell whether an unmatched value of each side follows the same word."""
    lone_a = {t.start for t in diff.only_older if t.kind in (Kind.NUMBER, Kind.IDENT) or t.name}
    lone_b = {t.start for t in diff.only_newer if t.kind in (Kind.NUMBER, Kind.IDENT) or t.name}
    before_a = {
        x.key for x, y in zip(older.tokens, older.tokens[1:], strict=False) if y.start in lone_a
    }
    before_b = {
        x.key for x, y in zip(newer.tokens, newer.tokens[1:], strict=False) if y.start in lone_b
    }
    return bool(before_a & before_b)


def _numbered_noun(older: TextFacts, diff: Difference) -> bool:
    """Tell whether an unmatched number of the older text names a thing ("room 204", "sprint 41")."""
    lone = {t.start for t in diff.only_older if t.kind is Kind.NUMBER}
    return any(
        y.start in lone
        and "stop" not in x.tags
        and x.kind in (Kind.WORD, Kind.GLYPH)
        and not x.tags
        for x, y in zip(older.tokens, older.tokens[1:], strict=False)
    )
