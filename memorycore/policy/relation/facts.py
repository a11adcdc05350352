"""What is read from one text: its language and its tokens."""

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
    """

    text: str
    folded: str
    language: str
    certainty: float
    tokens: tuple[Token, ...]
    content: tuple[Token, ...]


@functools.lru_cache(maxsize=4096)
def analyse(text: str, words: RelationWords, language: str | None = None) -> TextFacts:
    """Read the facts of `text`; a pure function, its last 4,096 answers are remembered."""
    folded = _fold(text, words)
    code, certainty = (language, 9.0) if language else detect_language(folded, words)
    main = words.language(code)
    latin = words.language(latin_language(folded, words)[0]) if code in ("zh", "ja", "ko") else main
    tokens = _read_tokens(folded, main, latin)
    return TextFacts(
        text=text,
        folded=_comparable(folded),
        language=code,
        certainty=certainty,
        tokens=tokens,
        content=tuple([t for t in tokens if "stop" not in t.tags]),
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
