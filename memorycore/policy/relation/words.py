"""Word lists of the relation rules, compiled once from plain data."""

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memorycore.policy.text import ZERO_WIDTH

_BRACES = re.compile(r"^(.*)\{([^}]*)\}(.*)$")
_GLUED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

LATIN = ("en", "de", "es", "fr", "pt", "vi")
"""Codes of the languages of one alphabet, which only their words tell apart."""

Tags = tuple[str, ...]
Votes = tuple[tuple[str, float], ...]
Section = Mapping[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class LanguageWords:
    """The words of one language.

    Attributes:
        code: language code, such as `en`.
        single: tags of a whole word.
        prefixes: tags of every word that starts with the key.
        openings: the first three letters of every key of `prefixes` that is long enough to count.
        phrases: by first word, the longer phrases (words, tags), longest first.
        glued: tags of a piece of a script that is written without blanks.
        reach: by first character, the length in characters of the longest piece in `glued`.
        joiners: words or inner parts that add two number words, such as `und`.
        negating: word beginnings that turn the meaning, such as `un`.
    """

    code: str
    single: Mapping[str, Tags]
    prefixes: Mapping[str, Tags]
    openings: frozenset[str]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], Tags], ...]]
    glued: Mapping[str, Tags]
    reach: Mapping[str, int]
    joiners: frozenset[str] = frozenset()
    negating: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RelationWords:
    """The words of all languages.

    Attributes:
        languages: by code.
        folding: table for `str.translate`: traditional characters become simplified, those without width go.
        votes: by word, the languages of `LATIN` that list it and how much that says: small words say more.
    """

    languages: Mapping[str, LanguageWords]
    folding: Mapping[int, str | None]
    votes: Mapping[str, Votes]

    def language(self, code: str) -> LanguageWords:
        """Return the words of `code`; of English when there are none."""
        return self.languages.get(code) or self.languages["en"]


@functools.lru_cache(maxsize=4096)
def groups(tags: Tags) -> frozenset[str]:
    """Return what stands before the colon of each tag: the list a word comes from."""
    return frozenset([tag.partition(":")[0] for tag in tags])


def compile_words(
    sections: Mapping[str, Section], *, traditional: str = "", simplified: str = ""
) -> RelationWords:
    """Compile raw sections, one a language code; `common` is added to each of them.

    Raises:
        ValueError: the two character lists differ in length.
    """
    if len(traditional) != len(simplified):
        raise ValueError("traditional and simplified must pair up")
    han = {ord(old): new for old, new in zip(traditional, simplified, strict=True)}
    common = list(_entries(sections.get("common", {})))
    languages = {
        code: _language(code, [*_entries(section), *common], han)
        for code, section in sections.items()
        if code != "common"
    }
    return RelationWords(languages, folding={**ZERO_WIDTH, **han}, votes=_votes(languages))


def _votes(languages: Mapping[str, LanguageWords]) -> dict[str, Votes]:
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for code in LATIN:
        language = languages.get(code) or languages.get("en")
        for word, tags in language.single.items() if language else ():
            found[word].append((code, 1.0 if "stop" in tags else 0.6))
    return {word: tuple(votes) for word, votes in found.items()}


def _language(
    code: str, entries: Iterable[tuple[str, str]], han: Mapping[int, str]
) -> LanguageWords:
    tags: dict[str, list[str]] = defaultdict(list)
    for phrase, tag in entries:
        known = tags[phrase.casefold().translate(han)]
        if tag not in known:
            known.append(tag)
    joiners = {key for key, found in tags.items() if any(t.startswith("joiner:") for t in found)}
    negating = {key for key, found in tags.items() if "prefix" in found}
    whole = {key: _said(found) for key, found in tags.items() if _said(found)}
    glued = {key: found for key, found in whole.items() if _GLUED.search(key)}
    plain = {key: found for key, found in whole.items() if key not in glued}
    prefixes = {k[:-1]: found for k, found in plain.items() if k[-1:] == "*" and " " not in k}
    return LanguageWords(
        code,
        single={key: found for key, found in plain.items() if key[-1:] != "*" and " " not in key},
        prefixes=prefixes,
        openings=frozenset(key[:3] for key in prefixes if len(key) >= 3),
        phrases=_phrases(plain),
        glued=glued,
        reach=_reach(glued),
        joiners=frozenset(joiners),
        negating=tuple(sorted(negating)),
    )


def _reach(glued: Iterable[str]) -> dict[str, int]:
    out: dict[str, int] = {}
    for piece in glued:
        out[piece[0]] = max(len(piece), out.get(piece[0], 0))
    return out


def _said(tags: Iterable[str]) -> Tags:
    """Return the tags a token carries; joiners and beginnings are no words of their own."""
    return tuple(tag for tag in tags if tag != "prefix" and not tag.startswith("joiner:"))


def _phrases(plain: Mapping[str, Tags]) -> dict[str, tuple[tuple[tuple[str, ...], Tags], ...]]:
    out: dict[str, list[tuple[tuple[str, ...], Tags]]] = defaultdict(list)
    for key, tags in plain.items():
        parts = tuple(key.split())
        if len(parts) > 1:
            out[parts[0].rstrip("*")].append((parts, tags))
    return {first: tuple(sorted(many, key=_longest_first)) for first, many in out.items()}


def _longest_first(phrase: tuple[tuple[str, ...], Tags]) -> tuple[int, tuple[str, ...]]:
    return -len(phrase[0]), phrase[0]


def _entries(section: Section) -> Iterator[tuple[str, str]]:
    """Yield (phrase, tag) for every word of one language's data."""
    for word in str(section.get("stop", "")).split():
        yield word.replace("_", " ").strip(), "stop"
    for name, value in _table(section, "numbers"):
        for phrase in _expand(name):
            yield phrase, f"num:{value}"
    for name in ("polarity", "cue"):
        for key, value in _table(section, name):
            yield from _listed(value, key)
    yield from _poles(section)
    for name, group in _table(section, "group"):
        for key, phrases in _pairs(group):
            yield from _listed(phrases, f"{name}:{key}")


def _poles(section: Section) -> Iterator[tuple[str, str]]:
    for name, sides in _table(section, "pole"):
        for side, phrases in _pairs(sides):
            yield from _listed(phrases, f"pole:{name}{'+' if side == 'plus' else '-'}")


def _table(section: Section, name: str) -> Sequence[tuple[str, object]]:
    return _pairs(section.get(name, {}))


def _pairs(value: object) -> Sequence[tuple[str, object]]:
    return tuple(value.items()) if isinstance(value, Mapping) else ()


def _listed(value: object, tag: str) -> Iterator[tuple[str, str]]:
    for piece in str(value).split(";"):
        for phrase in _expand(" ".join(piece.split())):
            if phrase:
                yield phrase, tag


def _expand(pattern: str) -> tuple[str, ...]:
    """Return the words a pattern with one brace list stands for."""
    found = _BRACES.match(pattern)
    if found is None:
        return (pattern,)
    head, middle, tail = found.groups()
    return tuple(f"{head}{ending.strip()}{tail}" for ending in middle.split(","))
