"""Two texts as one frame: what stands in its slots, and whether two of them changed places."""

from collections.abc import Sequence

from memorycore.policy.relation.tokens import Kind, Token

_LONGEST_SLOT = 3
"""Tokens a slot may hold: "mail-relay" is two."""

_NOT_A_THING = frozenset({"neg", "cease", "change", "add", "shield", "pole", "syn"})


def is_plain(token: Token) -> bool:
    """Tell whether a token is a word for a thing, and no cue, pole or known synonym."""
    return not any(tag.partition(":")[0] in _NOT_A_THING for tag in token.tags)


def middles(a: Sequence[Token], b: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """Return what is left of both after the common beginning and the common end."""
    head = 0
    while head < min(len(a), len(b)) and a[head].key == b[head].key:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail].key == b[-1 - tail].key:
        tail += 1
    return a[head : len(a) - tail], b[head : len(b) - tail]


def holds_another_thing(
    a: Sequence[Token], b: Sequence[Token], lone: tuple[frozenset[int], frozenset[int]]
) -> bool:
    """Tell whether one slot of a common frame holds another thing in each text.

    `a` and `b` are the content tokens of both, `lone` the offsets of those without a partner.
    """
    left, right = middles(a, b)
    frame = len(a) - len(left)
    if not left or not right or max(len(left), len(right)) > _LONGEST_SLOT:
        return False
    if frame < max(2, len(left), len(right)):
        return False
    if len(left) == len(right) == 1 and _other_form(left[0], right[0]):
        return True
    only_left = [t for t in left if t.start in lone[0]]
    only_right = [t for t in right if t.start in lone[1]]
    if any(map(_turns, (*only_left, *only_right))):
        return False
    if all(t.kind is Kind.GLYPH for t in (*left, *right)):
        return len(only_left) == len(left) > 1 and len(right) > 1
    return bool(only_left and only_right)


def _other_form(x: Token, y: Token) -> bool:
    """Tell whether two unlisted words of Latin letters differ by more than a longer ending ("corvina", "corvino")."""
    if x.kind is not Kind.WORD or y.kind is not Kind.WORD or x.tags or y.tags:
        return False
    short, long = sorted((x.key, y.key), key=len)
    return x.key[0] < "\u0370" and not long.startswith(short)


def _turns(token: Token) -> bool:
    groups = {tag.partition(":")[0] for tag in token.tags}
    return bool(groups & (_NOT_A_THING - {"syn"}))


def roles_swapped(a: Sequence[Token], b: Sequence[Token]) -> bool:
    """Tell whether two things changed places around words that stayed: "from A to B", "from B to A"."""
    left, right = middles(a, b)
    if len(left) != len(right) or not 3 <= len(left) <= 4 * _LONGEST_SLOT:
        return False
    before, after = [t.key for t in left], [t.key for t in right]
    if sorted(before) != sorted(after):
        return False
    size = len(before)
    return any(
        after == before[size - j :] + before[i : size - j] + before[:i]
        for i in range(1, _LONGEST_SLOT + 1)
        for j in range(1, _LONGEST_SLOT + 1)
        if i + j < size
    )
