"""Screening of a text before it is kept or shown: secrets, injections, and what makes them harmless."""

import re
import unicodedata

from memorycore.model.routing import Screening, Verdict
from memorycore.policy.injection import injection_kinds
from memorycore.policy.invisible import remove_invisible
from memorycore.policy.markers import Lexicon
from memorycore.policy.secret_formats import SecretSpan, formatted_secrets
from memorycore.policy.secrets_in_prose import told_secrets

_FRAME_NAMES = r"memory[\s_-]*context|system(?:[\s_-]*(?:reminder|prompt|message))?|assistant|instructions?|user[\s_-]*data"
_LESS = r"(?:<|&lt;|&#0*60;|&#x0*3c;|＜|‹|﹤)"
_MORE = r"(?:>|&gt;|&#0*62;|&#x0*3e;|＞|›|﹥)"
_SLASH = r"(?:/|&#0*47;|&#x0*2f;|&sol;|／|∕)"
_TAG = re.compile(
    rf"{_LESS}\s*(?P<slash>{_SLASH}?)\s*(?P<name>{_FRAME_NAMES})(?P<rest>[^<>&＞\n]{{0,40}}){_MORE}",
    re.I,
)
_OPEN_TAG = re.compile(rf"{_LESS}\s*{_SLASH}\s*(?P<name>{_FRAME_NAMES})(?![\w-])", re.I)
_IN_TAG = re.compile(rf"{_LESS}[^<>\n]{{0,60}}", re.I)
_FRAME_START = re.compile(rf"{_LESS}\s*{_SLASH}?\s*(?:{_FRAME_NAMES})", re.I)
_SOFT = re.compile("[\u00ad\ufe00-\ufe0f]")
_CHAT_MARK = re.compile(
    r"<\|(?P<name>[\w ]{1,24})\|?>|\[(?P<inst>/?INST)\]|<<\s*(?P<sys>/?SYS)\s*>>", re.I
)


def screen(text: str, *, lexicon: Lexicon) -> Screening:
    """Return whether `text` holds a secret or tries to steer the agent; a secret weighs more.

    Invisible characters are looked through: a key or an order split by them is still found.
    The kinds name what was found, never the value.
    """
    plain = unicodedata.normalize("NFC", text)
    seen = remove_invisible(plain)
    spans = _secrets(plain, lexicon)
    if seen != plain:
        spans = spans + _secrets(seen, lexicon)
    secrets = dict.fromkeys(span.kind for span in spans)
    if secrets:
        return Screening(Verdict.SECRET, tuple(secrets))
    kinds = injection_kinds(plain, lexicon)
    return Screening(Verdict.INJECTION, kinds) if kinds else Screening(Verdict.CLEAN, ())


def redact(text: str, *, lexicon: Lexicon | None = None) -> str:
    """Return `text` (NFC) with every secret replaced by `[redacted: <kind>]`, for logs and reports.

    Without a lexicon only secrets with a form of their own are known, such as API keys.
    """
    plain = unicodedata.normalize("NFC", text)
    end = len(plain)
    for span in sorted(_secrets(plain, lexicon), key=lambda found: found.start, reverse=True):
        if span.start < end:
            stop = min(span.end, end)
            plain = f"{plain[: span.start]}[redacted: {span.kind}]{plain[stop:]}"
            end = span.start
    return plain


def neutralise(text: str) -> str:
    """Return `text` safe to be put into a prompt; ordinary text comes back unchanged.

    Tags of the frame memories are shown in, and of chat templates, lose their brackets, also when
    they are written with entities, full-width signs or split by invisible characters. Zero-width
    and bidi controls go, except joiners that a script or an emoji needs.
    """
    shown = _IN_TAG.sub(_unsoftened, remove_invisible(text))
    shown = _TAG.sub(lambda tag: f"[{'/' if tag['slash'] else ''}{_name(tag['name'])}]", shown)
    shown = _OPEN_TAG.sub(lambda tag: f"[/{_name(tag['name'])}]", shown)
    return _CHAT_MARK.sub(_defused_mark, shown)


def _unsoftened(tag: re.Match[str]) -> str:
    """Drop soft hyphens and variation selectors where they split the name of a frame."""
    bare = _SOFT.sub("", tag.group())
    return bare if _FRAME_START.match(bare) else tag.group()


def _defused_mark(mark: re.Match[str]) -> str:
    return f"({(mark['name'] or mark['inst'] or mark['sys']).strip()})"


def _name(written: str) -> str:
    return re.sub(r"[\s_-]+", "-", written.strip()).lower()


def _secrets(text: str, lexicon: Lexicon | None) -> list[SecretSpan]:
    told = told_secrets(text, lexicon) if lexicon else []
    return formatted_secrets(text) + told
