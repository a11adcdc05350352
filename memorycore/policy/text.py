"""Normal forms of text: identity, matching, sentences. Stored text itself is never changed."""

import functools
import hashlib
import re
import unicodedata

ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
"""Characters with no width, dropped for matching only."""

_BLANKS = re.compile(r"[ \t\u00a0\u3000]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SENTENCE_END = re.compile(r"(?<=[。！？!?；;])\s*|(?<=[.])\s+(?=\S)|\n+")


def canonical(text: str) -> str:
    """Return the form by which two writes count as the same text: NFC, LF newlines, ends and line ends trimmed."""
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(_BLANKS.sub(" ", line).strip() for line in lines).strip()


@functools.lru_cache(maxsize=256)
def content_hash(text: str) -> str:
    """Return the SHA-256 (hex) of the canonical form: the identity of a memory's text; one write asks for it often."""
    return hashlib.sha256(canonical(text).encode("utf-8")).hexdigest()


def entry_key(text: str) -> str:
    """Return the SHA-256 (hex) of the stripped text as it stands: the identity of a hot entry."""
    return hashlib.sha256(text.strip().encode("utf-8")).hexdigest()


def fold(text: str) -> str:
    """Return `text` for comparing by eye: NFKC, case-folded, zero-width dropped, blanks collapsed."""
    wide = unicodedata.normalize("NFKC", text).translate(ZERO_WIDTH).casefold()
    return " ".join(wide.split())


def has_cjk(text: str) -> bool:
    """Tell whether `text` holds a Chinese, Japanese or Korean character."""
    return _CJK.search(text) is not None


def sentences(text: str) -> list[str]:
    """Split at sentence ends and line breaks, keeping the end marks; blank pieces are dropped."""
    return [piece.strip() for piece in _SENTENCE_END.split(text) if piece and piece.strip()]
