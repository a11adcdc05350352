"""Credentials that show themselves by their form, whatever stands around them."""

import re
from dataclasses import dataclass

_VALUE = r"[^\s\"'`<>,;，。；)]{6,}"
_KEY_NAME = (
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|account[_-]?key"
    r"|private[_-]?key|auth[_-]?key|client[_-]?secret|credential|signing[_-]?key|encryption[_-]?key)"
)

FORMATS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    ("private key", ("-----BEGIN",), re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,6000}?-----END [A-Z ]{0,40}-----)?")),
    ("private key", ("AGE-SECRET-KEY-1", "prv"), re.compile(r"\bAGE-SECRET-KEY-1[0-9A-Z]{20,}|\b[xyz]prv[1-9A-HJ-NP-Za-km-z]{50,}")),
    ("cloud access key", ("AKIA", "ASIA", "AGPA", "AIDA"), re.compile(r"\b(?:AKIA|ASIA|AGPA|AIDA)[0-9A-Z]{16}\b")),
    ("API key", ("AIza", "ya29.", "GOCSPX-"), re.compile(r"\bAIza[0-9A-Za-z_-]{20,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}")),
    ("API key", ("k-", "k_"), re.compile(r"\b(?:sk|rk|pk)[-_](?:live|test|proj|ant|or)[-_][\w-]{12,}|\bsk-[A-Za-z0-9_-]{16,}")),
    ("API key", ("SG.", "key-", "AQ.", "xai-", "_"), re.compile(r"\bSG\.[\w-]{16,}\.[\w-]{16,}|\bkey-[0-9a-f]{32}\b|\bAQ\.[\w-]{20,}|\bxai-[\w]{20,}|\bgsk_\w{20,}")),
    ("token", ("_", "glpat-"), re.compile(r"\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}")),
    ("token", ("_", "pypi-"), re.compile(r"\bnpm_[A-Za-z0-9]{20,}|\bpypi-[\w-]{20,}|\bhf_[A-Za-z0-9]{20,}|\bdckr_pat_[\w-]{16,}")),
    ("token", ("_", "xox", "xapp-"), re.compile(r"\bxox[abeprs]-[\w-]{10,}|\bxapp-[\w-]{10,}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}|\bdop_v1_\w{20,}")),
    ("token", ("eyJ",), re.compile(r"\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*")),
    ("token", (":",), re.compile(r"(?<![\d:])\d{8,10}:[A-Za-z0-9_-]{30,}")),
    ("token", ("",), re.compile(r"\b(?:authorization:\s*)?(?:bearer|basic)\s+(?=[\w.+/=-]*\d)[\w.+/=-]{16,}", re.I)),
    ("webhook URL", ("://",), re.compile(r"https?://hooks\.slack[\w.-]*/services/[\w/-]{12,}|https?://[\w.]*discord[\w.]*/api/webhooks/\d+/[\w-]{10,}")),
    ("webhook URL", ("://",), re.compile(r"https?://\S+[?&](?:token|key|api_key|apikey|access_token|sig|signature|secret)=[\w%.+/-]{12,}", re.I)),
    ("one-time password seed", ("://",), re.compile(r"otpauth://\S*secret=[A-Z2-7]{8,}\S*", re.I)),
    ("connection string", ("=",), re.compile(r"\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)\s*=\s*[\w+/=%&-]{12,}", re.I)),
    ("session cookie", ("=",), re.compile(r"\b(?:sid|sessionid|session_id|session|phpsessid|jsessionid|connect\.sid|auth|_session)=(?=[\w%.-]*\d)[\w%.-]{12,}", re.I)),
)  # fmt: skip
"""Kind, signs and pattern: a secret has one of the signs at least; the whole match is the secret."""

_SIGNS = {sign for _, signs, _ in FORMATS for sign in signs}

URL_PASSWORD = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,80}:(?P<value>[^\s/@]{2,200})@[\w\[.-]", re.I
)
KEY_NAME_PARTS = ("pass", "pwd", "secret", "token", "key", "credent")
"""Of these every name of a secret in an assignment has one, in any letter case."""

ASSIGNMENT = re.compile(
    rf"(?<![\w-])[\"'`]?(?P<name>[\w.-]{{0,40}}?{_KEY_NAME}[\w.-]{{0,20}})[\"'`]?\s*(?:=>|:=|=|:)\s*[\"'`]?(?P<value>{_VALUE})",
    re.I,
)
CARD = re.compile(r"(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-])")

_URL_EXAMPLES = ("password", "pass", "pw", "passwd")
_PLACEHOLDER = re.compile(
    r"^[<\[{$%(]|\*{2,}|[•●…]|\.{3}|^x{4,}$|x{8,}|redacted|masked|placeholder|your[_-]|changeme|env\b|secrets?\.|"
    r"process\.env|os\.environ|getenv|vault:|op://|^(?:none|null|nil|true|false|n/a|tbd|todo)$|^_+$|"
    r"<[^>]+>|\$\{|\{\{",
    re.I,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """Where a secret stands in the text that was searched, and its kind; never its value."""

    kind: str
    start: int
    end: int


def formatted_secrets(text: str) -> list[SecretSpan]:
    """Return the secrets of `text` that have a form of their own."""
    seen = {sign for sign in _SIGNS if sign in text}
    spans = [
        SecretSpan(kind, match.start(), match.end())
        for kind, signs, pattern in FORMATS
        if not seen.isdisjoint(signs)
        for match in pattern.finditer(text)
        if not is_placeholder(match.group())
    ]
    spans += [
        SecretSpan("password in a URL", match.start("value"), match.end("value"))
        for match in (URL_PASSWORD.finditer(text) if "://" in text else ())
        if not is_placeholder(match["value"]) and match["value"].lower() not in _URL_EXAMPLES
    ]
    spans += [
        SecretSpan("payment card", match.start(), match.end())
        for match in CARD.finditer(text)
        if _is_card(re.sub(r"\D", "", match.group()), text)
    ]
    return spans


def is_placeholder(value: str) -> bool:
    """Tell whether `value` stands in for a secret: a mask, a variable, a reference to a vault."""
    return _PLACEHOLDER.search(value) is not None


def _is_card(digits: str, text: str) -> bool:
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2 or digits[0] not in "23456":
        return False
    doubled = [int(d) * (1 + index % 2) for index, d in enumerate(reversed(digits))]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0 and not text.startswith("IBAN")
