"""The label an entry opens with, such as `Deploy:` or `【备份】`."""

import re

_LABEL = re.compile(r"^[\s\-*•#>]*(?P<label>[^:：。.!?！？\n]{2,60}?)\s*\**\s*[:：](?!//|\d|\\)\s*")
_BRACKETED = re.compile(r"^[\s\-*•#>]*[\[【](?P<label>[^\]】\n]{2,40})[\]】]\s*[:：]?\s*")


def label_of(text: str) -> tuple[str, int]:
    """Return the opening label and where the rest begins; `("", 0)` without one."""
    match = _BRACKETED.match(text) or _LABEL.match(text)
    if match is None:
        return "", 0
    return match["label"].strip(" *[]【】"), match.end()
