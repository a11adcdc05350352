"""Text that tries to steer the agent that reads it: what speaks for it, and what speaks against.

Every sign has a weight; a text is flagged from `FLAG` on. A single plain sign (a forged frame, an
override of the instructions) is enough; soft signs (a word such as "remember", a message to "the
assistant") count only together, since legitimate rules use the same words.
"""

import base64
import binascii
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from memorycore.policy.invisible import hides_text
from memorycore.policy.marker_scan import MarkerHit, Scan
from memorycore.policy.markers import Lexicon, fold_for_matching

FLAG = 2.0
"""Sum of weights from which a text is flagged."""

_NEAR = 60
"""Characters between a verb such as "ignore" and the instructions it is about."""

_FRAME = re.compile(
    r"</?\s*(?:memory[-_ ]?context|system(?:[-_ ](?:reminder|prompt|message))?|assistant|instructions?|user[-_ ]?data)\s*>"
    r"|<\|(?:im_start|im_end|system|user|assistant|endoftext)[^>]{0,20}>|\[/?INST\]|<<\s*/?SYS\s*>>|^[ \t]{0,8}#{2,6}[ \t]{0,8}system\b"
    r"|[\"']role[\"']\s*:\s*[\"'](?:system|developer)[\"']",
    re.I | re.M,
)
_SPOOFED_END = re.compile(
    r"(?:[%=#*<\[-]{2}|^)[ \t]{0,8}(?:end|fin|ende|конец|结束|終了|끝)\b[^\n]{0,40}[%=#*>\]-]{2}|"
    r"(?:^|[.!?\n%*=>-])[ \t]{0,8}(?:BEGIN[ \t]{1,4})?SYSTEM[ \t]{0,4}(?::|PROMPT|OVERRIDE|NOTICE)"
)
_COMMENT = re.compile(
    r"<!--(?P<body>.{0,2000}?)-->|\[//\]:\s*#\s*\((?P<note>[^)]{0,2000})\)|<[^<>]{1,200}(?:display:\s{0,4}none|font-size:\s{0,4}0)[^<>]{0,200}>(?P<styled>[^<]{0,2000})",
    re.S | re.I,
)
_HIDDEN_MARK = re.compile(r"[\[(<{](?:hidden|invisible|white text|secret instruction)[\])>}]", re.I)
_PIPE_TO_SHELL = re.compile(
    r"\b(?:curl|wget)\b[^\n|]{4,120}\|\s*(?:sudo\s+)?(?:ba|z)?sh\b|\brm\s+-rf\s+[~/]|base64\s+-d[^\n]{0,80}\|\s*(?:ba)?sh",
    re.I,
)
_BLOB = re.compile(r"(?<![\w/+.-])[A-Za-z0-9+/]{12,}={0,2}(?![\w/+])")
_QUOTE = re.compile(
    r"\"[^\"\n]{4,200}\"|“[^”\n]{4,200}”|«[^»\n]{4,200}»|„[^“”\n]{4,200}[“”]|「[^」\n]{4,200}」|『[^』\n]{4,200}』|`[^`\n]{4,200}`|‘[^’\n]{4,200}’|(?<!\w)'[^'\n]{4,200}'(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing that speaks for an injection: its kind for people, and its weight."""

    kind: str
    weight: float


_WORDED = (
    ("conceal", Sign("concealment from the user", 1.4)),
    ("authority", Sign("claimed authority", 1.4)),
    ("claimed_mode", Sign("claimed mode", 0.9)),
    ("jailbreak", Sign("change of identity", FLAG)),
    ("backdoor", Sign("planted trigger", FLAG)),
    ("ai_address", Sign("message to the assistant", 1.4)),
    ("ai_spoken_of", Sign("orders about the assistant", 1.0)),
    ("planted_consent", Sign("planted authorisation", 1.4)),
    ("memory_wipe", Sign("order to erase memories", 1.2)),
    ("henceforth", Sign("standing order", 0.5)),
    ("outside_source", Sign("text from outside", 0.6)),
    ("persist", Sign("order to remember", 0.6)),
)
"""Section of the lexicon and what a word of it says."""

_HIDDEN_ORDERS = ("ai_address", "persist", "henceforth", "disarm", "override_verb")
"""Sections of which no word belongs into a comment."""


def injection_kinds(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the kinds of injection found, the heaviest first; empty when the text is harmless."""
    signs = list(_signs(text, lexicon))
    if sum(sign.weight for sign in signs) < FLAG:
        return ()
    ranked = sorted((sign for sign in signs if sign.weight >= 0.5), key=lambda sign: -sign.weight)
    return tuple(dict.fromkeys(sign.kind for sign in ranked))


def _signs(text: str, lexicon: Lexicon) -> Iterator[Sign]:
    scan = lexicon.scan(fold_for_matching(text))
    if _FRAME.search(text):
        yield Sign("forged frame or role", FLAG)
    if _SPOOFED_END.search(text):
        yield Sign("forged system text", 1.2)
    if _speaks_encoded(text, scan, lexicon):
        yield Sign("encoded order", FLAG)
    if (
        ("|" in text or "-rf" in scan.text)
        and _PIPE_TO_SHELL.search(text)
        and _has_any(("ai_address", "persist"), scan)
    ):
        yield Sign("planted command", 1.5)
    yield from _hidden(text, lexicon)
    yield from _worded(scan, lexicon)


def _hidden(text: str, lexicon: Lexicon) -> Iterator[Sign]:
    if hides_text(text):
        yield Sign("hidden text", FLAG)
    if _HIDDEN_MARK.search(text):
        yield Sign("hidden text", 1.0)
    for comment in _COMMENT.finditer(text):
        body = fold_for_matching("".join(part for part in comment.groups() if part))
        if _has_any(_HIDDEN_ORDERS, lexicon.scan(body)):
            yield Sign("hidden text", FLAG)


def _has_any(sections: tuple[str, ...], scan: Scan) -> bool:
    return any(map(scan.has, sections))


def _worded(scan: Scan, lexicon: Lexicon) -> Iterator[Sign]:
    bare = lexicon.scan(_QUOTE.sub(" ", scan.text)) if _reports(scan) else scan
    if _overrides("override_object", bare, lexicon):
        yield Sign("override of instructions", FLAG if not _reports(bare) else 1.0)
    elif _overrides("safeguard", bare, lexicon):
        yield Sign("lifting of a safeguard", 1.0)
    for section, sign in _WORDED:
        if bare.has(section):
            yield sign
    if _affirmed("disarm", bare, lexicon):
        addressed = bare.has("ai_address")
        yield Sign("planted authorisation", 1.2 if addressed else 1.0)


def _overrides(section: str, scan: Scan, lexicon: Lexicon) -> bool:
    """Tell whether a verb such as "ignore" stands near a word of `section` ("all rules")."""
    objects = [thing.start for thing in scan.hits(section)]
    verbs = _affirmed("override_verb", scan, lexicon) if objects else []
    return any(
        bisect_left(objects, verb.end - _NEAR) < bisect_right(objects, verb.end + _NEAR)
        for verb in verbs
    )


def _affirmed(section: str, scan: Scan, lexicon: Lexicon) -> list[MarkerHit]:
    """Return the hits that no prohibition just before turns into their opposite ("never disable …")."""
    return [
        hit
        for hit in scan.hits(section)
        if not lexicon.hits_folded("prohibits", scan.text[max(0, hit.start - 24) : hit.start])
    ]


def _reports(scan: Scan) -> bool:
    """Tell whether the text speaks about attacks (a test, a talk, a novel) and not as one."""
    return scan.has("defence")


def _speaks_encoded(text: str, scan: Scan, lexicon: Lexicon) -> bool:
    for blob in _BLOB.finditer(text):
        decoded = _decode(blob.group())
        if decoded and _overrides(
            "override_object", lexicon.scan(fold_for_matching(decoded)), lexicon
        ):
            return True
        if _looks_encoded(blob.group()) and scan.has("decode_order"):
            return True
    return False


def _looks_encoded(blob: str) -> bool:
    mixed = any(map(str.isupper, blob)) and any(map(str.islower, blob))
    return blob.endswith("=") or (mixed and any(map(str.isdigit, blob)))


def _decode(blob: str) -> str | None:
    try:
        raw = base64.b64decode(blob + "=" * (-len(blob) % 4), validate=True)
        return raw.decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
