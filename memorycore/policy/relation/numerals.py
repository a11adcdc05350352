"""Reads numbers written with Chinese numerals."""

from collections.abc import Mapping

_HAN_DIGITS: Mapping[str, int] = dict(
    zip("零一二三四五六七八九〇两", (*range(10), 0, 2), strict=True)
)
_HAN_SCALES: Mapping[str, int] = {"十": 10, "百": 100, "千": 1000}
_HAN_BIG: Mapping[str, int] = {"万": 10_000, "亿": 100_000_000, "億": 100_000_000}


def han_value(text: str) -> float:
    """Return the value of a number written with Chinese numerals, digits, or both."""
    total = section = current = 0.0
    digits = ""
    if (
        len(text) > 2
        and text[-1] in _HAN_DIGITS
        and text[-2] in "百千万"
        and text[-1] not in "零〇"
    ):
        text += {"百": "十", "千": "百", "万": "千"}[text[-2]]
    for char in text:
        if char.isascii() and (char.isdigit() or char == "."):
            digits += char
            continue
        if digits:
            current, digits = float(digits), ""
        if char in _HAN_DIGITS:
            current = current * 10 + _HAN_DIGITS[char]
        elif char in _HAN_SCALES:
            section += (current or 1) * _HAN_SCALES[char]
            current = 0
        elif char in _HAN_BIG:
            total += (section + current or 1) * _HAN_BIG[char]
            section = current = 0
    return total + section + (float(digits) if digits else current)
