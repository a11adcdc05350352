"""Which language a text is in, by its script, its letters and its words."""

import re

from memorycore.policy.relation.words import LATIN, RelationWords

_KANA = re.compile(r"[\u3041-\u30fa]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_LATIN_LETTER = re.compile(r"[a-zªº¿¡\u00df-\u024f\u1e00-\u1eff]")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = (
    ("vi", re.compile(r"[ăơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]")),
    ("de", re.compile(r"[äöüß]")),
    ("es", re.compile(r"[ñ¿¡]")),
    ("pt", re.compile(r"[ãõ]|ção|ções")),
    ("fr", re.compile(r"[èêëîïœûù]|\b[ldjn]'")),
)


def detect_language(folded: str, words: RelationWords) -> tuple[str, float]:
    """Return the language code and how much speaks for it (0 when nothing does)."""
    if folded.isascii():
        return latin_language(folded, words)
    if _KANA.search(folded):
        return "ja", 9.0
    if _HANGUL.search(folded):
        return "ko", 9.0
    if _HAN.search(folded):
        return "zh", 9.0
    if _CYRILLIC.search(folded):
        return "ru", 9.0
    return latin_language(folded, words)


def latin_language(folded: str, words: RelationWords) -> tuple[str, float]:
    """Return the likeliest of the Latin languages and how much speaks for it."""
    low = folded.casefold()
    if _LATIN_LETTER.search(low) is None:
        return "en", 0.0
    score = dict.fromkeys(LATIN, 0.0)
    for code, letters in () if low.isascii() and "'" not in low else _LETTERS:
        score[code] += 1.5 * min(2, len(letters.findall(low)))
    for word in _WORD.findall(low):
        for code, points in words.votes.get(word, ()):
            score[code] += points
    best = max(LATIN, key=score.__getitem__)
    return (best, score[best]) if score[best] else ("en", 0.0)


def script(language: str) -> str:
    """Return the script a language shares with others: its words may be read in one of them."""
    if language in LATIN:
        return "latin"
    return "han" if language in ("zh", "ja") else language
