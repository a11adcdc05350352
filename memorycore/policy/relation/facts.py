"""What one text states: its values, names, environments, its polarity and its cues."""

import functools
import re
from dataclasses import dataclass, replace

from memorycore.policy.relation.labels import as_label
from memorycore.policy.relation.tokens import Kind, Token, fold_for_matching, tokenize
from memorycore.policy.relation.values import read_values
from memorycore.policy.relation.words import LanguageWords, RelationWords

_KANA = re.compile(r"[\u3041-\u30fa]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CJK_GAP = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff]) | (?=[\u3040-\u30ff\u3400-\u9fff])")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = (
    ("vi", re.compile(r"[ăơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]")),
    ("de", re.compile(r"[äöüß]")),
    ("es", re.compile(r"[ñ¿¡]")),
    ("pt", re.compile(r"[ãõ]|ção|ções")),
    ("fr", re.compile(r"[èêëîïœûù]|\b[ldjn]'")),
)
TURNED = "turned:"
"""Start of the tag that holds a word without its negating beginning."""

_LATIN = ("en", "de", "es", "fr", "pt", "vi")


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


def detect_language(folded: str, words: RelationWords) -> tuple[str, float]:
    """Return the language code and how much speaks for it (0 when nothing does)."""
    if _KANA.search(folded):
        return "ja", 9.0
    if _HANGUL.search(folded):
        return "ko", 9.0
    if _HAN.search(folded):
        return "zh", 9.0
    if _CYRILLIC.search(folded):
        return "ru", 9.0
    return _latin_language(folded, words)


def script(language: str) -> str:
    """Return the script a language shares with others: its words may be read in one of them."""
    if language in _LATIN:
        return "latin"
    return "han" if language in ("zh", "ja") else language


def _latin_language(folded: str, words: RelationWords) -> tuple[str, float]:
    low = folded.casefold()
    score = dict.fromkeys(_LATIN, 0.0)
    for code, letters in _LETTERS:
        score[code] += 1.5 * min(2, len(letters.findall(low)))
    for word in _WORD.findall(low):
        for code in _LATIN:
            tags = words.language(code).single.get(word)
            if tags is not None:
                score[code] += 1.0 if "stop" in tags else 0.6
    best = max(_LATIN, key=lambda code: score[code])
    return (best, score[best]) if score[best] else ("en", 0.0)


_SHOUTED = re.compile(r"[^\W\d_]{4}")
"""A word long enough to tell whether a text is written in capitals throughout."""


@functools.lru_cache(maxsize=4096)
def analyse(text: str, words: RelationWords, language: str | None = None) -> TextFacts:
    """Read the facts of `text`; a pure function, its last 4,096 answers are remembered."""
    folded = fold_for_matching(text, words)
    code, certainty = (language, 9.0) if language else detect_language(folded, words)
    main = words.language(code)
    latin = (
        words.language(_latin_language(folded, words)[0]) if code in ("zh", "ja", "ko") else main
    )
    read = read_values(tokenize(folded, main, latin), main)
    shouted = _SHOUTED.search(folded) is not None and folded.isupper()
    tokens = tuple(
        as_label(_negated_form(token, latin), folded, english=latin.code == "en", shouted=shouted)
        for token in read
    )
    content = tuple(t for t in tokens if "stop" not in t.tags)
    return TextFacts(
        text=text,
        folded=_comparable(folded),
        language=code,
        certainty=certainty,
        tokens=tokens,
        content=content,
        numbers=frozenset(t.key for t in tokens if t.kind is Kind.NUMBER and "weak" not in t.tags),
        weak_one=any("weak" in t.tags for t in tokens),
        idents=frozenset(t.key for t in tokens if t.kind is Kind.IDENT),
        names=frozenset(t.key for t in tokens if t.name and t.kind is not Kind.IDENT),
        initials=frozenset(t.key for t in tokens if "initial" in t.tags),
        marks=frozenset(
            tag
            for t in tokens
            for tag in t.tags
            if tag.startswith(("env:", "side:", "kin:", "unit:", "month:", "dow:"))
        ),
        grams=_grams(_comparable(folded)),
    )


def _negated_form(token: Token, words: LanguageWords) -> Token:
    """Tag a word like "uncomfortable" with what is left of it without the negating beginning."""
    if token.kind is not Kind.WORD or len(token.key) < 6:
        return token
    for start in words.negating:
        rest = token.key[len(start) :]
        if len(rest) > 3 and token.key.startswith(start):
            return replace(token, tags=(*token.tags, f"{TURNED}{rest}"))
    return token


def comparable(text: str, words: RelationWords) -> str:
    """Return the form by which two texts count as the same at once: case, width, script, blanks, end marks."""
    return _comparable(fold_for_matching(text, words))


def _comparable(folded: str) -> str:
    plain = _CJK_GAP.sub("", " ".join(folded.casefold().split()))
    return plain.rstrip(" .。!！?？") or plain


def _grams(text: str) -> frozenset[str]:
    size = 2 if _HAN.search(text) or _KANA.search(text) or _HANGUL.search(text) else 3
    padded = f" {text} " if size == 3 else text
    return frozenset(padded[i : i + size] for i in range(len(padded) - size + 1))
