"""Credentials told in a sentence: a secret's name, perhaps a connector, a value."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from memorycore.policy.marker_scan import MarkerHit, Scan
from memorycore.policy.markers import Lexicon, fold_aligned
from memorycore.policy.secret_formats import ASSIGNMENT, KEY_NAME_PARTS, SecretSpan, is_placeholder
from memorycore.policy.secret_values import (
    counts_something,
    is_dense,
    is_lone_word,
    is_place,
    is_value,
)

_REACH = 64
"""Characters after a secret's name in which its value is looked for."""

_LOCK_DISTANCE = 32
"""Characters around a bare word such as "code" in which a lock, door or safe makes it a secret."""

_VERB_LIKE = (
    "pin"  # written small it is also a verb ("pin the version"), so a connector must follow
)
_STRONG = re.compile(r"[:：=]|->|→|=>|\s[–—-]\s")
_STOP = re.compile(r"[.!?](?:\s|$)|,\s(?!c'est)|[。！？\n;；，、]")
_VALUE = re.compile(
    r"\s*(?P<open>[\"'“”«»„「『`(]?)"
    r"(?P<value>\d{2}(?:[ ]\d{2,4}){1,3}(?![\w.,])"
    r"|[^\s\"'“”«»„「」『』`,，、。；;()（）\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+)"
)
_QUOTED = re.compile(r"\s*[\"“«„「『`'](?P<value>[^\"”»“」』`'\n]{4,80})[\"”»“」』`']")
_PAIR = re.compile(r"[^/|\n]{0,40}?[\w.@-]+\s*[/|]\s*(?P<value>[^\s/|,;，；]+)")
_SPACED_PAIR = re.compile(r"[^/|\n]{0,40}?[\w.@-]+\s+[/|]\s+(?P<value>[^\s/|,;，；]+)")
_NUMBER_NEAR = re.compile(
    r"(?:(?:\s+[^\W\d_]+){1,3}\s+|[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]{1,6}\s*)"
    r"(?P<value>(?!(?:19|20)\d\d\b)\d(?:\d{3,7}|\d?(?:-\d{1,4}){2,4}))(?![\w.,:/-]*\d)"
)
_SEED = re.compile(
    r"(?:\s*[:：=“\"]|\s+(?:is|are|ist|est|es|là|é)\b|是|为|は|은|는)?\s*[\"“«「]?(?P<value>(?:\w+[ ,]+){11,23}\w+)"
)

_KINDS = (
    ("recovery phrase", "secret_phrase"),
    ("PIN or code", "secret_code"),
    ("token", "secret_token"),
    ("API key", "secret_key"),
)

_Place = tuple[int, int]


def told_secrets(text: str, lexicon: Lexicon) -> list[SecretSpan]:
    """Return the secrets that the words of `text` name and give; positions refer to `text`."""
    folded = fold_aligned(text)
    scan = lexicon.scan(folded)
    named = any(part in folded for part in KEY_NAME_PARTS)
    spans = [
        SecretSpan(_kind_of(match["name"], lexicon), match.start("value"), match.end("value"))
        for match in (ASSIGNMENT.finditer(text) if named else ())
        if is_dense(match["value"])
        and not is_place(match["value"])
        and not is_placeholder(match["value"])
    ]
    spans += [
        SecretSpan("password", *_shifted(pair, login.end))
        for login in scan.hits("secret_login")
        if (pair := _SPACED_PAIR.match(text[login.end : login.end + _REACH]))
        and is_dense(pair["value"])
    ]
    for name in _names(scan, lexicon):
        place = _value_of(name, text, folded, lexicon)
        if place:
            spans.append(SecretSpan(_kind_of(name.text, lexicon), *place))
    return spans


def _names(scan: Scan, lexicon: Lexicon) -> Iterator[MarkerHit]:
    named = scan.hits("secret_word")
    for hit, after in zip_longest(named, named[1:]):
        if after is None or scan.text[hit.end : after.start].strip():
            yield hit
    for hit in scan.hits("bare_code"):
        around = scan.text[max(0, hit.start - _LOCK_DISTANCE) : hit.end + _LOCK_DISTANCE]
        if lexicon.hits_folded("lock_word", around):
            yield hit


def _value_of(name: MarkerHit, text: str, folded: str, lexicon: Lexicon) -> _Place | None:
    seed = _SEED.match(text[name.end : name.end + 260])
    if seed and lexicon.hits_folded("secret_phrase", name.text):
        return _shifted(seed, name.end)
    window = text[name.end : name.end + _REACH]
    stop = _STOP.search(window)
    reach = window[: stop.start()] if stop else window
    if text[name.start : name.end] == _VERB_LIKE:
        return _connected(name, reach, text, lexicon)
    direct = _VALUE.match(reach)
    if direct and _fits(direct, name, reach, lexicon):
        return _shifted(direct, name.end)
    about = lexicon.hits_folded("secret_about", folded[name.end : name.end + len(reach)])
    apart = None if about else _apart(name, reach, lexicon)
    return _shifted(apart, name.end) if apart else _connected(name, reach, text, lexicon)


def _shifted(match: re.Match[str], offset: int) -> _Place:
    return offset + match.start("value"), offset + match.end("value")


def _fits(match: re.Match[str], name: MarkerHit, searched: str, lexicon: Lexicon) -> bool:
    numeric = not lexicon.hits_folded("secret_no_number", name.text)
    if lexicon.hits_folded("secret_only_number", name.text) and any(
        map(str.isalpha, match["value"])
    ):
        return False
    counted = counts_something(searched[match.end() :], lexicon)
    return not counted and is_value(match["value"], numeric=numeric)


def _apart(name: MarkerHit, reach: str, lexicon: Lexicon) -> re.Match[str] | None:
    """Find a value that no connector announces: `creds ann/Xy7-b`, `PIN of the card 4821`."""
    if lexicon.hits_folded("secret_login", name.text):
        pair = _PAIR.match(reach)
        return pair if pair and is_dense(pair["value"]) else None
    near = _NUMBER_NEAR.match(reach)
    if near is None or lexicon.hits_folded("secret_no_number", name.text):
        return None
    return None if counts_something(reach[near.end() :], lexicon) else near


def _connected(name: MarkerHit, reach: str, text: str, lexicon: Lexicon) -> _Place | None:
    """Find a value after a sign or verb that announces it, unless the words between are about it."""
    folded = fold_aligned(reach)
    signs = [(match.start(), match.end(), True) for match in _STRONG.finditer(reach)]
    verbs = lexicon.hits_folded("secret_is", folded)
    for start, end, strong in sorted(signs + [(v.start, v.end, v.text == "is") for v in verbs]):
        if lexicon.hits_folded("secret_about", folded[:start]):
            return None
        rest = text[name.end + end : name.end + end + _REACH * 2]
        quoted = _QUOTED.match(rest)
        if quoted and not is_placeholder(quoted["value"]) and not is_place(quoted["value"]):
            return _shifted(quoted, name.end + end)
        plain = _VALUE.match(rest)
        if plain and (
            _fits(plain, name, rest, lexicon)
            or (strong and is_lone_word(plain["value"], rest[plain.end() :]))
        ):
            return _shifted(plain, name.end + end)
    return None


def _kind_of(word: str, lexicon: Lexicon) -> str:
    folded = fold_aligned(word)
    for kind, section in _KINDS:
        if lexicon.hits_folded(section, folded):
            return kind
    return "password"
