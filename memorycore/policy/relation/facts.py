"""What one text states: its values, names, environments, its polarity and its cues."""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from memorycore.policy.relation.tokens import Kind, Token, fold_for_matching, tokenize
from memorycore.policy.relation.words import LanguageWords, RelationWords

_KANA = re.compile(r"[\u3041-\u30fa]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = (
    ("vi", re.compile(r"[ăơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]")),
    ("de", re.compile(r"[äöüß]")),
    ("es", re.compile(r"[ñ¿¡]")),
    ("pt", re.compile(r"[ãõ]|ção|ções")),
    ("fr", re.compile(r"[èêëîïœûù]|\b[ldjn]'")),
)
_LATIN = ("en", "de", "es", "fr", "pt", "vi")
_SECONDS = {"unit:s": 1, "unit:min": 60, "unit:h": 3600}


@dataclass(frozen=True, slots=True)
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
        negations: tokens that negate, after phrases that only look so are set aside.
        grams: character 3-grams (2-grams for CJK).
    """

    text: str
    folded: str
    language: str
    certainty: float
    tokens: tuple[Token, ...]
    content: tuple[Token, ...]
    numbers: frozenset[str]
    idents: frozenset[str]
    names: frozenset[str]
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


@functools.lru_cache(maxsize=4096)
def analyse(text: str, words: RelationWords, language: str | None = None) -> TextFacts:
    """Read the facts of `text`; a pure function, its last 4,096 answers are remembered."""
    folded = fold_for_matching(text, words)
    code, certainty = (language, 9.0) if language else detect_language(folded, words)
    main = words.language(code)
    latin = (
        words.language(_latin_language(folded, words)[0]) if code in ("zh", "ja", "ko") else main
    )
    tokens = tuple(_read_values(tokenize(folded, main, latin), main))
    content = tuple(t for t in tokens if "stop" not in t.tags)
    return TextFacts(
        text=text,
        folded=_comparable(folded),
        language=code,
        certainty=certainty,
        tokens=tokens,
        content=content,
        numbers=frozenset(
            t.key
            for t in tokens
            if t.kind is Kind.NUMBER and t.key != "n:1" or (t.key == "n:1" and "word" not in t.tags)
        ),
        idents=frozenset(t.key for t in tokens if t.kind is Kind.IDENT),
        names=frozenset(t.key for t in tokens if t.name and t.kind is not Kind.IDENT),
        marks=frozenset(
            tag
            for t in tokens
            for tag in t.tags
            if tag.startswith(("env:", "kin:", "unit:", "month:", "dow:"))
        ),
        grams=_grams(_comparable(folded)),
    )


def _comparable(folded: str) -> str:
    return " ".join(folded.casefold().split()).rstrip(" .。!！?？")


def _grams(text: str) -> frozenset[str]:
    size = 2 if _HAN.search(text) or _KANA.search(text) or _HANGUL.search(text) else 3
    padded = f" {text} " if size == 3 else text
    return frozenset(padded[i : i + size] for i in range(len(padded) - size + 1))


def _read_values(tokens: Sequence[Token], words: LanguageWords) -> list[Token]:
    """Turn number words into numbers, compose them, and read clock times and durations."""
    out: list[Token] = []
    for token in tokens:
        value = _word_value(token, words)
        if value is None:
            out.append(token)
        elif (joined := _joined(out, value)) is not None:
            out[-1] = Token(Kind.NUMBER, f"n:{joined:.10g}", ("word",), False, out[-1].start)
        elif (
            len(out) > 1
            and out[-1].key in words.joiners
            and (joined := _joined(out[:-1], value)) is not None
            and value < 10
        ):
            out[-2:] = [Token(Kind.NUMBER, f"n:{joined:.10g}", ("word",), False, out[-2].start)]
        else:
            out.append(Token(Kind.NUMBER, f"n:{value:.10g}", ("word",), False, token.start))
    return _durations(_clock_words(out))


def _word_value(token: Token, words: LanguageWords) -> float | None:
    for tag in token.tags:
        if tag.startswith("num:"):
            return float(tag[4:])
    for joiner in words.joiners:
        head, found, tail = token.key.partition(joiner)
        if found and head and tail:
            values = [words.single.get(part, ()) for part in (head, tail)]
            numbers = [float(t[4:]) for tags in values for t in tags if t.startswith("num:")]
            if len(numbers) == 2:
                return sum(numbers)
    return None


def _joined(out: Sequence[Token], value: float) -> float | None:
    """Return the compound of the last number word and `value`, such as 20 and 5, 3 and 100."""
    if not out or out[-1].kind is not Kind.NUMBER or not out[-1].key.startswith("n:"):
        return None
    before = float(out[-1].key[2:])
    if value in (100, 1000, 1_000_000) and before:
        return before * value
    if (
        "word" in out[-1].tags
        and before >= 20
        and 0 < value < 10
        and before % 10 == 0
        and value >= 1
    ):
        return before + value
    return None


def _clock_words(tokens: list[Token]) -> list[Token]:
    """Read "5 pm", 下午三点, 九点半 as times of day."""
    out: list[Token] = []
    for i, token in enumerate(tokens):
        if token.kind is Kind.NUMBER and token.key.startswith("n:"):
            before = tokens[i - 1] if i else None
            after = [t.key for t in tokens[i + 1 : i + 3]]
            out.append(_clocked(token, before, after))
        elif token.key in ("am", "pm", "半") and out and "clock" in out[-1].tags:
            continue
        elif token.key in ("点", "时", "時", "시") and out and "clock" in out[-1].tags:
            continue
        else:
            out.append(token)
    return out


def _clocked(token: Token, before: Token | None, after: list[str]) -> Token:
    hour = float(token.key[2:])
    tags = before.tags if before else ()
    marked = bool(after) and after[0] in ("点", "时", "時", "시", "am", "pm", "点半")
    if hour > 24 or not (marked or "clock" in token.tags):
        return token
    pm = "meridiem:pm" in tags or (bool(after) and after[0] == "pm")
    if pm and hour < 12:
        hour += 12
    if len(after) > 1 and after[1] == "半":
        return Token(Kind.NUMBER, f"t:{hour:.0f}:30", ("clock",), False, token.start)
    return Token(Kind.NUMBER, f"n:{hour:.10g}", ("clock",), False, token.start)


def _durations(tokens: list[Token]) -> list[Token]:
    """Fold seconds, minutes and hours onto seconds, so that 10 minutes equal 600 seconds."""
    out: list[Token] = []
    for token in tokens:
        factor = next((_SECONDS[t] for t in token.tags if t in _SECONDS), None)
        last = out[-1] if out else None
        if factor and last and last.kind is Kind.NUMBER and last.key.startswith("n:"):
            seconds = float(last.key[2:]) * factor
            out[-1] = Token(Kind.NUMBER, f"q:{seconds:.10g}", ("duration",), False, last.start)
        else:
            out.append(token)
    return out
