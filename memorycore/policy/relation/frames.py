"""Two texts as one frame: what stands in its slots, and whether two of them changed places."""

from collections.abc import Sequence

from memorycore.policy.relation.difference import Difference
from memorycore.policy.relation.outline import TURNING
from memorycore.policy.relation.tokens import Kind, Token
from memorycore.policy.relation.words import groups

_LONGEST_SLOT = 3
"""Tokens a slot may hold: "mail-relay" is two."""


def holds_another_thing(diff: Difference) -> bool:
    """Tell whether one slot of a common frame holds another thing in each text."""
    a, b = diff.older.content, diff.newer.content
    tail = min(diff.tail, len(a) - diff.head, len(b) - diff.head)
    frame = diff.head + tail
    left, right = a[diff.head : len(a) - tail], b[diff.head : len(b) - tail]
    if not left or not right or max(len(left), len(right)) > _LONGEST_SLOT:
        return False
    if frame < max(2, len(left), len(right)):
        return False
    if len(left) == len(right) == 1 and _other_form(left[0], right[0]):
        return True
    only_left, only_right = _alone(left, a, diff.lone_older), _alone(right, b, diff.lone_newer)
    if any(map(_turns, (*only_left, *only_right))):
        return False
    if all(t.kind is Kind.GLYPH for t in (*left, *right)):
        return len(only_left) == len(left) > 1 and len(right) > 1
    return bool(only_left and only_right)


def _alone(slot: Sequence[Token], content: Sequence[Token], lone: Sequence[int]) -> list[Token]:
    """Return the tokens of a slot cut from a piece of text that has no partner."""
    starts = {content[i].start for i in lone}
    return [token for token in slot if token.start in starts]


def _other_form(x: Token, y: Token) -> bool:
    """Tell whether two unlisted words of Latin letters differ by more than a longer ending ("corvina", "corvino")."""
    if x.kind is not Kind.WORD or y.kind is not Kind.WORD or x.tags or y.tags:
        return False
    short, long = sorted((x.key, y.key), key=len)
    return x.key[0] < "\u0370" and not long.startswith(short)


def _turns(token: Token) -> bool:
    return not groups(token.tags).isdisjoint(TURNING)


def roles_swapped(a: Sequence[Token], b: Sequence[Token]) -> bool:
    """Tell whether two things changed places around words that stayed: "from A to B", "from B to A"."""
    if len(a) != len(b):
        return False
    before, after = _middles(a, b)
    if not 3 <= len(before) <= 4 * _LONGEST_SLOT or sorted(before) != sorted(after):
        return False
    size = len(before)
    return any(
        after == before[size - j :] + before[i : size - j] + before[:i]
        for i in range(1, _LONGEST_SLOT + 1)
        for j in range(1, _LONGEST_SLOT + 1)
        if i + j < size
    )


def _middles(a: Sequence[Token], b: Sequence[Token]) -> tuple[list[str], list[str]]:
    """Return the keys of two texts of one length between the first and the last that differ."""
    gaps = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x.key != y.key]
    first, end = (gaps[0], gaps[-1] + 1) if gaps else (0, 0)
    return [t.key for t in a[first:end]], [t.key for t in b[first:end]]
