"""What two texts share and what each has of its own."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memorycore.policy.relation.facts import TextFacts
from memorycore.policy.relation.tokens import Kind, Token

_CASE_ENDING = re.compile(r"(?:ами|ями|ого|ому|ом|ем|ой|ей|ах|ях|ам|ям|ов|ев|[аеиоуыэюяйь])$")
_NO_SUBJECT = frozenset(
    {"neg", "cease", "change", "add", "shield", "pole", "unit", "month", "dow", "meridiem", "clock"}
)
_LONGEST_WORD = 24
"""Letters of a word that has forms; what is longer is a hash or the like."""

_MEANINGS = frozenset(
    {"syn", "env", "side", "kin", "unit", "month", "dow", "pole", "neg", "meridiem"}
)
"""Groups of tags by which two words of other spelling mean the same."""

_CUES = ("neg", "cease", "change", "shield")


@dataclass(frozen=True, slots=True)
class Difference:
    """The content tokens of two texts, matched.

    Attributes:
        only_older: tokens of the older text with no partner, in order; `only_newer` likewise.
        covered_older: share of the older text's weight that has a partner, 0 to 1; `covered_newer` likewise.
        shared: weight of the matched tokens.
        anchor: weight of the matched tokens that can name a subject: no number, unit, day, cue or pole.
        head: share of leading tokens in common, of the shorter text; `tail`: of the closing ones.
        spots_older: positions (0 to 1) of the unmatched tokens; `spots_newer` likewise.
    """

    only_older: tuple[Token, ...]
    only_newer: tuple[Token, ...]
    covered_older: float
    covered_newer: float
    shared: float
    anchor: float
    head: float
    tail: float
    spots_older: tuple[float, ...]
    spots_newer: tuple[float, ...]


def weight(token: Token) -> float:
    """Return how much a token counts: cues little, single characters half."""
    if token.kind is Kind.GLYPH:
        return 0.6
    if token.kind is Kind.IDENT:
        return 1.5
    if any(tag in _CUES for tag in token.tags):
        return 0.5
    return max(1.0, min(2.0, len(token.key) / 4)) if token.kind is Kind.WORD else 1.0


def differ(older: TextFacts, newer: TextFacts) -> Difference:
    """Match the content tokens of both texts: by form, then by meaning group, then by stem."""
    a, b = older.content, newer.content
    lone_a, lone_b = _match(a, b)
    total_a = sum(map(weight, a)) or 1.0
    total_b = sum(map(weight, b)) or 1.0
    left_a = sum(weight(a[i]) for i in lone_a)
    left_b = sum(weight(b[i]) for i in lone_b)
    keys_a, keys_b = [t.key for t in a], [t.key for t in b]
    short = max(1, min(len(a), len(b)))
    return Difference(
        only_older=tuple(a[i] for i in lone_a),
        only_newer=tuple(b[i] for i in lone_b),
        covered_older=1 - left_a / total_a,
        covered_newer=1 - left_b / total_b,
        shared=total_a - left_a,
        anchor=_anchor(a, set(lone_a), set(keys_b)),
        head=_common(keys_a, keys_b) / short,
        tail=_common(keys_a[::-1], keys_b[::-1]) / short,
        spots_older=tuple(i / max(1, len(a) - 1) for i in lone_a),
        spots_newer=tuple(i / max(1, len(b) - 1) for i in lone_b),
    )


def _anchor(a: Sequence[Token], lone: set[int], others: set[str]) -> float:
    return sum(weight(t) for i, t in enumerate(a) if i not in lone and _names_a_subject(t, others))


def _names_a_subject(token: Token, others: set[str]) -> bool:
    """Tell whether a matched token can say what both texts are about; a synonym only in the same form."""
    if token.kind is Kind.NUMBER:
        return False
    groups = {tag.partition(":")[0] for tag in token.tags}
    return not groups & _NO_SUBJECT and ("syn" not in groups or token.key in others)


def _match(a: Sequence[Token], b: Sequence[Token]) -> tuple[list[int], list[int]]:
    """Return the positions in `a` and in `b` that found no partner."""
    lone_a, lone_b = list(range(len(a))), list(range(len(b)))
    for view in (_form, _meaning, _stem):
        lone_a, lone_b = _pair_off((a, b), lone_a, lone_b, view)
    return lone_a, lone_b


def _pair_off(
    sides: tuple[Sequence[Token], Sequence[Token]],
    lone_a: Sequence[int],
    lone_b: Sequence[int],
    view: Callable[[Token], Iterable[str]],
) -> tuple[list[int], list[int]]:
    """Take from both lists of lone positions what fits in `view`, first come first served."""
    a, b = sides
    free: dict[str, list[int]] = {}
    for j in reversed(lone_b):
        for key in view(b[j]):
            free.setdefault(key, []).append(j)
    taken: set[int] = set()
    rest: list[int] = []
    for i in lone_a:
        partner = _next_free(free, view(a[i]), taken)
        if partner is None:
            rest.append(i)
        else:
            taken.add(partner)
    return rest, [j for j in lone_b if j not in taken]


def _next_free(free: dict[str, list[int]], keys: Iterable[str], taken: set[int]) -> int | None:
    """Return the first position under one of `keys` not taken yet; taken ones are dropped in passing."""
    for key in keys:
        queue = free.get(key, [])
        while queue:
            found = queue.pop()
            if found not in taken:
                return found
    return None


def _form(token: Token) -> Iterable[str]:
    return (token.key,)


def _meaning(token: Token) -> Iterable[str]:
    return [tag for tag in token.tags if tag.partition(":")[0] in _MEANINGS]


def _stem(token: Token) -> Iterable[str]:
    """The beginnings a plain word may share with a form of itself; a name keeps its full form.

    Two words match when they differ in their last three letters at most.
    """
    size = len(token.key)
    if token.kind is not Kind.WORD or not 4 <= size <= _LONGEST_WORD:
        return ()
    if token.name:
        return (bare_name(token.key),)
    return [token.key[:n] for n in range(size, max(3 + (size > 5), size - 4), -1)]


def bare_name(key: str) -> str:
    """Return a Cyrillic name without its case ending, any other name as it is."""
    return _CASE_ENDING.sub("", key) if len(key) > 3 and "а" <= key[0] <= "я" else key


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def tag_counts(tokens: Iterable[Token], tags: Iterable[str]) -> Counter[str]:
    """Count the wanted tags over `tokens`."""
    wanted = set(tags)
    return Counter(tag for token in tokens for tag in token.tags if tag in wanted)
