"""Search of the store as it was: rare, so it reads every text that was valid then."""

import heapq
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import apsw
import numpy as np

from memorycore.adapters.cold_sqlite.rows import (
    MEMORY_COLUMNS,
    MEMORY_WIDTH,
    Row,
    from_blob,
    from_micros,
    to_memory,
)
from memorycore.model.memory import Memory
from memorycore.policy.tokens import index_tokens, query_tokens
from memorycore.ports.cold import Candidate, SearchRequest

_VALID_THEN = (
    f"SELECT {MEMORY_COLUMNS}, m.content, m.revision, m.valid_from, v.vector "  # noqa: S608
    "FROM memories AS m LEFT JOIN trash AS t ON t.seq = m.seq LEFT JOIN vectors AS v ON v.seq = m.seq "
    "WHERE m.author = :author AND m.valid_from <= :at AND (m.live = 1 OR t.trashed_at > :at) "
    "UNION ALL "
    f"SELECT {MEMORY_COLUMNS}, r.content, r.revision, r.valid_from, r.vector "
    "FROM revisions AS r JOIN memories AS m ON m.seq = r.seq "
    "WHERE m.author = :author AND r.valid_from <= :at AND r.valid_to > :at"
)
"""Columns are fixed strings of this package: nothing of a caller's text is in the statement."""


def search_past(
    connection: apsw.Connection, request: SearchRequest, at: int
) -> Sequence[Candidate]:
    """Return candidates among the texts valid at the moment `at` (microseconds)."""
    rows = [
        row
        for row in connection.execute(_VALID_THEN, {"author": request.author, "at": at})
        if request.scopes is None or row[3] in request.scopes
    ]
    dense = _dense(rows, request)
    keyword = _keyword(rows, request.text)
    best = set(heapq.nlargest(request.limit, dense, key=lambda place: dense[place]))
    best.update(heapq.nlargest(request.limit, keyword, key=lambda place: keyword[place]))
    return [
        Candidate(
            _as_it_was(rows[place]),
            dense.get(place),
            keyword.get(place),
            vector=None if rows[place][-1] is None else from_blob(rows[place][-1]),
        )
        for place in sorted(best)
    ]


def _as_it_was(row: Row) -> Memory:
    content, revision, valid_from, _ = row[MEMORY_WIDTH : MEMORY_WIDTH + 4]
    memory = to_memory(row)
    if revision == memory.revision:
        return memory
    return replace(memory, content=content, revision=revision, updated_at=from_micros(valid_from))


def _dense(rows: Sequence[Row], request: SearchRequest) -> dict[int, float]:
    if request.vector is None:
        return {}
    length = 2 * len(request.vector)
    places = [place for place, row in enumerate(rows) if len(row[-1] or b"") == length]
    if not places:
        return {}
    vectors = np.stack([from_blob(rows[place][-1]) for place in places] + [request.vector])
    if request.projection is not None:
        vectors = request.projection.project(vectors)
    scores = vectors[:-1] @ vectors[-1]
    return dict(zip(places, scores.tolist(), strict=True))


def _keyword(rows: Sequence[Row], text: str) -> dict[int, float]:
    """Score shared tokens by their rarity, as BM25 would without the length of a text."""
    wanted = frozenset(query_tokens(text))
    if not wanted:
        return {}
    shared = {
        place: held
        for place, row in enumerate(rows)
        if (held := wanted.intersection(index_tokens(row[MEMORY_WIDTH])))
    }
    weights = _rarity(Counter(_flat(shared)), len(rows))
    return {place: sum(weights[token] for token in held) for place, held in shared.items()}


def _flat(shared: Mapping[int, frozenset[str]]) -> Iterator[str]:
    for held in shared.values():
        yield from held


def _rarity(counts: Mapping[str, int], rows: int) -> dict[str, float]:
    return {token: math.log(1 + (rows + 0.5) / (count + 0.5)) for token, count in counts.items()}
