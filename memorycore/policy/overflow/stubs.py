"""Pointer stubs: what stays of an entry whose full text sank to the cold store."""

import re
import unicodedata

from memorycore.policy.overflow.labels import label_of
from memorycore.policy.text import ZERO_WIDTH

STUB_LIMIT = 40
"""Most characters a stub may have."""

_OPEN, _CLOSE = '↪ recall "', '"'
_SHAPE = re.compile(r'^↪ recall "(?P<topic>[^"\n]+)"$')
_QUOTES = str.maketrans({'"': "'", "\n": " ", "\t": " ", "`": "", "§": " "})
_ENDS = " ,.;:!?，。；：！？、-–—*_/'"


def is_stub(text: str) -> bool:
    """Tell whether `text` has the form of a stub, so that a lost sidecar does not turn it into a fact."""
    return _SHAPE.match(text.strip()) is not None


def stub_topic(text: str) -> str | None:
    """Return the topic a stub names, None when `text` is no stub."""
    match = _SHAPE.match(text.strip())
    return match["topic"] if match else None


def stub_text(text: str) -> str:
    """Return the pointer for `text`: its topic and how to recall it, at most `STUB_LIMIT` characters."""
    return f"{_OPEN}{topic_of(text)}{_CLOSE}"


def topic_of(text: str) -> str:
    """Return what `text` is about in few words: its label, else how it begins, cut at a word."""
    room = STUB_LIMIT - len(_OPEN) - len(_CLOSE)
    label, rest = label_of(text)
    subject = _plain(label)
    if len(subject) < 3:
        subject = _plain(text)
    elif len(subject) < room // 2:
        subject = f"{subject} {_plain(text[rest:])}"
    return _cut(subject, room).strip(_ENDS) or "memory"


def _plain(text: str) -> str:
    return " ".join(text.translate(_QUOTES).translate(ZERO_WIDTH).split())


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    head = text[:room]
    blank = head.rfind(" ")
    if blank >= room // 2 and not text[room].isspace():
        head = head[:blank]
    while head and _joins(text, len(head)):
        head = head[:-1]
    return head


def _joins(text: str, at: int) -> bool:
    """Tell whether a cut before `text[at]` would part a character from its mark or an emoji from its joiner."""
    return at < len(text) and (
        unicodedata.combining(text[at]) != 0
        or "\ufe00" <= text[at] <= "\ufe0f"
        or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    )
