"""Beginnings by which two forms of one word are known."""

import re
from collections.abc import Sequence

from memorycore.policy.relation.tokens import Kind, Token

_CASE_ENDING = re.compile(r"(?:ами|ями|ого|ому|ом|ем|ой|ей|ах|ях|ам|ям|ов|ев|[аеиоуыэюяйь])$")
_LONGEST_WORD = 24
"""Letters of a word that has forms; what is longer is a hash or the like."""

_ROOT = 4
"""Letters of the shortest beginning two words may share."""


def stems(token: Token) -> Sequence[str]:
    """The beginnings a plain word may share with a form of itself; a name keeps its full form.

    Two words match when they differ in their last three letters at most.
    """
    size = len(token.key)
    if token.kind is not Kind.WORD or not _ROOT <= size <= _LONGEST_WORD:
        return ()
    if token.name:
        return (bare_name(token.key),)
    return [token.key[:n] for n in range(size, max(3 + (size > 5), size - 4), -1)]


def root(token: Token) -> str:
    """Return letters that all stems of a word begin with, so that other roots mean other words; "" without stems."""
    if not _ROOT <= len(token.key) <= _LONGEST_WORD or token.kind is not Kind.WORD:
        return ""
    return (bare_name(token.key) if token.name else token.key)[:_ROOT]


def bare_name(key: str) -> str:
    """Return a Cyrillic name without its case ending, any other name as it is."""
    return _CASE_ENDING.sub("", key) if len(key) > 3 and "а" <= key[0] <= "я" else key
