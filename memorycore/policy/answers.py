"""Whether a rewritten text may be trusted: nothing with a number, a name or a path may be missing from it."""

import re
from collections.abc import Sequence

from memorycore.policy.text import fold

_HARD = re.compile(
    r"""
    https?://\S+                      # addresses
    | [\w.-]+@[\w.-]+\.\w+            # mail
    | (?:~|\.{0,2})/[\w./-]+          # paths
    | `[^`]+`                         # quoted code
    | \d+(?:[.,:/-]\d+)*              # numbers, dates, versions, times
    | \w+(?:[_\-.]\w+)+               # identifiers
    """,
    re.VERBOSE,
)
_NAME = re.compile(r"(?<![.!?。！？]\s)(?<!^)\b[^\W\d_a-zа-яё][\w]*\b", re.MULTILINE)
_CASED = re.compile(r"[A-ZÀ-ÞА-ЯЁ]")
_ELISION = re.compile(
    r"\.\.\.|…|\[(?:rest|remaining|unchanged|snip)[^\]]*\]|rest (?:is |remains )?unchanged|<snip>",
    re.IGNORECASE,
)


def hard_parts(text: str) -> tuple[str, ...]:
    """Return the pieces of `text` that a rewriting must not lose: numbers, paths, addresses, names, code."""
    hard = [match.group().rstrip(".,;:)") for match in _HARD.finditer(text)]
    names = [match.group() for match in _NAME.finditer(text) if _CASED.match(match.group())]
    return tuple(dict.fromkeys(part for part in [*hard, *names] if part))


def objection_to(answer: str, sources: Sequence[str], *, limit: int) -> str | None:
    """Return why `answer` may not stand for `sources`, or None.

    Args:
        answer: The rewritten text.
        sources: The texts it is made from.
        limit: Most characters it may have.
    """
    if not answer.strip():
        return "the answer is empty"
    if len(answer) > limit:
        return f"the answer has {len(answer)} characters, more than {limit}"
    if _ELISION.search(answer) and not any(_ELISION.search(source) for source in sources):
        return "the answer leaves something out with an elision mark"
    folded = fold(answer)
    for source in sources:
        for part in hard_parts(source):
            if fold(part.strip("`")) not in folded:
                return f"the answer drops {part!r}"
    return None
