"""Cuts a text into tokens: words with their tags, numbers, identifiers, paths."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from memorycore.policy.relation.numerals import han_value
from memorycore.policy.relation.words import LanguageWords, Tags

_ALPHA = r"0-9A-Za-z_\u00aa\u00b2-\u00b4\u00b5\u00b9\u00ba\u00c0-\u1fff"
_ADDRESS = (
    rf"(?P<ident>https?://[^\s<>\"'，。；、）)」】]+|[\w.+-]{1, 64}@[\w-]{1, 64}\.[\w.-]+"
    rf"|(?<![{_ALPHA}])(?:~|\.\.?)?/[A-Za-z0-9_.@{{}}*-]+(?:/[A-Za-z0-9_.@{{}}*-]*)*"
    r"|[A-Za-z0-9_.-]{0,80}[A-Za-z0-9_-]/(?:[A-Za-z0-9_.*-]+/?)+)|"
)
_PIECE = (
    r"(?P<date>(?<!\d)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|(?<![\d.])\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d))"
    r"|(?P<clock>(?<![\d:])\d{1,2}[:：h]\d{2}(?::\d{2})?(?![\d:]))"
    r"|(?P<wan>\d+(?:\.\d+)?[万千百亿億](?:\d|[零一二三四五六七八九十百千万亿])*)"
    rf"|(?P<word>[#@]?[{_ALPHA}]+(?:(?:[.'’+&@:_\-\u2011]|(?<=\d),(?=\d))[{_ALPHA}]+)*\+*)"
    r"|(?P<glued>[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\uf9ff]+)"
    r"|(?P<sign>[%€$£¥₽₩°]c?|→|->|=>)"
    r"|(?P<minus>-)(?=\d)"
)
_INNER = re.compile(r"([.'’+&@:_\-\u2011])")
_HAN_NUMERALS = "零〇一二三四五六七八九十百千万两亿"
_THOUSANDS = re.compile(r"^\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
_DECIMAL = re.compile(r"^\d+(?:[.,]\d+)?$")
_WITH_UNIT = re.compile(r"^(\d+(?:[.,]\d+)?)(?:[-\u2011])?([^\W\d_]+)$")


class Kind(StrEnum):
    """What a token is."""

    WORD = "word"
    GLYPH = "glyph"
    NUMBER = "number"
    IDENT = "ident"


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    Attributes:
        kind: what it is.
        key: the form by which tokens of two texts are compared.
        start: offset in the folded text.
        tags: what the word lists say of it.
        name: written like a proper name (a capital inside a sentence, Latin letters in CJK text).
    """

    kind: Kind
    key: str
    start: int
    tags: Tags = ()
    name: bool = False


@functools.lru_cache(maxsize=2)
def _scanner(*, addresses: bool) -> re.Pattern[str]:
    """Return the pattern of all pieces; without addresses it is faster, and many texts have none."""
    return re.compile(_ADDRESS + _PIECE if addresses else _PIECE)


def tokenize(folded: str, words: LanguageWords, latin: LanguageWords) -> list[Token]:
    """Return the tokens of a folded text; `latin` serves the alphabetic words, `words` the glued ones."""
    out: list[Token] = []
    cjk = words is not latin
    scanner = _scanner(addresses="/" in folded or "@" in folded)
    for match in scanner.finditer(folded):
        piece, at = match.group(), match.start()
        match match.lastgroup:
            case "word":
                if piece.islower() and piece.isalpha():
                    out.append(_lower_word(piece, at, latin))
                    continue
                first = piece[0].isupper() and _starts_sentence(folded, at)
                if piece.isalpha():
                    out.append(_word(piece, at, latin, cjk=cjk, first=first))
                else:
                    out.extend(_compound(piece, at, latin, cjk=cjk, first=first))
            case "glued":
                out.extend(_glued(piece, at, words))
            case "ident":
                out.append(Token(Kind.IDENT, piece.casefold().rstrip("/.,;:"), at, name=True))
            case "sign":
                key = piece.casefold()
                out.append(Token(Kind.WORD, key, at, latin.single.get(key, ())))
            case other:
                out.extend(_value(other, piece, at))
    return _phrases(out, latin)


