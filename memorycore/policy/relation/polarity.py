"""Whether a claim is made or denied, and whether two claims are opposites."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memorycore.policy.relation.facts import TURNED, TextFacts
from memorycore.policy.relation.tokens import Kind, Token

_SCOPE = 4
"""How many tokens before or after a pole word a negation may stand and still turn it."""


@dataclass(frozen=True, slots=True)
class Stance:
    """The polarity of one text.

    Attributes:
        negations: count of negating words; `ceases`: of words that end something.
        poles: signed poles, such as `switch+`, with a negation in scope turning the sign.
        sign: +1 when the text as a whole affirms, -1 when it denies.
    """

    negations: int
    ceases: int
    poles: frozenset[str]
    sign: int


@functools.lru_cache(maxsize=4096)
def stance(facts: TextFacts) -> Stance:
    """Read the polarity of a text."""
    tokens = facts.tokens
    negating = [i for i, t in enumerate(tokens) if _has(t, "neg") and not _has(t, "shield")]
    ceasing = [i for i, t in enumerate(tokens) if _has(t, "cease")]
    poles: set[str] = set()
    minus = 0
    for i, token in enumerate(tokens):
        for tag in token.tags:
            if tag.startswith("pole:"):
                turned = any(0 < abs(i - n) <= _SCOPE for n in negating)
                poles.add(_turn(tag[5:]) if turned else tag[5:])
        if (
            any(t.startswith("pole:") and t.endswith("-") for t in token.tags)
            and not _has(token, "neg")
            and not _has(token, "cease")
        ):
            minus += 1
    odd = (len(negating) + len([i for i in ceasing if i not in negating]) + minus) % 2
    return Stance(len(negating), len(ceasing), frozenset(poles), -1 if odd else 1)


def _turn(pole: str) -> str:
    return pole[:-1] + ("-" if pole.endswith("+") else "+")


def _has(token: Token, tag: str) -> bool:
    return tag in token.tags


def opposites(only_older: Sequence[Token], only_newer: Sequence[Token]) -> int:
    """Count pairs of unmatched words that stand at opposite poles or differ by a negating prefix."""
    older = {tag for t in only_older for tag in t.tags if tag.startswith("pole:")}
    newer = {tag for t in only_newer for tag in t.tags if tag.startswith("pole:")}
    flips = sum(1 for tag in older if _turn(tag) in newer)
    return flips + _prefixed(only_older, only_newer) + _prefixed(only_newer, only_older)


def _prefixed(plain: Sequence[Token], turned: Iterable[Token]) -> int:
    """Count the turned words whose rest is the beginning of a plain word of the other side."""
    words = [t.key for t in plain if t.kind is Kind.WORD and len(t.key) > 3]
    rests = [tag.removeprefix(TURNED) for t in turned for tag in t.tags if tag.startswith(TURNED)]
    return sum(any(_same_stem(rest, word) for word in words) for rest in rests)


def _same_stem(rest: str, word: str) -> bool:
    size = max(4, len(rest) - 2)
    return rest[:size] == word[:size]
