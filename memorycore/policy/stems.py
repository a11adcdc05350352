"""Stems of words, so that an inflected query finds the word as it was written.

English follows the published Porter algorithm; Russian and the other alphabets lose their commonest endings.
The language of a word is not known, so every Latin word takes the same path: what counts is that a word and
its inflections meet, not that the stem is pretty.
"""

import re
from functools import lru_cache
from itertools import pairwise

_VOWELS = "aeiou"
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")
_STEP2 = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("entli", "ent"),
    ("ousli", "ous"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("ator", "ate"),
    ("logi", "log"),
    ("eli", "e"),
)
_STEP3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
)
_STEP4 = (
    ("ement", ""),
    ("ance", ""),
    ("ence", ""),
    ("able", ""),
    ("ible", ""),
    ("ment", ""),
    ("ant", ""),
    ("ent", ""),
    ("ism", ""),
    ("ate", ""),
    ("iti", ""),
    ("ous", ""),
    ("ive", ""),
    ("ize", ""),
    ("al", ""),
    ("er", ""),
    ("ic", ""),
    ("ou", ""),
)
_CYRILLIC_ENDING_WORDS = (
    "иями ями ами ией иям ием иях иют ость ости остью ого его ому ему ыми ими ешь ишь ете ите "
    "ются ется ится лась лось лись ался ать ять еть ить ала ила ела яла али или ели яли ало ило "
    "ыла ыло ыли ует уют ает яет еет ают яют ые ие ых их ый ий ой ей ая яя ое ее ую юю ом ем ам ям "
    "ах ях ов ев ью ия ию ии ит ет ут ют ат ят ал ил ел ял ть ла ло ли а я о е ы и у ю ь й"
)
_CYRILLIC_ENDINGS = tuple(sorted(_CYRILLIC_ENDING_WORDS.split(), key=len, reverse=True))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a folded word of an alphabetic script; short words and other scripts stay as they are."""
    if len(word) <= 3:
        return word
    first = word[0]
    if "\u0400" <= first <= "\u04ff":
        return _cyrillic(word)
    if word.isascii() and word.isalpha():
        return _final_vowel(_porter(word))
    return word


def _cyrillic(word: str) -> str:
    for ending in _CYRILLIC_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _final_vowel(word: str) -> str:
    """Drop the vowel that carries gender or person in Romance languages from words of five letters and more."""
    return word[:-1] if len(word) >= 5 and word[-1] in "aeo" else word


def _consonant(word: str, at: int) -> bool:
    letter = word[at]
    if letter == "y":
        return at == 0 or not _consonant(word, at - 1)
    return letter not in _VOWELS


def _measure(word: str) -> int:
    """Count the vowel-consonant sequences of a stem (m in Porter's paper)."""
    shape = [_consonant(word, at) for at in range(len(word))]
    return sum(not before and after for before, after in pairwise(shape))


def _has_vowel(word: str) -> bool:
    return any(not _consonant(word, at) for at in range(len(word)))


def _short_end(word: str) -> bool:
    """Tell whether a stem ends consonant-vowel-consonant, the last not w, x or y."""
    last = len(word) - 1
    return (
        last >= 2
        and _consonant(word, last)
        and not _consonant(word, last - 1)
        and _consonant(word, last - 2)
        and word[last] not in "wxy"
    )


def _porter(word: str) -> str:
    word = _past_and_gerund(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, _STEP2, 0)
    word = _replace(word, _STEP3, 0)
    if word.endswith(("sion", "tion")) and _measure(word[:-3]) > 1:
        word = word[:-3]
    else:
        word = _replace(word, _STEP4, 1)
    return _tidy_end(word)


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        root = word[: -len(ending)]
        if word.endswith(ending) and _has_vowel(root):
            return _mend(root)
    return word


def _mend(root: str) -> str:
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if _DOUBLE.search(root):
        return root[:-1]
    if _measure(root) == 1 and _short_end(root):
        return root + "e"
    return root


def _replace(word: str, endings: tuple[tuple[str, str], ...], above: int) -> str:
    for ending, becomes in endings:
        if word.endswith(ending):
            root = word[: -len(ending)]
            return root + becomes if _measure(root) > above else word
    return word


def _tidy_end(word: str) -> str:
    if word.endswith("e"):
        root = word[:-1]
        size = _measure(root)
        if size > 1 or (size == 1 and not _short_end(root)):
            word = root
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word
