"""Joins two texts about one topic into one that keeps all of both."""

import re

from memorycore.policy.text import fold, has_cjk, sentences

_ENDS = " \t.。!！?？;；,，、"
_FENCE = re.compile(r"^[ \t]*§[ \t]*\r?$\n?", re.MULTILINE)
_NUMERAL = re.compile(r"[\d零〇一二三四五六七八九十百千万两亿億.]")
_LETTER = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def merge(older: str, newer: str) -> str:
    """Return one text that holds every sentence of both, the older one's first.

    When one text holds all of the other, it is returned as it stands; else the newer text is added
    without the opening sentences the older one already has. Sentences are never taken out of the
    middle, so no sentence comes to stand under another subject. Merging again changes nothing, and
    no line of the result is a lone `§`.
    """
    first, second = _without_fences(older), _without_fences(newer)
    old, new = sentences(first), sentences(second)
    if _all_in(new, old):
        return first
    if _all_in(old, new):
        return second
    keys = [_key(piece) for piece in old]
    start = 0
    while start < len(new) and _held(_key(new[start]), keys):
        start += 1
    return _joined(first, _from_sentence(second, new, start))


def _without_fences(text: str) -> str:
    return _FENCE.sub("", text).strip()


def _key(sentence: str) -> str:
    return fold(sentence).strip(_ENDS)


def _all_in(pieces: list[str], others: list[str]) -> bool:
    keys = [_key(other) for other in others]
    return all(_held(_key(piece), keys) for piece in pieces)


def _held(key: str, others: list[str]) -> bool:
    return any(_contains(other, key) for other in others)


def _contains(whole: str, part: str) -> bool:
    """Tell whether `part` stands in `whole` without cutting a word or a number."""
    at = whole.find(part)
    while at >= 0:
        end = at + len(part)
        if not part or (not _cut(whole, at) and not _cut(whole, end)):
            return True
        at = whole.find(part, at + 1)
    return False


def _cut(text: str, at: int) -> bool:
    """Tell whether position `at` lies inside a word or a number."""
    if at in (0, len(text)):
        return False
    left, right = text[at - 1], text[at]
    if _LETTER.match(left) and _LETTER.match(right):
        return True
    return bool(_NUMERAL.match(left) and _NUMERAL.match(right))


def _from_sentence(text: str, pieces: list[str], start: int) -> str:
    """Return `text` from its sentence number `start` on, spacing untouched."""
    at = 0
    for piece in pieces[:start]:
        at = text.index(piece, at) + len(piece)
    return text[at:].strip()


def _joined(first: str, second: str) -> str:
    if not first or not second:
        return first or second
    if "\n" in first or "\n" in second:
        return f"{first}\n{second}"
    glued = has_cjk(first[-1]) or (has_cjk(first) and first[-1] in "。！？；”」）")
    if first[-1] in ".。!！?？;；:：":
        return f"{first}{'' if glued else ' '}{second}"
    return f"{first}{'；' if has_cjk(first[-1]) else '; '}{second}"
