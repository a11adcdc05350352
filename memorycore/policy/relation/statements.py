"""Plain statements of a value: "the port is 5432", `MAX_RETRY=3`, 端口是5432."""

from collections.abc import Sequence

from memorycore.policy.relation.facts import TextFacts
from memorycore.policy.relation.tokens import Kind, Token

_LONGEST = 14
"""Content tokens a plain statement may have; longer texts say more than one thing."""

_SETTING = "setting:word"
_SERIES = "series:word"
_LINKS = 2
"""Small words that may stand between a setting's name and its value: "limit of 3"."""
_DASHES = ("—", "–", "-")


def states_new_value(older: TextFacts, newer: TextFacts) -> bool:
    """Tell whether both texts are one statement that ends in another number.

    All tokens but the last number must be the same in the same order, the number must follow a word
    of being ("is", "=", 是) or the name of a setting that has one value ("on port"), and nothing may
    mark the statement as one record of many: a date, a clock time, or a word for things that come in
    numbers (a ticket, a queue's depth).
    """
    a, b = older.tokens, newer.tokens
    if len(a) != len(b) or len(older.content) > _LONGEST:
        return False
    gaps = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x.key != y.key]
    if len(gaps) != 1:
        return False
    at = gaps[0]
    return (
        _is_amount(a[at])
        and _is_amount(b[at])
        and _ends_statement(a, at)
        and _introduced(older, at)
        and not any(_marks_event(t) for t in a[:at])
        and not any(_is_dated(t) for t in a[at + 1 :])
    )


def _is_amount(token: Token) -> bool:
    return token.kind is Kind.NUMBER and "date" not in token.tags


def _ends_statement(tokens: Sequence[Token], at: int) -> bool:
    """Only function words and what is measured in ("requests per minute") may follow the value."""
    return all("stop" in t.tags or _is_unit(t) or _SERIES in t.tags for t in tokens[at + 1 :])


def _is_unit(token: Token) -> bool:
    return any(tag.startswith("unit:") for tag in token.tags)


def _introduced(facts: TextFacts, at: int) -> bool:
    """Tell whether a word or sign of being, or a setting's name, stands right before the value.

    Something else must stand before that, for a bare "port 5432" is no statement about anything.
    """
    tokens = facts.tokens
    if not at:
        return False
    last = at - 1
    while last > max(0, at - 1 - _LINKS) and _links(tokens[last]):
        last -= 1
    if "copula:is" in tokens[last].tags or _SETTING in tokens[last].tags:
        return any("stop" not in t.tags for t in tokens[:last])
    sign = facts.folded[: tokens[at].start].rstrip()[-1:]
    if sign in _DASHES:
        return any(_SETTING in t.tags for t in tokens[:at])
    return sign in ("=", ":", "：")


def _links(token: Token) -> bool:
    return "stop" in token.tags and "copula:is" not in token.tags


def _marks_event(token: Token) -> bool:
    """Tell whether a token dates the statement or names something that is counted or numbered."""
    return _SERIES in token.tags or _is_dated(token)


def _is_dated(token: Token) -> bool:
    return any(t in ("date", "clock") or t.startswith(("month:", "dow:")) for t in token.tags)
