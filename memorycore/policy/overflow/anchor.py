"""The preference anchor: one cold memory that keeps the digest of preferences that left USER.md."""

from collections.abc import Iterable, Sequence

from memorycore.policy.overflow.splitting import parts_of
from memorycore.policy.text import fold

ANCHOR_LIMIT = 800
"""Most characters of the digest."""

ANCHOR_IMPORTANCE = 0.8
"""High enough to be exempt from decay."""

ANCHOR_SOURCE = "preference-anchor"
"""The source by which the digest is known: it repeats other memories on purpose and is merged with none."""

ANCHOR_TITLE = "User preferences that left USER.md:"
"""The first line of the digest."""


def digest(previous: str, sunk: Sequence[str]) -> str:
    """Return the digest with `sunk` added: whole sentences, the newest first, none twice.

    Args:
        previous: The digest so far, empty at first.
        sunk: Preferences that leave now, in the file's order.
    """
    room = ANCHOR_LIMIT - len(ANCHOR_TITLE)
    lines: dict[str, str] = {}
    for sentence in _sentences(previous, sunk):
        identity = fold(sentence)
        if identity not in lines and len(sentence) + 1 <= room:
            lines[identity] = sentence
            room -= len(sentence) + 1
    return "\n".join([ANCHOR_TITLE, *lines.values()])


def _sentences(previous: str, sunk: Sequence[str]) -> Iterable[str]:
    for text in sunk:
        yield from (" ".join(part.split()) for part in parts_of(text))
    yield from (line for line in previous.split("\n") if line and line != ANCHOR_TITLE)