def _value(shape: str | None, piece: str, at: int) -> Iterator[Token]:
    if shape == "wan":
        yield _number(han_value(piece), at)
    elif shape == "date":
        yield from _date(piece, at)
    elif shape == "clock":
        yield _clock(piece, at)


def _starts_sentence(text: str, at: int) -> bool:
    last = at - 1
    while last >= 0 and text[last] in " \t\"'“«(*-•>":
        last -= 1
    return last < 0 or text[last] in ".!?:;\n。！？：；—–"


def _number(value: float, at: int) -> Token:
    return Token(Kind.NUMBER, f"n:{value:.10g}", at)


def _compound(
    piece: str, at: int, words: LanguageWords, *, cjk: bool, first: bool
) -> Iterator[Token]:
    """Read a piece that is more than letters."""
    body = piece.lstrip("#@")
    if any(c.isdigit() for c in body):
        yield from _with_digits(piece, at, words)
        return
    folded = body.casefold().replace("’", "'")
    if folded in words.single or not _INNER.search(body):
        if body != piece:
            yield Token(Kind.IDENT, piece.casefold(), at, name=True)
        else:
            yield _word(body, at, words, cjk=cjk, first=first)
    elif _is_code(body) or re.search(r"[^\W_]{2,}\.[^\W_]{2,}", body) or body != piece:
        yield Token(Kind.IDENT, piece.casefold(), at, name=True)
    else:
        yield from _split_word(body, at, words, cjk=cjk, first=first)


def _is_code(body: str) -> bool:
    """Tell whether a compound is a code: "max_size", "db-a"."""
    return "_" in body or any(len(part) == 1 for part in body.split("-"))


def _split_word(
    body: str, at: int, words: LanguageWords, *, cjk: bool, first: bool
) -> Iterator[Token]:
    """Split at apostrophes and hyphens: "don't", "user's", "l'aîné", "lock-file"."""
    offset = 0
    for part in _INNER.split(body):
        start = at + offset
        offset += len(part)
        if not any(map(str.isalnum, part)):
            continue
        low = part.casefold()
        if low.endswith("n") and body[offset:].casefold() in ("'t", "’t"):
            yield _word(part[:-1], start, words, cjk=cjk, first=first)
            yield Token(Kind.WORD, "not", start, words.single.get("not", ("neg",)))
            return
        if low == "s" and offset == len(body):
            return
        yield _word(part, start, words, cjk=cjk, first=first and start == at)


def _lower_word(part: str, at: int, words: LanguageWords) -> Token:
    low = part.casefold()
    return Token(Kind.WORD, low, at, _tags(low, words))


def _word(part: str, at: int, words: LanguageWords, *, cjk: bool, first: bool) -> Token:
    if part.islower():
        return _lower_word(part, at, words)
    low = part.casefold()
    tags = _tags(low, words)
    capital = part[:1].isupper() and "stop" not in tags
    mixed = any(c.isupper() for c in part[1:]) and not part.isupper()
    if words.code == "de":
        return Token(Kind.WORD, low, at, tags, name=mixed)
    if capital and first and not tags and not mixed and not cjk:
        return Token(Kind.WORD, low, at, ("initial",))
    return Token(Kind.WORD, low, at, tags, name=capital and (mixed or cjk or not first))


def _tags(low: str, words: LanguageWords) -> Tags:
    found = words.single.get(low)
    if found is not None:
        return found
    if low[:3] in words.openings:
        for cut in range(len(low), 2, -1):
            found = words.prefixes.get(low[:cut])
            if found is not None:
                return found
    if low.endswith("s") and len(low) > 4:
        return words.single.get(low[:-1], ())
    return ()


