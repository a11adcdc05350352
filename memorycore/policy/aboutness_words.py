"""Words by which a request to forget is read, compiled from plain data."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memorycore.policy.text import fold, has_cjk

DEFAULT_LANGUAGE = "en"
"""What a request in Latin letters is taken for when none of its words tells more."""

JOINT = "-"
"""What joins the words of a phrase, in the lists and in a request once it was read by `join_phrases`."""

OWN_WORD = 2
"""How many small words of the texts around one of the request's own outweighs."""

_SCRIPTS = (
    ("ko", "\uac00", "\ud7af"),
    ("ja", "\u3040", "\u30ff"),
    ("zh", "\u3400", "\u9fff"),
    ("ru", "\u0400", "\u04ff"),
)


@dataclass(frozen=True, slots=True)
class WordSet:
    """Words of one kind over all languages: spaced words, ends of words, and pieces of scripts without spaces."""

    words: frozenset[str]
    ends: tuple[str, ...]
    glued: tuple[str, ...]

    def has(self, word: str) -> bool:
        """Tell whether the folded `word` is one of them."""
        if word in self.words or word in self.glued:
            return True
        return bool(self.ends) and len(word) > 3 and word.endswith(self.ends)


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What facts are commonly about, and everyday sentences about nobody, in one language."""

    attributes: tuple[str, ...]
    unrelated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AboutnessWords:
    """The kinds of words; `memorycore/policy/aboutness.toml` says what each is for."""

    function: WordSet
    whole: WordSet
    container: WordSet
    role: WordSet
    owning: WordSet
    pointing: WordSet
    joining: WordSet
    verb: WordSet
    honorific: WordSet
    ending: WordSet
    phrases: tuple[str, ...]
    by_language: Mapping[str, frozenset[str]]
    yardsticks: Mapping[str, Yardstick]

    def language(self, text: str, *, among: str = "") -> str:
        """Return the language a text seems to be in: by script, else by the small words it holds.

        Args:
            text: A request, often too short to tell.
            among: The texts it is about, which decide where it does not tell.
        """
        for code, first, last in _SCRIPTS:
            if any(first <= char <= last for char in text):
                return code
        own, around = fold(text).split(), fold(among).split()

        def evidence(code: str) -> tuple[int, int, bool]:
            known = self.by_language[code]
            asked = sum(word in known for word in own)
            told = sum(word in known for word in around)
            return OWN_WORD * asked + told, asked, code == DEFAULT_LANGUAGE

        return max(self.by_language, key=evidence)


def join_phrases(text: str, words: AboutnessWords) -> str:
    """Return `text` with the blanks inside known phrases (`thông tin`) turned into `JOINT`."""
    for phrase in words.phrases:
        parts = [re.escape(part) for part in phrase.split(JOINT)]
        pattern = rf"(?<!\w){' +'.join(parts)}(?!\w)"
        text = re.sub(pattern, phrase, text, flags=re.IGNORECASE)
    return text


_KINDS = (
    "function",
    "whole",
    "container",
    "role",
    "owning",
    "pointing",
    "joining",
    "verb",
    "honorific",
    "ending",
)


def compile_aboutness(sections: Mapping[str, Mapping[str, str | Sequence[str]]]) -> AboutnessWords:
    """Join the lists of all languages, since a request may mix them.

    Args:
        sections: By language code, the lists by kind, words parted by blanks, and the two yardsticks.
    """
    kinds = {
        kind: _compiled(word for lists in sections.values() for word in _words(lists, kind))
        for kind in _KINDS
    }
    small = {
        code: frozenset(
            fold(word)
            for kind in ("function", "whole", "container", "role")
            for word in _words(lists, kind)
            if not has_cjk(word)
        )
        for code, lists in sections.items()
    }
    yardsticks = {
        code: Yardstick(tuple(lists["attributes"]), tuple(lists["unrelated"]))
        for code, lists in sections.items()
    }
    joined = {word for kind in kinds.values() for word in kind.words if JOINT in word}
    phrases = tuple(sorted(joined, key=lambda phrase: (-len(phrase), phrase)))
    return AboutnessWords(**kinds, phrases=phrases, by_language=small, yardsticks=yardsticks)


def _words(lists: Mapping[str, str | Sequence[str]], kind: str) -> list[str]:
    found = lists.get(kind, "")
    return found.split() if isinstance(found, str) else list(found)


def _compiled(entries: Iterable[str]) -> WordSet:
    folded = {fold(entry).replace("_", JOINT) for entry in entries}
    plain = {word for word in folded if "*" not in word}
    glued = sorted((word for word in plain if has_cjk(word)), key=lambda word: (-len(word), word))
    return WordSet(
        words=frozenset(word for word in plain if not has_cjk(word)),
        ends=tuple(word[1:] for word in folded if word.startswith("*")),
        glued=tuple(glued),
    )
