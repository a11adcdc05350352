"""Whether one token looks like the value of a secret, and not like a word, a date or a place."""

import re

from memorycore.policy.markers import Lexicon, fold_aligned
from memorycore.policy.secret_formats import is_placeholder

_SYMBOL = re.compile(r"[!@#$%^&*_~+=?|\\]|(?<=\w)[-.](?=\w)")
_LOUD = re.compile(r"[!@#$%^&*?]")
_DATE_OR_SIZE = re.compile(
    r"^(?:\d{1,4}[-./:]\d{1,2}(?:[-./:]\d{1,4})?|\d+(?:[.,]\d+)?(?:%|°|[a-zà-ÿа-я]{1,3})"
    r"|v?\d+(?:\.\d+)+|\d{1,3}[-–][a-z]+|\w+[-–]only)$",
    re.I,
)
_PLACE = re.compile(
    r"^(?:~|\.{0,2})/|^[\w-]+\.(?:md|txt|ya?ml|json|toml|env|kdbx|py|sh|conf|cfg|ini)$|://"
    r"|^[\w.+-]+@[\w-]+\.\w+$"
)
_ORDINARY_END = re.compile(r"(?:ed|able|ible|ory|al|ing|ly|ary|ent|ful|ive|ous|less|en)$")
_MIN_DIGITS, _MAX_DIGITS = 3, 64
_LONGEST_PLACE = 30


def is_value(token: str, *, numeric: bool) -> bool:
    """Tell whether `token` looks like a credential; digits alone count when `numeric`."""
    token = token.rstrip(".:!?…")
    if is_placeholder(token) or is_place(token):
        return False
    digits = re.sub(r"[\s#*-]", "", token)
    if digits.isdigit():
        return numeric and _MIN_DIGITS <= len(digits) <= _MAX_DIGITS
    return is_dense(token) and not _DATE_OR_SIZE.match(token)


def is_dense(token: str) -> bool:
    """Tell whether a token mixes kinds of characters as passwords and keys do, and words do not."""
    token = token.rstrip(".,:!?")
    if len(token) < 5 or not any(map(str.isalpha, token)):
        return False
    if any(map(str.isdigit, token)) or _is_unspoken(token):
        return True
    mixed = bool(re.search(r"(?<=[a-z])[A-Z]", token)) or bool(_LOUD.search(token))
    return len(token) >= 8 and mixed and bool(_SYMBOL.search(token))


def _is_unspoken(token: str) -> bool:
    """Tell whether a long token of plain letters has too few vowels to be a word of any language."""
    plain = len(token) >= 12 and token.isascii() and token.isalpha()
    return plain and sum(letter in "aeiouy" for letter in token.lower()) < 0.2 * len(token)


def is_place(token: str) -> bool:
    """Tell whether a token says where something lies: a path, a file, an address."""
    if _PLACE.search(token):
        return True
    return "/" in token and token.islower() and len(token) < _LONGEST_PLACE


def is_lone_word(token: str, rest: str) -> bool:
    """Tell whether one plain word alone is given as the value, at the end of its line.

    Words that end like an English adjective or participle ("required", "optional") describe the
    secret and do not give it.
    """
    word = token.rstrip(".!")
    if len(word) < 6 or not (word.isascii() and word.isalpha()):
        return False
    if _ORDINARY_END.search(word.lower()):
        return False
    return not rest.strip(" .!\"'”»") or rest.lstrip(" .").startswith("\n")


def counts_something(rest: str, lexicon: Lexicon) -> bool:
    """Tell whether what follows a number makes it a quantity ("12 characters", "90 天")."""
    return any(
        hit.start <= 2 for hit in lexicon.hits_folded("secret_unit", fold_aligned(rest[:24]))
    )
