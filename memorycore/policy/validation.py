"""What text can be stored at all."""

import re

LONGEST = 200_000
"""Most characters of one fact: far above anything people write, far below what slows every search."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SEPARATOR_LINE = re.compile(r"(?:^|\n)[ \t\u00a0]*§[ \t\u00a0]*(?:\r?\n|$)")


def objection(text: object) -> str | None:
    """Return why `text` cannot be stored and what to do about it, or None."""
    if not isinstance(text, str):
        return f"the content must be text, not {type(text).__name__}"
    if not text.strip():
        return "the content is empty; write the fact to be kept as a sentence"
    if len(text) > LONGEST:
        return (
            f"the content has {len(text):,} characters, more than {LONGEST:,}; split it into facts"
        )
    if is_broken(text):
        return "the content holds broken Unicode (a lone surrogate); send it as valid UTF-8"
    found = _CONTROL.search(text)
    if found:
        return f"the content holds the control character U+{ord(found.group()):04X}; remove it"
    return None


def is_broken(text: str) -> bool:
    """Tell whether `text` holds a lone surrogate, which no UTF-8 can say."""
    return _SURROGATE.search(text) is not None


def splits_hot_file(text: str) -> bool:
    """Tell whether `text` has a line that is only `§`, which the hot file would read back as two entries."""
    return _SEPARATOR_LINE.search(text) is not None
