"""Reads numbers out of tokens: number words, compounds, times of day, durations."""

from collections.abc import Sequence

from memorycore.policy.relation.tokens import Kind, Token
from memorycore.policy.relation.words import LanguageWords

_SECONDS = {"unit:s": 1.0, "unit:min": 60.0, "unit:h": 3600.0, "unit:ms": 0.001}
_SHIFTS = {"clock:half": -30, "clock:past30": 30, "clock:past15": 15, "clock:to15": -15}
_SCALES = (100.0, 1000.0, 1_000_000.0)


def read_values(tokens: Sequence[Token], words: LanguageWords) -> list[Token]:
    """Return the tokens with every number brought to one form.

    Number words become numbers, 10 minutes and 600 seconds become one duration, "5 pm", "halb sechs",
    下午五点 become times of day. A one written as a word carries the tag `weak`.
    """
    said = {tag for token in tokens if token.tags for tag in token.tags}
    kinds = {tag.partition(":")[0] for tag in said}
    read = list(tokens)
    if "num" in kinds or words.joiners:
        read = _numbers(read, words)
    if "clock" in kinds or "meridiem" in kinds:
        read = _times(read, words.joiners)
    if "unit" in kinds:
        read = _durations(read)
    return read


def _numbers(tokens: Sequence[Token], words: LanguageWords) -> list[Token]:
    out: list[Token] = []
    for token in tokens:
        value = _word_value(token, words) if token.tags or words.joiners else None
        if value is None:
            out.append(token)
        elif (joined := _joined(out, value)) is not None:
            out[-1] = _spelled(joined, out[-1].start)
        elif _bridged(out, value, words):
            out[-2:] = [_spelled(_plain(out[-2]) + value, out[-2].start)]
        else:
            out.append(_spelled(value, token.start))
    return out


def _spelled(value: float, at: int) -> Token:
    tags = ("word", "weak") if value == 1 else ("word",)
    return Token(Kind.NUMBER, f"n:{value:.10g}", at, tags)


def _plain(token: Token) -> float:
    return float(token.key[2:])


def _is_plain(token: Token) -> bool:
    return token.kind is Kind.NUMBER and token.key.startswith("n:")


def _word_value(token: Token, words: LanguageWords) -> float | None:
    for tag in token.tags:
        if tag.startswith("num:"):
            return float(tag[4:])
    if token.kind is not Kind.WORD:
        return None
    for joiner in words.joiners:
        head, found, tail = token.key.partition(joiner)
        if found and head and tail:
            small, big = _listed(head, words), _listed(tail, words)
            if small is not None and big is not None:
                return small + big
    return None


def _listed(word: str, words: LanguageWords) -> float | None:
    """Return the value of a number word, also of a shortened one (German "ein" for "eins")."""
    tags = words.single.get(word) or words.single.get(f"{word}s", ())
    return next((float(t[4:]) for t in tags if t.startswith("num:")), None)


def _joined(out: Sequence[Token], value: float) -> float | None:
    """Return the compound of the last number and `value`, such as 20 and 5, 3 and 100."""
    if not out or not _is_plain(out[-1]):
        return None
    before = _plain(out[-1])
    if value in _SCALES and 0 < before < value:
        return before * value
    spelled = "word" in out[-1].tags
    if spelled and before >= 20 and before % 10 == 0 and 1 <= value < 10:
        return before + value
    if spelled and before >= 100 and before % 100 == 0 and 1 <= value < 100:
        return before + value
    return None


def _bridged(out: Sequence[Token], value: float, words: LanguageWords) -> bool:
    """Tell whether a joiner word stands between tens and `value`: "treinta y cinco"."""
    return (
        len(out) > 1
        and out[-1].key in words.joiners
        and _is_plain(out[-2])
        and "word" in out[-2].tags
        and _plain(out[-2]) >= 20
        and _plain(out[-2]) % 10 == 0
        and 1 <= value < 10
    )


def _times(tokens: Sequence[Token], joiners: frozenset[str]) -> list[Token]:
    """Read times of day and drop the words that only say so."""
    out: list[Token] = []
    skip = 0
    for i, token in enumerate(tokens):
        if skip:
            skip -= 1
        elif (shifted := _shifted(tokens, i)) is not None:
            out.append(shifted)
            skip = 1
        elif token.kind is Kind.NUMBER and _is_time(tokens, i):
            time, skip = _time(tokens, i, joiners)
            while out and any(t.startswith("meridiem:") for t in out[-1].tags):
                out.pop()
            out.append(time)
        else:
            out.append(token)
    return out


