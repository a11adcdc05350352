"""Tokens by which texts are found: the same cut for what is stored and for what is asked.

Scripts written without spaces become single characters and pairs of neighbours; alphabetic words are folded
and stemmed; identifiers, paths and versions count whole and in pieces. A token holds letters, digits and
nothing else, so that no query text is ever an operator.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from memorycore.policy.stems import stem
from memorycore.policy.text import ZERO_WIDTH

MAX_TOKEN = 48
"""Longer tokens are cut: nobody types more of a digest."""

MAX_QUERY_TOKENS = 64
"""A query gives at most this many distinct tokens; the rest of a pasted page adds nothing."""

MAX_TEXT = 20_000
"""Characters of one text that are cut into tokens."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uac00-\ud7af\U00020000-\U0003134f"
)
_MARKS = "\u0300-\u036f\u0900-\u0dff"  # combining accents; the vowel signs of Indic scripts
_LETTER = rf"(?:[^\W{_UNSPACED}]|[{_MARKS}])"
_RUN = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)|(?P<word>{_LETTER}+(?:[-./:@+#'’]{_LETTER}+|[+#]+)*)"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+(?:[-./:@+#'][A-Za-z0-9_]+|[+#]+)*")
_PIECE = re.compile(rf"(?:[^\W\d_]|[{_MARKS}])+|\d+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINTS = re.compile(r"[-./:@'’_]")
_SYMBOLS = str.maketrans({"+": "plus", "#": "sharp"})
_NOT_TOKEN = re.compile(rf"[^\w{_MARKS}]|_")


def index_tokens(text: str) -> list[str]:
    """Return every token of a stored text, in order, repeats kept."""
    if not text.isascii():
        return list(_tokens(text, asked=False))
    tokens: list[str] = []
    for word in _ASCII_WORD.findall(text[:MAX_TEXT]):
        plain = word.lower()
        if plain.isalpha() and word[1:] == plain[1:]:
            tokens.append(stem(plain[:MAX_TOKEN]))
        elif word.isdecimal():
            tokens.append(word[:MAX_TOKEN])
        else:
            tokens.extend(_word(word))
    return tokens


def held_tokens(text: str) -> frozenset[str]:
    """Return the distinct tokens of a stored text; the last 2,048 answers are remembered, as few texts answer often."""
    return _held(text[:MAX_TEXT])


@functools.lru_cache(maxsize=2048)
def _held(text: str) -> frozenset[str]:
    return frozenset(index_tokens(text))


def query_tokens(text: str) -> tuple[str, ...]:
    """Return the distinct tokens of a search text, in order; at most `MAX_QUERY_TOKENS`."""
    found: dict[str, None] = {}
    for token in _tokens(text, asked=True):
        found.setdefault(token)
        if len(found) == MAX_QUERY_TOKENS:
            break
    return tuple(found)


@dataclass(frozen=True, slots=True)
class WordGroup:
    """One word of a query as typed, its pieces, and the whole where it has several pieces."""

    text: str
    pieces: tuple[str, ...]
    whole: str | None = None


def query_groups(text: str) -> list[WordGroup]:
    """Return the words of a search text, repeats dropped; their tokens are those of `query_tokens`."""
    groups: dict[tuple[str, ...], WordGroup] = {}
    for run in _runs(text):
        unspaced = run["unspaced"]
        if unspaced is not None:
            for gram in _grams(unspaced, asked=True):
                groups.setdefault((gram,), WordGroup(gram, (gram,)))
            continue
        cut = tuple(_word(run["word"]))
        if len(cut) > 2:
            groups.setdefault(cut, WordGroup(run["word"], cut[:-1], cut[-1]))
        elif cut:
            groups.setdefault(cut[:1], WordGroup(run["word"], cut[:1], cut[-1]))
    return list(groups.values())[:MAX_QUERY_TOKENS]


def _runs(text: str) -> Iterator[re.Match[str]]:
    clean = text[:MAX_TEXT]
    if not clean.isascii():
        clean = unicodedata.normalize("NFKC", clean).translate(ZERO_WIDTH)
    return _RUN.finditer(clean)


def _tokens(text: str, *, asked: bool) -> Iterator[str]:
    for run in _runs(text):
        unspaced = run["unspaced"]
        if unspaced is not None:
            yield from _grams(unspaced, asked=asked)
        else:
            yield from _word(run["word"])


def _grams(run: str, *, asked: bool) -> Iterator[str]:
    """Cut a run without spaces; a question of two characters and more asks for its pairs only."""
    if not asked or len(run) == 1:
        yield from run
    for at in range(len(run) - 1):
        yield run[at : at + 2]


def _word(word: str) -> Iterator[str]:
    """Cut one word or identifier into its pieces and, where it has several, the whole."""
    plain = word.lower()
    if plain.isascii() and plain.isalpha() and (word == plain or word[1:] == plain[1:]):
        yield stem(plain[:MAX_TOKEN])
        return
    pieces = _PIECE.findall(_HUMP.sub(" ", word))
    for piece in pieces:
        yield from _folded(piece)
    whole = _JOINTS.sub("", word).translate(_SYMBOLS)
    if len(pieces) != 1 or whole != pieces[0]:
        folded = _bare(whole)
        if folded:
            yield stem(folded[:MAX_TOKEN])


def _folded(piece: str) -> Iterator[str]:
    bare = _bare(piece)
    if bare:
        yield stem(bare[:MAX_TOKEN])


def _bare(word: str) -> str:
    """Fold case and drop the marks that people leave out: accents, umlauts, Vietnamese tones, ё."""
    folded = word.casefold()
    if not folded.isascii():
        apart = unicodedata.normalize("NFD", folded)
        folded = "".join(char for char in apart if unicodedata.category(char) != "Mn")
        folded = unicodedata.normalize("NFC", folded).replace("đ", "d").replace("ł", "l")
    return _NOT_TOKEN.sub("", folded)
