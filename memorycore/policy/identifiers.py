"""Identifiers in a request to forget, and where a text holds one: whole, never as a part of a longer one.

`alice@acme.io` is not in `alice.smith@acme.io`, `order_2024_001` not in `order_2024_0010`; but a card or phone
number is found however it is grouped, a UUID with and without hyphens, a key by its beginning.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from memorycore.policy.text import ZERO_WIDTH

SECRET_LENGTH = 12
"""Characters from which a key counts as a value of its own; shorter ones are codes of shelves, tickets, versions."""


class IdentifierKind(StrEnum):
    """How an identifier is compared."""

    EMAIL = "email"
    HANDLE = "handle"
    DIGITS = "digits"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier in its compared form; `entity` tells whether it names somebody rather than being the secret."""

    kind: IdentifierKind
    value: str

    @property
    def entity(self) -> bool:
        """Tell whether it names something of which several facts may be known, and is not itself what is secret."""
        short = self.kind is IdentifierKind.KEY and len(self.value) < SECRET_LENGTH
        return (short and not _HEX.fullmatch(self.value)) or self.kind in (
            IdentifierKind.EMAIL,
            IdentifierKind.HANDLE,
        )


_EMAIL = r"[A-Za-z0-9._%+\"-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
_HANDLE = r"(?<![\w.])@[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?"
_GROUPED = r"(?<![\w.])\+?\d(?:[ ()./-]{0,2}\d){6,}(?![\w])"
_TOKEN = r"[A-Za-z0-9]+(?:[-_./:#][A-Za-z0-9]+)*"
_FIND = re.compile(
    rf"(?P<email>{_EMAIL})|(?P<handle>{_HANDLE})|(?P<digits>{_GROUPED})|(?P<token>{_TOKEN})",
    re.ASCII,
)
_MEASURE = re.compile(r"\d+(?:[.,]\d+)?(?:st|nd|rd|th|[a-z]{1,3})?", re.IGNORECASE | re.ASCII)
_YEAR = re.compile(r"(?:19|20)\d\d")
_DIGIT_RUN = re.compile(r"\+?\d(?:[ ()./-]{0,2}\d)*", re.ASCII)
_COMPACT = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", re.ASCII)
_HEX = re.compile(r"[0-9a-f]{8,}")

SHORT_NUMBER = 4
"""Numbers of fewer digits, and years, are words like others: many texts hold them by chance."""

COUNTRY_CODE = 3
"""Digits that may stand before a phone number."""


def plain(text: str) -> str:
    """Return the form in which identifiers are looked for: NFKC without zero-width characters, case-folded."""
    return unicodedata.normalize("NFKC", text).translate(ZERO_WIDTH).casefold()


def find_identifiers(query: str) -> tuple[tuple[Identifier, ...], str]:
    """Return the identifiers a query names, and the query without them."""
    found: list[Identifier] = []

    def take(match: re.Match[str]) -> str:
        identifier = _identifier(match)
        if identifier is None:
            return match.group()
        found.append(identifier)
        return " "

    clean = unicodedata.normalize("NFKC", query).translate(ZERO_WIDTH)
    rest = _FIND.sub(take, clean)
    return tuple(dict.fromkeys(found)), rest


def holds(text: str, identifier: Identifier) -> bool:
    """Tell whether `text`, as `plain` returns it, holds the identifier whole."""
    match identifier.kind:
        case IdentifierKind.EMAIL:
            bare = text.replace('"', "")
            return _standing(identifier.value, bare, before=r"[\w.+%-]", after=r"[\w-]|\.\w")
        case IdentifierKind.HANDLE:
            return _standing(identifier.value, text, before=r"[\w.-]", after=r"[\w-]")
        case IdentifierKind.DIGITS:
            return _holds_digits(text, identifier.value)
        case IdentifierKind.KEY:
            return _holds_key(text, identifier.value)


def _identifier(match: re.Match[str]) -> Identifier | None:
    kind, raw = match.lastgroup, match.group().casefold()
    if kind == "email":
        return Identifier(IdentifierKind.EMAIL, raw.replace('"', ""))
    if kind == "handle":
        return Identifier(IdentifierKind.HANDLE, raw.lstrip("@"))
    if kind == "digits":
        return Identifier(IdentifierKind.DIGITS, _digits(raw))
    return _token(raw)


def _token(raw: str) -> Identifier | None:
    if raw.isdigit():
        long = len(raw) >= SHORT_NUMBER and not _YEAR.fullmatch(raw)
        return Identifier(IdentifierKind.DIGITS, raw) if long else None
    if _MEASURE.fullmatch(raw):
        return None
    if any(char.isdigit() for char in raw) or "_" in raw or raw.count("/") > 1:
        return Identifier(IdentifierKind.KEY, raw)
    parts = raw.split(".")
    return Identifier(IdentifierKind.KEY, raw) if len(parts) > 1 and len(parts[0]) > 1 else None


def _holds_digits(text: str, value: str) -> bool:
    for run in _DIGIT_RUN.finditer(text):
        digits = _digits(run.group())
        if digits == value:
            return True
        longer, shorter = sorted((digits, value), key=len, reverse=True)
        phone = len(shorter) > SHORT_NUMBER + COUNTRY_CODE and longer.endswith(shorter)
        if phone and "+" in run.group() and len(longer) - len(shorter) <= COUNTRY_CODE:
            return True
        if value in (_digits(part) for part in re.split(r"[ ()/]", run.group())):
            return True
    return False


def _holds_key(text: str, value: str) -> bool:
    if _standing(value, text, before=r"[\w.@-]", after=r"[\w@]|\.\w"):
        return True
    compact = value.replace("-", "")
    if not _HEX.fullmatch(compact):
        return False
    return any(
        (len(whole) >= 2 * len(compact) and whole.startswith(compact)) or whole == compact
        for whole in (piece.group().replace("-", "") for piece in _COMPACT.finditer(text))
    )


def _standing(value: str, text: str, *, before: str, after: str) -> bool:
    return re.search(rf"(?<!{before}){re.escape(value)}(?!{after})", text, re.ASCII) is not None


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())
