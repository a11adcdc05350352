"""Characters that are there and not seen: which are part of a language, and which only hide text."""

import re
import unicodedata

_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_WIDTHLESS = "\u200b\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u034f\u115f\u1160\u3164\uffa0"
_JOINERS = "\u200c\u200d"
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_FLAG_TAGS = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f")
_OVERRIDES = re.compile("[\u202d\u202e]")
_RUN = re.compile(f"[{_WIDTHLESS}]{{3,}}")
_DROPPABLE = re.compile(f"[{_BIDI}{_WIDTHLESS}{_JOINERS}]")
_SPLIT_WORD = re.compile(f"(?<=[A-Za-zА-Яа-я])[{_WIDTHLESS}{_JOINERS}\u00ad](?=[A-Za-zА-Яа-я])")
_JOINING_SCRIPTS = ("ARABIC", "SYRIAC", "MONGOLIAN", "DEVANAGARI", "BENGALI", "GUJARATI", "GURMUKHI", "KANNADA",
                    "MALAYALAM", "ORIYA", "SINHALA", "TAMIL", "TELUGU", "KHMER", "MYANMAR", "TIBETAN", "N-KO")  # fmt: skip

HIDING_SPLITS = 2
"""Zero-width characters inside Latin or Cyrillic words from which on they are taken as deliberate."""


def hides_text(text: str) -> bool:
    """Tell whether invisible characters carry or disguise text; joiners of a script do not count."""
    if text.isascii():
        return False
    without_flags = _FLAG_TAGS.sub("", text)
    return bool(
        _TAGS.search(without_flags)
        or _OVERRIDES.search(text)
        or _RUN.search(text)
        or len(_SPLIT_WORD.findall(text)) >= HIDING_SPLITS
    )


def remove_invisible(text: str) -> str:
    """Return `text` without zero-width and bidi controls; joiners that a script or emoji needs stay."""
    if text.isascii():
        return text
    kept_flags = _FLAG_TAGS.findall(text)
    cleaned = _drop_tags(text) if not kept_flags else text
    if _DROPPABLE.search(cleaned) is None:
        return cleaned
    return "".join(
        character
        for index, character in enumerate(cleaned)
        if not _is_dropped(character, cleaned, index)
    )


def _drop_tags(text: str) -> str:
    return _TAGS.sub("", text)


def _is_dropped(character: str, text: str, index: int) -> bool:
    if character in _BIDI or character in _WIDTHLESS:
        return True
    if character not in _JOINERS:
        return False
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if character == "\u200d" and _is_pictured(before) and _is_pictured(after):
        return False
    return not (_is_joining(before) or _is_joining(after))


def _is_pictured(character: str) -> bool:
    return bool(character) and (
        unicodedata.category(character) in ("So", "Sk", "Mn") or character in "\u2640\u2642\ufe0f"
    )


def _is_joining(character: str) -> bool:
    return bool(character) and unicodedata.name(character, "").startswith(_JOINING_SCRIPTS)
