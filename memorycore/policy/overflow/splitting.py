"""Splitting a long entry of USER.md by sentence: the core stays word for word, the long tail sinks."""

from collections.abc import Sequence

from memorycore.policy.overflow.facts import Sentence
from memorycore.policy.overflow.labels import label_of
from memorycore.policy.text import has_cjk, sentences

SPLIT_FROM = 200
"""Characters from which an entry counts as long; nine in ten entries of real USER.md files are under 300."""

SPLIT_FROM_CJK = 90
"""The same for Chinese, Japanese and Korean text."""

_OPENING, _CLOSING = "([{（【「『《", ")]}）】」』》"


def is_long(text: str) -> bool:
    """Tell whether an entry is long enough to be split; Chinese, Japanese and Korean say as much in half."""
    return len(text) >= (SPLIT_FROM_CJK if has_cjk(text) else SPLIT_FROM)


def parts_of(text: str) -> list[str]:
    """Return the sentences of `text`, slices of it in order.

    Clauses between semicolons, what stands in brackets, and what follows an abbreviation stay together.
    """
    parts: list[str] = []
    begin = end = 0
    for piece in sentences(text):
        start = text.index(piece, end)
        if parts and _goes_on(text[begin:end], text[end:start], piece):
            parts.pop()
        else:
            begin = start
        end = start + len(piece)
        parts.append(text[begin:end])
    return parts


def _goes_on(before: str, gap: str, piece: str) -> bool:
    """Tell whether `piece` belongs to the sentence `before`, from which `gap` parts it."""
    if before.endswith((";", "；")):
        return True
    opened = sum(map(before.count, _OPENING)) - sum(map(before.count, _CLOSING))
    abbreviated = before.endswith(".") and (piece[0].islower() or piece[0].isdigit())
    return "\n" not in gap and (opened > 0 or abbreviated)


def split_entry(text: str, parts: Sequence[Sentence]) -> tuple[str, tuple[str, ...]] | None:
    """Return what stays of `text` and what sinks, or None when nothing or everything would sink.

    What sinks is given the entry's label, so that it can be understood on its own; sentences that stood
    together stay together.
    """
    if len({part.core for part in parts}) < 2:
        return None
    label, _ = label_of(text)
    kept: list[str] = []
    sunk: list[str] = []
    position, last_core = 0, None
    for part in parts:
        start = text.index(part.text, position)
        gap = text[position:start]
        position = start + len(part.text)
        runs = kept if part.core else sunk
        if last_core is part.core:
            runs[-1] += gap + part.text
        else:
            runs.append(part.text)
        last_core = part.core
    glue = " " if " " in text else ""
    return glue.join(kept), tuple(_labelled(run, label) for run in sunk)


def _labelled(run: str, label: str) -> str:
    return f"{label}: {run}" if label and not run.startswith(label) else run
