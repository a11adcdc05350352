"""Credentials told in a sentence: a secret's name, a connector, a value."""

import re
from collections.abc import Iterator

from memorycore.policy.markers import Lexicon, MarkerHit, fold_aligned
from memorycore.policy.secret_formats import ASSIGNMENT, SecretSpan, is_placeholder

_REACH = 64
"""Characters after a secret's name in which its value is looked for."""

_STRONG = re.compile(r"[:：=]|->|→|=>|\s[–—-]\s")
_VALUE = re.compile(
    r"\s*(?P<open>[\"'“”«»„「『`(]?)(?P<value>[^\s\"'“”«»„「」『』`,，、。；;()（）\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+)"
)
_QUOTED = re.compile(r"\s*[\"“«„「『`'](?P<value>[^\"”»“」』`'\n]{4,80})[\"”»“」』`']")
_STOP = re.compile(r"[.!?](?:\s|$)|,\s|[。！？\n;；，、]")
_SYMBOL = re.compile(r"[!@#$%^&*_~+=?|\\]|(?<=\w)[-.](?=\w)")
_DATE_OR_SIZE = re.compile(
    r"^(?:\d{1,4}[-./:]\d{1,2}(?:[-./:]\d{1,4})?|\d+(?:[.,]\d+)?(?:%|°|[a-zà-ÿа-я]{1,3})|v?\d+(?:\.\d+)+|\d+[-–]\w+|\w+[-–]only)$",
    re.I,
)
_PATH = re.compile(
    r"^(?:~|\.{0,2})/|^[\w-]+\.(?:md|txt|ya?ml|json|toml|env|kdbx|py|sh|conf|cfg|ini)$|://|^[\w.+-]+@[\w-]+\.\w+$"
)
_PLAIN_END = re.compile(r"(?:ed|able|ible|ory|al|ing|ly|ary|ent|ful|ive|ous|less|en)$")
_SEED = re.compile(
    r"(?:\s*[:：=“\"]|\s+(?:is|are|ist|est|es|là|é)\b|是|为|は|은|는)?\s*[\"“«「]?(?P<value>(?:\w+[ ,]+){11,23}\w+)"
)


def told_secrets(text: str, lexicon: Lexicon) -> list[SecretSpan]:
    """Return the secrets that the words of `text` name and give; positions refer to `text`."""
    folded = fold_aligned(text)
    spans = list(_assigned(text, lexicon))
    for hit in lexicon.hits_folded("secret_word", folded):
        spans += _after(hit, text, folded, lexicon)
    return spans


def _assigned(text: str, lexicon: Lexicon) -> Iterator[SecretSpan]:
    for match in ASSIGNMENT.finditer(text):
        value = match["value"]
        if is_placeholder(value) or _is_place(value) or not _is_dense(value):
            continue
        yield SecretSpan(_kind_of(match["name"], lexicon), match.start("value"), match.end("value"))


def _after(hit: MarkerHit, text: str, folded: str, lexicon: Lexicon) -> Iterator[SecretSpan]:
    window = text[hit.end : hit.end + _REACH]
    stop = _STOP.search(window)
    reach = window[: stop.start()] if stop else window
    seed = _SEED.match(text[hit.end : hit.end + 260])
    if seed and lexicon.hits_folded("secret_phrase", hit.text):
        yield SecretSpan(
            "recovery phrase", hit.end + seed.start("value"), hit.end + seed.end("value")
        )
        return
    direct = _VALUE.match(reach)
    if direct and _accept(direct["value"], hit.text, text[hit.end + direct.end() :], lexicon):
        yield SecretSpan(
            _kind_of(hit.text, lexicon),
            hit.end + direct.start("value"),
            hit.end + direct.end("value"),
        )
        return
    for start, end, strong in _connectors(reach, lexicon):
        if lexicon.hits_folded("secret_about", folded[hit.end : hit.end + start]):
            return
        found = _value_at(hit.end + end, hit.text, strong=strong, text=text, lexicon=lexicon)
        if found:
            yield found
            return


def _connectors(reach: str, lexicon: Lexicon) -> list[tuple[int, int, bool]]:
    signs = [(match.start(), match.end(), True) for match in _STRONG.finditer(reach)]
    verbs = lexicon.hits_folded("secret_is", fold_aligned(reach))
    return sorted(signs + [(verb.start, verb.end, verb.text == "is") for verb in verbs])


def _value_at(
    at: int, word: str, *, strong: bool, text: str, lexicon: Lexicon
) -> SecretSpan | None:
    kind = _kind_of(word, lexicon)
    quoted = _QUOTED.match(text, at)
    if quoted and not is_placeholder(quoted["value"]) and not _is_place(quoted["value"]):
        return SecretSpan(kind, quoted.start("value"), quoted.end("value"))
    plain = _VALUE.match(text, at)
    if plain is None:
        return None
    rest = text[plain.end() :]
    if _accept(plain["value"], word, rest, lexicon) or (
        strong and _is_lone_word(plain["value"], rest)
    ):
        return SecretSpan(kind, plain.start("value"), plain.end("value"))
    return None


def _accept(value: str, word: str, rest: str, lexicon: Lexicon) -> bool:
    value = value.rstrip(".:!?…")
    if is_placeholder(value) or _is_place(value) or _counts_something(rest, lexicon):
        return False
    digits = re.sub(r"[\s#*-]", "", value)
    if digits.isdigit():
        return 3 <= len(digits) <= 16 and not lexicon.hits_folded("secret_no_number", word)
    return _is_dense(value) and not _DATE_OR_SIZE.match(value)


def _counts_something(rest: str, lexicon: Lexicon) -> bool:
    following = fold_aligned(rest[:24])
    return any(hit.start <= 2 for hit in lexicon.hits_folded("secret_unit", following))


def _is_place(value: str) -> bool:
    """Tell whether a token says where something lies: a path, a file, an address."""
    return bool(_PATH.search(value)) or ("/" in value and value.islower() and len(value) < 30)


def _is_dense(value: str) -> bool:
    """Tell whether a token mixes kinds of characters as passwords and keys do, and words do not."""
    value = value.rstrip(".,:!?")
    letters = sum(character.isalpha() for character in value)
    digits = sum(character.isdigit() for character in value)
    symbols = len(_SYMBOL.findall(value))
    if len(value) < 5 or letters < 1:
        return False
    if digits:
        return True
    inner_capitals = len(re.findall(r"(?<=[a-z])[A-Z]", value))
    return len(value) >= 8 and (
        symbols >= 1 and (inner_capitals >= 1 or bool(re.search(r"[!@#$%^&*?]", value)))
    )


def _is_lone_word(value: str, rest: str) -> bool:
    """Tell whether one plain word alone is given as the value, at the end of its line."""
    word = value.rstrip(".!")
    if len(word) < 6 or not word.isascii() or not word.isalpha() or _PLAIN_END.search(word.lower()):
        return False
    return not rest.strip(" .!\"'”»") or rest.lstrip(" .").startswith("\n")


def _kind_of(word: str, lexicon: Lexicon) -> str:
    folded = fold_aligned(word)
    for kind, section in _KINDS:
        if lexicon.hits_folded(section, folded):
            return kind
    return "password"


_KINDS = (
    ("recovery phrase", "secret_phrase"),
    ("PIN or code", "secret_code"),
    ("token", "secret_token"),
    ("API key", "secret_key"),
)
