"""What one text states: its values, names, environments, its polarity and its cues."""

import functools
import re
import unicodedata
from dataclasses import dataclass, replace

from memorycore.policy.relation.labels import as_label
from memorycore.policy.relation.language import detect_language, latin_language
from memorycore.policy.relation.tokens import Kind, Token, tokenize
from memorycore.policy.relation.values import read_values
from memorycore.policy.relation.words import LanguageWords, RelationWords

_CJK_GAP = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff]) | (?=[\u3040-\u30ff\u3400-\u9fff])")
TURNED = "turned:"
"""Start of the tag that holds a word without its negating beginning."""

_MARKS = ("env:", "side:", "kin:", "unit:", "month:", "dow:")
_UNSPACED = re.compile(r"[\u3041-\u30fa\u3400-\u9fff\uac00-\ud7af]")
_SHOUTED = re.compile(r"[^\W\d_]{4}")
"""A word long enough to tell whether a text is written in capitals throughout."""


@dataclass(frozen=True, slots=True, eq=False)
class TextFacts:
    """The facts of one text.

    Attributes:
        text: as given.
        folded: comparable form: NFKC, simplified, case-folded, blanks and end marks dropped.
        language: code of the language the words were read in, and how sure that is.
        tokens: all tokens in order; `content`: those that are no function words.
        numbers: values, such as `n:5`, `t:9:30`, `q:600` (seconds).
        idents: identifiers, versions, paths, addresses.
        names: words written like names.
        marks: tags of environment, kinship, unit, month and weekday found.
        weak_one: a one stands there as a word ("one", 一), which may mean no more than "a".
        initials: unknown words with a capital that only the start of a sentence may explain.
        grams: character 3-grams (2-grams for CJK).
    """

    text: str
    folded: str
    language: str
    certainty: float
    tokens: tuple[Token, ...]
    content: tuple[Token, ...]
    numbers: frozenset[str]
    weak_one: bool
    idents: frozenset[str]
    names: frozenset[str]
    initials: frozenset[str]
    marks: frozenset[str]
    grams: frozenset[str]


@functools.lru_cache(maxsize=4096)
def analyse(text: str, words: RelationWords, language: str | None = None) -> TextFacts:
    """Read the facts of `text`; a pure function, its last 4,096 answers are remembered."""
    folded = _fold(text, words)
    code, certainty = (language, 9.0) if language else detect_language(folded, words)
    main = words.language(code)
    latin = words.language(latin_language(folded, words)[0]) if code in ("zh", "ja", "ko") else main
    tokens = _read_tokens(folded, main, latin)
    tagged = [t for t in tokens if t.tags]
    numbers = [t for t in tokens if t.kind is Kind.NUMBER]
    named = [t for t in tokens if t.name]
    known = _comparable(folded)
    return TextFacts(
        text=text,
        folded=known,
        language=code,
        certainty=certainty,
        tokens=tokens,
        content=tuple([t for t in tokens if "stop" not in t.tags]),
        numbers=frozenset([t.key for t in numbers if "weak" not in t.tags]),
        weak_one=any("weak" in t.tags for t in tagged),
        idents=frozenset([t.key for t in named if t.kind is Kind.IDENT]),
        names=frozenset([t.key for t in named if t.kind is not Kind.IDENT]),
        initials=frozenset([t.key for t in tagged if "initial" in t.tags]),
        marks=frozenset([tag for t in tagged for tag in t.tags if tag.startswith(_MARKS)]),
        grams=_grams(known),
    )


def _read_tokens(folded: str, main: LanguageWords, latin: LanguageWords) -> tuple[Token, ...]:
    read = read_values(tokenize(folded, main, latin), main)
    english = latin.code == "en"
    shouted = folded.isupper() and _SHOUTED.search(folded) is not None
    for i, token in enumerate(read):
        if len(token.key) == 1:
            read[i] = as_label(token, folded, english=english, shouted=shouted)
        elif len(token.key) > 5:
            read[i] = _negated_form(token, latin)
    return tuple(read)


def _negated_form(token: Token, words: LanguageWords) -> Token:
    """Tag a word like "uncomfortable" with what is left of it without the negating beginning."""
    if token.kind is not Kind.WORD or not token.key.startswith(words.negating):
        return token
    for start in words.negating:
        rest = token.key[len(start) :]
        if len(rest) > 3 and token.key.startswith(start):
            return replace(token, tags=(*token.tags, f"{TURNED}{rest}"))
    return token


def comparable(text: str, words: RelationWords) -> str:
    """Return the form by which two texts count as the same at once: case, width, script, blanks, end marks."""
    return _comparable(_fold(text, words))


def _fold(text: str, words: RelationWords) -> str:
    """Return NFKC text without zero-width characters, traditional characters simplified; case is kept."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(words.folding)


def _comparable(folded: str) -> str:
    plain = " ".join(folded.casefold().split())
    if " " in plain and not plain.isascii():
        plain = _CJK_GAP.sub("", plain)
    return plain.rstrip(" .。!！?？") or plain


def _grams(text: str) -> frozenset[str]:
    size = 2 if not text.isascii() and _UNSPACED.search(text) else 3
    padded = f" {text} " if size == 3 else text
    return frozenset({padded[i : i + size] for i in range(len(padded) - size + 1)})
