"""Search of the store as it was: rare, so it reads every text that was valid then."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

import heapq
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, LiteralString

import numpy as np

from memorycore.adapters.cold_postgres.connection import Connection
from memorycore.adapters.cold_postgres.rows import (
    MEMORY_COLUMNS,
    MEMORY_WIDTH,
    Row,
    in_utc,
    to_memory,
    to_vector,
)
from memorycore.model.memory import Memory
from memorycore.policy.tokens import index_tokens, query_tokens
from memorycore.ports.cold import Candidate, SearchRequest

_MINE: LiteralString = (
    "m.author = %(author)s AND (%(scopes)s::text[] IS NULL OR m.scope = ANY(%(scopes)s))"
)
_VALID_THEN: LiteralString = (
    f"SELECT {MEMORY_COLUMNS}, m.content, m.revision, m.valid_from, m.vector "
    f"FROM memories AS m LEFT JOIN trash AS t ON t.seq = m.seq WHERE {_MINE} "
    "AND m.valid_from <= %(at)s AND (m.live OR t.trashed_at > %(at)s) "
    "UNION ALL "
    f"SELECT {MEMORY_COLUMNS}, r.content, r.revision, r.valid_from, r.vector "
    f"FROM revisions AS r JOIN memories AS m ON m.seq = r.seq WHERE {_MINE} "
    "AND r.valid_from <= %(at)s AND r.valid_to > %(at)s"
)


def search_past(connection: Connection, request: SearchRequest) -> Sequence[Candidate]:
    """Return candidates among the texts valid at the moment asked for."""
    values: dict[str, Any] = {
        "author": request.author,
        "scopes": None if request.scopes is None else list(request.scopes),
        "at": request.as_of,
    }
    rows = connection.execute(_VALID_THEN, values, binary=True).fetchall()
    dense = _dense(rows, request)
    keyword = _keyword(rows, request.text)
    best = set(heapq.nlargest(request.limit, dense, key=lambda place: dense[place]))
    best.update(heapq.nlargest(request.limit, keyword, key=lambda place: keyword[place]))
    return [
        Candidate(
            _as_it_was(rows[place]),
            dense.get(place),
            keyword.get(place),
            vector=None if rows[place][-1] is None else to_vector(rows[place][-1]),
        )
        for place in sorted(best)
    ]


def _as_it_was(row: Row) -> Memory:
    content, revision, valid_from = row[MEMORY_WIDTH : MEMORY_WIDTH + 3]
    memory = to_memory(row)
    if revision == memory.revision:
        return memory
    return replace(memory, content=content, revision=revision, updated_at=in_utc(valid_from))


def _dense(rows: Sequence[Row], request: SearchRequest) -> dict[int, float]:
    if request.vector is None:
        return {}
    made = {place: to_vector(row[-1]) for place, row in enumerate(rows) if row[-1] is not None}
    fitting = {place: one for place, one in made.items() if len(one) == len(request.vector)}
    if not fitting:
        return {}
    matrix = np.stack([*fitting.values(), request.vector])
    if request.projection is not None:
        matrix = request.projection.project(matrix)
    return dict(zip(fitting, (matrix[:-1] @ matrix[-1]).tolist(), strict=True))


def _keyword(rows: Sequence[Row], text: str) -> Mapping[int, float]:
    """Score shared tokens by their rarity."""
    wanted = frozenset(query_tokens(text))
    shared = {
        place: held
        for place, row in enumerate(rows)
        if (held := wanted.intersection(index_tokens(row[MEMORY_WIDTH])))
    }
    counts = Counter(token for held in shared.values() for token in held)
    weight = {token: math.log(1 + (len(rows) + 0.5) / (n + 0.5)) for token, n in counts.items()}
    return {place: sum(weight[token] for token in held) for place, held in shared.items()}