def _with_digits(piece: str, at: int, words: LanguageWords) -> Iterator[Token]:
    low = piece.casefold()
    if _THOUSANDS.match(low):
        yield _number(float(low.replace(",", "")), at)
    elif _DECIMAL.match(low) and not re.match(r"^0\d+$", low):
        yield _number(float(low.replace(",", ".")), at)
    elif found := _WITH_UNIT.match(low):
        yield from _with_unit(low, found.group(1), found.group(2), at, words)
    else:
        yield Token(Kind.IDENT, low, at, name=True)


def _with_unit(low: str, number: str, tail: str, at: int, words: LanguageWords) -> Iterator[Token]:
    """Split "30s", "19°c", "31st", "5pm", "90-day"; anything else is an identifier."""
    tags = words.single.get(tail, ())
    value = float(number.replace(",", "."))
    if "ordinal:suffix" in tags:
        weak = ("word", "weak") if value == 1 else ()
        yield Token(Kind.NUMBER, f"n:{value:.10g}", at, weak)
    elif any(tag.startswith(("unit:", "meridiem:")) for tag in tags):
        yield _number(value, at)
        yield Token(Kind.WORD, tail, at, tags)
    else:
        yield Token(Kind.IDENT, low, at, name=True)


def _date(piece: str, at: int) -> Iterator[Token]:
    a, b, c = re.split(r"[-/.]", piece)
    year, month, day = (a, b, c) if len(a) == 4 else (c, b, a)
    if int(month) > 12:
        month, day = day, month
    yield Token(Kind.NUMBER, f"n:{int(year)}", at, ("date",))
    yield Token(Kind.WORD, f"month:{int(month)}", at, (f"month:{int(month)}", "date"))
    yield Token(Kind.NUMBER, f"n:{int(day)}", at, ("date",))


def _clock(piece: str, at: int) -> Token:
    hour, minute, *_ = re.split(r"[:：h]", piece)
    key = f"n:{int(hour)}" if int(minute) == 0 else f"t:{int(hour)}:{int(minute):02d}"
    return Token(Kind.NUMBER, key, at, ("clock",))


def _glued(run: str, at: int, words: LanguageWords) -> Iterator[Token]:
    i = 0
    while i < len(run):
        first = run[i]
        length, tags = _longest(run, i, words) if first in words.reach else (0, ())
        if length < 2 and first in _HAN_NUMERALS:
            text = _numeral(run, i)
            tags = ("word", "weak") if text == "一" else ("word",)
            yield Token(Kind.NUMBER, f"n:{han_value(text):.10g}", at + i, tags)
            i += len(text)
        elif length > 1:
            yield Token(Kind.WORD, run[i : i + length], at + i, tags)
            i += length
        else:
            yield Token(Kind.GLYPH, first, at + i, tags)
            i += 1


def _numeral(run: str, start: int) -> str:
    end = start
    while end < len(run) and run[end] in _HAN_NUMERALS:
        end += 1
    return run[start:end]


def _longest(run: str, start: int, words: LanguageWords) -> tuple[int, Tags]:
    for length in range(min(words.reach[run[start]], len(run) - start), 0, -1):
        tags = words.glued.get(run[start : start + length])
        if tags is not None:
            return length, tags
    return 0, ()


def _phrases(tokens: list[Token], words: LanguageWords) -> list[Token]:
    """Fuse the words that form a listed phrase into one token."""
    if words.phrases.keys().isdisjoint([token.key for token in tokens]):
        return tokens
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        fused = 0
        for parts, tags in words.phrases.get(token.key, ()):
            if _fits(tokens, i, parts):
                out.append(Token(Kind.WORD, " ".join(parts), token.start, tags))
                fused = len(parts)
                break
        if not fused:
            out.append(token)
        i += fused or 1
    return out


def _fits(tokens: list[Token], at: int, parts: tuple[str, ...]) -> bool:
    """Tell whether a phrase goes on at `at`, where its first word was found."""
    if at + len(parts) > len(tokens):
        return False
    for k in range(1, len(parts)):
        key, part = tokens[at + k].key, parts[k]
        if key != part and not (part.endswith("*") and key.startswith(part[:-1])):
            return False
    return True
