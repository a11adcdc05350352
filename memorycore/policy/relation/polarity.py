"""Whether a claim is made or denied, and whether two claims are opposites."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memorycore.policy.relation.tokens import Kind, Token
from memorycore.policy.relation.words import groups

_SIGNS = frozenset({"neg", "cease", "pole"})
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


_PLAIN = Stance(negations=0, ceases=0, poles=frozenset(), sign=1)
"""Of a text without a word that denies, ends something or stands at a pole."""


def stance(tokens: Sequence[Token]) -> Stance:
    """Read the polarity of a text from all its tokens."""
    signs = [
        (i, t.tags)
        for i, t in enumerate(tokens)
        if t.tags and not groups(t.tags).isdisjoint(_SIGNS)
    ]
    if not signs:
        return _PLAIN
    negating = [i for i, tags in signs if "neg" in tags and "shield" not in tags]
    ceasing = [i for i, tags in signs if "cease" in tags]
    poles: set[str] = set()
    minus = 0
    for i, tags in signs:
        own = [tag[5:] for tag in tags if tag.startswith("pole:")]
        if any(0 < abs(i - n) <= _SCOPE for n in negating):
            poles.update(map(turned_pole, own))
        else:
            poles.update(own)
        if "neg" not in tags and "cease" not in tags:
            minus += any(pole[-1] == "-" for pole in own)
    odd = (len(negating) + len([i for i in ceasing if i not in negating]) + minus) % 2
    return Stance(len(negating), len(ceasing), frozenset(poles), -1 if odd else 1)


def turned_pole(pole: str) -> str:
    """Return the opposite of a signed pole."""
    return pole[:-1] + ("-" if pole.endswith("+") else "+")


def opposite_poles(older: Sequence[str], newer: Sequence[str]) -> int:
    """Count the poles among the tags of unmatched words that the other text has the opposite of."""
    poles = {tag for tag in older if tag.startswith("pole:")}
    return len([pole for pole in poles if turned_pole(pole) in newer])


def denied_words(plain: Iterable[Token], rests: Iterable[str]) -> int:
    """Count the rests of words without a negating beginning that a plain word of the other side begins with."""
    words = [t.key for t in plain if t.kind is Kind.WORD and len(t.key) > 3]
    return len([rest for rest in rests if any(_same_stem(rest, word) for word in words)])


def _same_stem(rest: str, word: str) -> bool:
    size = max(4, len(rest) - 2)
    return rest[:size] == word[:size]
