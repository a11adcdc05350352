"""S4: judging from recent queries whether a topic is dormant.

Dormancy is a negative claim, so everything in doubt counts as active: a topic is dormant only when no query
shares a telling word with it and none is as close to it as queries are to the entries they concern.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memorycore.policy.overflow.facts import Dormancy
from memorycore.policy.text import fold, has_cjk

Vector = npt.NDArray[np.float32]
"""One L2-normalised vector."""

CLOSE_QUANTILE = 0.75
"""A topic is touched by a query that is closer to it than three quarters of all entry and query pairs."""

QUERY_KIND = "query"
"""The kind of an activity that asked for something."""

WRITE_KIND = "write"
"""The kind of an activity that told something."""

NOTE_LIMIT = 200
"""Most characters of a query or write that the log keeps."""

LOG_LINES = 5000
"""Most lines the log keeps."""

_WORD = re.compile(r"[^\W_]{3,}")
_COMMON_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Topic:
    """A text with its vector, None when there is no embedder."""

    text: str
    vector: Vector | None


def dormancy_of(
    topic: Topic, entries: Sequence[Topic], queries: Sequence[Topic]
) -> tuple[Dormancy, str]:
    """Return whether none of `queries` touches `topic`, and why in words.

    Args:
        topic: The text in question.
        entries: All entries of the file; they tell how close queries are to anything.
        queries: The queries of the window.
    """
    words = _telling(topic.text, entries)
    for query in queries:
        if words & _terms(query.text):
            return Dormancy.ACTIVE, "a recent query shares a telling word with it"
    if topic.vector is None or any(query.vector is None for query in queries):
        return Dormancy.UNKNOWN, "without vectors its silence proves nothing"
    if _touched(topic.vector, entries, queries):
        return Dormancy.ACTIVE, "a recent query is close to it"
    return Dormancy.DORMANT, f"none of {len(queries)} recent queries touches it"


def _touched(vector: Vector, entries: Sequence[Topic], queries: Sequence[Topic]) -> bool:
    asked = np.stack([query.vector for query in queries if query.vector is not None])
    known = np.stack([entry.vector for entry in entries if entry.vector is not None])
    usual = asked @ known.T
    to_topic = asked @ vector
    nearest = usual.max(axis=1)
    threshold = float(np.quantile(usual, CLOSE_QUANTILE))
    return bool(np.any((to_topic >= nearest - 1e-6) & (to_topic >= threshold)))


def _telling(text: str, entries: Sequence[Topic]) -> set[str]:
    """Return the terms of `text` that few entries have."""
    terms = _terms(text)
    others = [_terms(entry.text) for entry in entries]
    most = max(int(_COMMON_SHARE * len(others)), 1)
    return {term for term in terms if sum(term in other for other in others) <= most}


def _terms(text: str) -> set[str]:
    folded = fold(text)
    words = {word for word in _WORD.findall(folded) if not has_cjk(word)}
    pairs = {folded[start : start + 2] for start in range(len(folded) - 1)}
    return words | {pair for pair in pairs if all(map(has_cjk, pair))}