def _shifted(tokens: Sequence[Token], i: int) -> Token | None:
    """Read "halb zehn", "half past nine", "quarter to five": a word that moves the hour after it."""
    shift = next((_SHIFTS[t] for t in tokens[i].tags if t in _SHIFTS), None)
    if shift is None or i + 1 >= len(tokens) or not _is_plain(tokens[i + 1]):
        return None
    minutes = round(_plain(tokens[i + 1]) * 60) + shift
    hour, minute = divmod(minutes, 60)
    return Token(Kind.NUMBER, f"t:{hour}:{minute:02d}", tokens[i].start, ("clock",))


def _is_time(tokens: Sequence[Token], i: int) -> bool:
    if "clock" in tokens[i].tags:
        return True
    if not _is_plain(tokens[i]) or not 0 <= _plain(tokens[i]) <= 24:
        return False
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    if after is not None and any(
        t in ("clock:after",) or t.startswith("meridiem:") for t in after.tags
    ):
        return True
    before = tokens[i - 1] if i else None
    unit = after is not None and any(t.startswith("unit:") and t != "unit:h" for t in after.tags)
    return before is not None and "clock:before" in before.tags and not unit


def _time(tokens: Sequence[Token], i: int, joiners: frozenset[str]) -> tuple[Token, int]:
    """Return the time of day at position `i`, and how many tokens after it belong to it."""
    hour, minute = _clock_parts(tokens[i])
    pm = any("meridiem:pm" in t.tags for t in tokens[max(0, i - 2) : i])
    used = 0
    for offset, token in enumerate(tokens[i + 1 : i + 6], start=1):
        marked = "clock:after" in token.tags or "unit:h" in token.tags
        if any(t.startswith("meridiem:") for t in token.tags):
            pm, used = pm or "meridiem:pm" in token.tags, offset
        elif marked or (minute and "unit:min" in token.tags):
            used = offset
        elif not minute and (found := _minutes(tokens, i + offset)):
            minute, used = found, offset
        elif token.key not in joiners:
            break
    if pm and hour < 12:
        hour += 12
    key = f"n:{hour}" if not minute else f"t:{hour}:{minute:02d}"
    return Token(Kind.NUMBER, key, tokens[i].start, ("clock",)), used


def _minutes(tokens: Sequence[Token], i: int) -> int:
    """Return the minutes a number after an hour stands for; 0 when it belongs to something else."""
    if not _is_plain(tokens[i]) or "clock" in tokens[i].tags:
        return 0
    value = _plain(tokens[i])
    if tokens[i].start > tokens[i - 1].start + len(tokens[i - 1].key) + 1:
        return 0
    after_hour = any(t in ("clock:after", "unit:h") for t in tokens[i - 1].tags)
    if value == 0.5:
        return 30
    return int(value) if after_hour and 0 < value < 60 and value % 1 == 0 else 0


def _clock_parts(token: Token) -> tuple[int, int]:
    if token.key.startswith("t:"):
        _, hour, minute = token.key.split(":")
        return int(hour), int(minute)
    value = _plain(token)
    return int(value), round(value % 1 * 60)


def _durations(tokens: Sequence[Token]) -> list[Token]:
    """Fold milliseconds, seconds, minutes and hours onto seconds."""
    out: list[Token] = []
    for token in tokens:
        factor = next((_SECONDS[t] for t in token.tags if t in _SECONDS), None)
        count = _counted(out) if factor else None
        if "unit:halfhour" in token.tags:
            out.append(Token(Kind.NUMBER, "q:1800", token.start, ("duration",)))
        elif factor is None or count is None:
            out.append(token)
        else:
            seconds = _plain(out[count]) * factor
            out[count:] = [Token(Kind.NUMBER, f"q:{seconds:.10g}", token.start, ("duration",))]
    return out


def _counted(out: Sequence[Token]) -> int | None:
    """Return the place of the number a unit at the end of `out` counts; "half an hour" has a word between."""
    if out and _is_plain(out[-1]) and "clock" not in out[-1].tags:
        return len(out) - 1
    if len(out) > 1 and out[-2].key == "n:0.5" and "stop" in out[-1].tags:
        return len(out) - 2
    return None
