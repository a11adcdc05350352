"""Reading a request to forget: identifiers, names, roles, and what of them is meant."""

import re
import unicodedata
from dataclasses import dataclass

from memorycore.policy.aboutness_words import AboutnessWords, WordSet, join_phrases
from memorycore.policy.identifiers import Identifier, find_identifiers
from memorycore.policy.text import ZERO_WIDTH, fold, has_cjk

WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*|\d+(?:[.,:]\d+)*[^\W\d_]{0,3}")
"""One word of an alphabetic script, or a number."""

POSSESSIVE = re.compile(r"[’']s$|[’']$")
"""The English ending that says whose something is."""

GERMAN = "de"
"""The one language whose nouns all begin with a capital and whose names take an s without an apostrophe."""

_GLUED = re.compile(r"[\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_OWNED = "的の의"
_PARTICLES = "的のはがを은는이가을를의"
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")

FEWEST_WORDS = 2
FEWEST_GLUED = 4
"""Words, or characters of a script without spaces, below which a text says next to nothing."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written, and the pattern by which it is known again: with its capitals, and inflected."""

    words: tuple[str, ...]
    pattern: str

    def stands_in(self, text: str) -> bool:
        """Tell whether the name stands in a text, as a name and not as a part of a longer word."""
        clean = unicodedata.normalize("NFKC", text).translate(ZERO_WIDTH)
        return re.search(self.pattern, clean) is not None


@dataclass(frozen=True, slots=True)
class Topic:
    """A request, read.

    Of the `names` those in `values` say what is known of a role ("user employer Lumen") and not whom it is about.
    `glued` are pieces of scripts without spaces; `owner` is the first of them when the rest is said to be its own.
    """

    text: str
    identifiers: tuple[Identifier, ...] = ()
    names: tuple[Name, ...] = ()
    values: tuple[Name, ...] = ()
    roles: tuple[str, ...] = ()
    attribute: tuple[str, ...] = ()
    glued: tuple[str, ...] = ()
    owner: str = ""
    whole: bool = False

    @property
    def empty(self) -> bool:
        """Tell whether the request names nothing."""
        return not (self.identifiers or self.names or self.roles or self.attribute or self.glued)


def read_topic(query: str, words: AboutnessWords, *, language: str | None = None) -> Topic:
    """Read a request; see `Topic`. `language` None is told from the request alone."""
    identifiers, rest = find_identifiers(query)
    code = language or words.language(rest)
    found = _Reading(words, code, shouting=query.isupper())
    for match in WORD.finditer(join_phrases(rest, words)):
        if not has_cjk(match.group()):
            found.take(match.group())
    glued = _Glued(rest, words)
    names = [_name(phrase, words) for phrase in found.names]
    return Topic(
        text=query.strip(),
        identifiers=identifiers,
        names=tuple(names),
        values=tuple(name for name in names if name.words in found.values),
        roles=tuple(found.roles),
        attribute=tuple(found.attribute),
        glued=tuple(glued.pieces),
        owner=glued.owner,
        whole=found.whole or glued.whole,
    )


def says_little(text: str, words: AboutnessWords) -> bool:
    """Tell whether a text has hardly a word with a meaning of its own ("New one.").

    The vector of such a text lies near whatever is vague, so that it is no sign of what the text is about.
    """
    read = read_topic(text, words)
    told = sum(len(name.words) for name in read.names) + len(read.attribute) + len(read.roles)
    glued = sum(map(len, read.glued))
    return not read.identifiers and told < FEWEST_WORDS and glued + 2 * told < FEWEST_GLUED


class _Reading:
    """Sorts the words of a request one by one."""

    def __init__(self, words: AboutnessWords, language: str, *, shouting: bool) -> None:
        self._words = words
        self._small = words.by_language[language]
        self._german = language == GERMAN
        self._shouting = shouting
        self._open = False
        self.names: list[tuple[str, ...]] = []
        self.values: list[tuple[str, ...]] = []
        self.roles: list[str] = []
        self.attribute: list[str] = []
        self.whole = False

    def take(self, written: str) -> None:
        """Take the next word."""
        bare = POSSESSIVE.sub("", written)
        low = fold(bare)
        adjacent, self._open = self._open, False
        if self._words.whole.has(low):
            self.whole = True
        elif self._words.role.has(low):
            self.roles.append(low)
        elif self._is_small(bare, low):
            if self._words.owning.has(low) and self.names:
                self.attribute += [word for name in self.names for word in name]
                self.names.clear()
        elif self._words.container.has(low):
            pass
        elif self._is_name(bare):
            self._take_name(bare, adjacent=adjacent, possessive=bare != written)
        else:
            self.attribute.append(low)

    def _is_small(self, bare: str, low: str) -> bool:
        """Tell whether a word says nothing; one with a capital only in the request's own language (Uma is a name)."""
        if bare[:1].isupper():
            return low in self._small and low in self._words.function.words
        return low in self._words.function.words

    def _is_name(self, bare: str) -> bool:
        return bare[:1].isupper() and not self._shouting and not (len(bare) > 1 and bare.isupper())

    def _take_name(self, bare: str, *, adjacent: bool, possessive: bool) -> None:
        if adjacent and self._german and self.names[-1][-1].endswith("s"):
            whose = self.names[-1]
            self.names[-1] = (*whose[:-1], whose[-1].removesuffix("s"))
            self.attribute.append(fold(bare))
            return
        if adjacent:
            longer = (*self.names.pop(), bare)
            if self.values and self.values[-1] == longer[:-1]:
                self.values[-1] = longer
            self.names.append(longer)
        else:
            self.names.append((bare,))
            if self.roles and self.attribute:
                self.values.append((bare,))
        self._open = not possessive


def _name(phrase: tuple[str, ...], words: AboutnessWords) -> Name:
    inner = r"\s+".join(_inflected(word, words.ending) for word in phrase)
    return Name(phrase, rf"(?<![\w-]){inner}(?![\w]|-\w)")


def _inflected(word: str, endings: WordSet) -> str:
    """Return the pattern of a name's word; the languages with Cyrillic letters change its end."""
    if not _CYRILLIC.search(word):
        return re.escape(word)
    known = sorted(endings.words, key=len, reverse=True)
    ending = next((e for e in known if word.endswith(e) and len(word) - len(e) > 2), "")
    if not ending and word[-2:-1]:
        ending = next((e for e in known if word.endswith(e) and len(word) - len(e) > 1), "")
    base = word.removesuffix(ending) if ending else word
    return rf"{re.escape(base)}(?:{'|'.join(map(re.escape, known))})?"


class _Glued:
    """The pieces between particles, without words that name a collection, and whether all is asked for."""

    def __init__(self, text: str, words: AboutnessWords) -> None:
        self.pieces: list[str] = []
        self.owner = ""
        self.whole = False
        for run in _GLUED.findall(unicodedata.normalize("NFKC", text)):
            cut, asked = _without(run, words.whole)
            cut, _ = _without(cut, words.container)
            cut, _ = _without(cut, words.honorific, mark="")
            self.whole = self.whole or asked
            self._cut(cut, words)

    def _cut(self, run: str, words: AboutnessWords) -> None:
        small = [re.escape(p) for p in words.function.glued if len(p) > 1]
        parts = re.split(rf"({'|'.join(small)}|[{_PARTICLES}]|\s+)", run)
        for at, part in enumerate(parts[::2]):
            if len(part) > 1 or (part and "\u3400" <= part <= "\u9fff"):
                owned = parts[2 * at + 1 : 2 * at + 2]
                if not self.pieces and owned and owned[0] in _OWNED:
                    self.owner = part
                self.pieces.append(part)


def _without(run: str, dropped: WordSet, *, mark: str = " ") -> tuple[str, bool]:
    found = False
    for piece in dropped.glued:
        if len(piece) > 1 and piece in run:
            run, found = run.replace(piece, mark), True
    return run, found
