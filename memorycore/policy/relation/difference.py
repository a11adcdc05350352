"""What two texts share and what each has of its own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memorycore.policy.relation.forms import stems
from memorycore.policy.relation.outline import Outline

Keys = dict[int, Sequence[str]]
"""By position of a token, what its partner must have one of."""

Lone = tuple[Sequence[int], Sequence[int]]
"""Positions in the older and in the newer text that have no partner, in order."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The content tokens of two texts, matched; a position counts content tokens.

    Attributes:
        older: outline of the older text; `newer` likewise.
        lone_older: positions of the older text's tokens with no partner, in order; `lone_newer` likewise.
        head: count of leading tokens in common; `tail`: of closing ones.
    """

    older: Outline
    newer: Outline
    lone_older: Sequence[int]
    lone_newer: Sequence[int]
    head: int
    tail: int


def differ(older: Outline, newer: Outline) -> Difference:
    """Match the content tokens of both texts: by form, then by meaning group, then by stem."""
    lone = _match_forms(older, newer)
    if lone[0] and lone[1]:
        lone = _match_meanings(older, newer, lone)
        lone = _match_stems(older, newer, lone)
    return Difference(
        older,
        newer,
        lone_older=lone[0],
        lone_newer=lone[1],
        head=_common(older.keys, newer.keys),
        tail=_common(reversed(older.keys), reversed(newer.keys)),
    )


def _match_forms(a: Outline, b: Outline) -> Lone:
    every = range(len(a.keys)), range(len(b.keys))
    shared = a.words & b.words
    if not shared:
        return every
    if a.repeated.isdisjoint(shared) and b.repeated.isdisjoint(shared):
        return (
            [i for i, key in enumerate(a.keys) if key not in shared],
            [j for j, key in enumerate(b.keys) if key not in shared],
        )
    return _pair_off(
        every,
        {i: (key,) for i, key in enumerate(a.keys)},
        {j: (key,) for j, key in enumerate(b.keys)},
    )


def _match_meanings(a: Outline, b: Outline, lone: Lone) -> Lone:
    shared = a.meanings & b.meanings
    if not shared:
        return lone
    return _pair_off(
        lone,
        {i: [tag for tag in a.content[i].tags if tag in shared] for i in lone[0]},
        {j: [tag for tag in b.content[j].tags if tag in shared] for j in lone[1]},
    )


def _match_stems(a: Outline, b: Outline, lone: Lone) -> Lone:
    roots = {a.roots[i] for i in lone[0]} & {b.roots[j] for j in lone[1]}
    roots.discard("")
    if not roots:
        return lone
    return _pair_off(
        lone,
        {i: stems(a.content[i]) for i in lone[0] if a.roots[i] in roots},
        {j: stems(b.content[j]) for j in lone[1] if b.roots[j] in roots},
    )


def _pair_off(lone: Lone, keys_a: Keys, keys_b: Keys) -> Lone:
    """Take from both lists of lone positions what fits, first come first served."""
    free: dict[str, list[int]] = {}
    for j in reversed(keys_b):
        for key in keys_b[j]:
            free.setdefault(key, []).append(j)
    matched: set[int] = set()
    taken: set[int] = set()
    for i, keys in keys_a.items():
        partner = _next_free(free, keys, taken)
        if partner is not None:
            matched.add(i)
            taken.add(partner)
    if not matched:
        return lone
    return [i for i in lone[0] if i not in matched], [j for j in lone[1] if j not in taken]


def _next_free(free: Mapping[str, list[int]], keys: Iterable[str], taken: set[int]) -> int | None:
    """Return the first position under one of `keys` not taken yet; taken ones are dropped in passing."""
    for key in keys:
        queue = free.get(key, [])
        while queue:
            found = queue.pop()
            if found not in taken:
                return found
    return None


def _common(a: Iterable[str], b: Iterable[str]) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count
