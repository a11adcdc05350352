"""Search: dense and keyword evidence for the rows the caller may see."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, LiteralString

import numpy as np

from memorycore.adapters.cold_postgres.connection import Connection
from memorycore.adapters.cold_postgres.rows import (
    MEMORY_COLUMNS,
    MEMORY_WIDTH,
    Row,
    to_memory,
    to_vector,
)
from memorycore.model.memory import REVIVED_BY_RECALL, TrashReason
from memorycore.policy.tokens import query_tokens
from memorycore.ports.cold import Candidate, Projection, SearchRequest, TokenStatistics, Vector

EXACT_ROWS = 10_000
"""Visible rows up to which every vector is compared: 40 ms, and nothing is missed. Beyond, the HNSW index picks."""

BEAM = 400
"""Rows HNSW keeps in view while it searches (`hnsw.ef_search`); what filters leave of them is re-scored exactly."""

MOST_COUNTED = 20_000
"""Rows counted of one token: what is commoner is common enough."""

_VISIBLE: LiteralString = (
    "m.author = %(author)s AND (%(scopes)s::text[] IS NULL OR m.scope = ANY(%(scopes)s)) "
    "AND (m.live OR (%(trashed)s AND EXISTS (SELECT 1 FROM trash AS t WHERE t.seq = m.seq "
    "AND t.reason = ANY(%(undone)s))))"
)
_FULL: LiteralString = (
    f"SELECT {MEMORY_COLUMNS}, m.seq, m.live, t.reason, m.vector "
    "FROM memories AS m LEFT JOIN trash AS t ON t.seq = m.seq WHERE m.seq = ANY(%s)"
)
_FREQUENCY: LiteralString = (
    "SELECT token, (SELECT count(*) FROM (SELECT 1 FROM memories AS m WHERE m.live "
    "AND m.tokens @> ARRAY[token] LIMIT %s) AS held) FROM unnest(%s::text[]) AS token"
)
_KEYWORD: LiteralString = (
    "SELECT m.seq, (SELECT sum(w.weight) FROM unnest(%(tokens)s::text[], %(weights)s::float8[]) "
    f"AS w (token, weight) WHERE w.token = ANY(m.tokens)) AS score FROM memories AS m WHERE {_VISIBLE} "
    "AND m.tokens && %(chosen)s ORDER BY score DESC, m.seq DESC LIMIT %(limit)s"
)
_EXACT: LiteralString = (
    f"SELECT m.seq, m.vector FROM memories AS m WHERE {_VISIBLE} AND m.vector IS NOT NULL "
    "AND vector_dims(m.vector) = %(dimension)s"
)
POSTINGS_BUDGET = 20_000
"""Rows the keyword search may score: commoner tokens are left out first, as they say least."""


def statistics(connection: Connection, tokens: Collection[str]) -> TokenStatistics:
    """Return how common the tokens are among live rows."""
    counted = connection.execute("SELECT count(*) FROM memories WHERE live").fetchone()
    rows: int = counted[0] if counted else 0
    found = connection.execute(_FREQUENCY, (MOST_COUNTED, list(tokens))).fetchall()
    return TokenStatistics(rows, {row[0]: row[1] for row in found})


def search(
    connection: Connection, request: SearchRequest, *, exact_rows: int = EXACT_ROWS
) -> Sequence[Candidate]:
    """Return unranked candidates of the store as it is now."""
    values = _values(request)
    keyword = _keyword(connection, request, values)
    dense: dict[int, float] = {}
    if request.vector is not None:
        rows = _near(connection, request, values, exact_rows=exact_rows)
        dense = _scores(rows, request.vector, request.projection, limit=request.limit)
        others = sorted(keyword.keys() - dense.keys())
        dense |= _scores(
            _vectors(connection, others), request.vector, request.projection, limit=len(others)
        )
    return _candidates(connection, dense, keyword)


def hnsw_index(dimension: int) -> LiteralString:
    """Return the statement that makes the index for vectors of one length, unless it is there."""
    length = _literal_number(dimension)
    return (
        f"CREATE INDEX IF NOT EXISTS memories_near_{length} ON memories USING hnsw "
        f"((vector::vector({length})) vector_ip_ops) "
        f"WHERE vector IS NOT NULL AND vector_dims(vector) = {length}"
    )


def _values(request: SearchRequest) -> dict[str, Any]:
    return {
        "author": request.author,
        "scopes": None if request.scopes is None else list(request.scopes),
        "trashed": request.trashed,
        "undone": [reason.value for reason in REVIVED_BY_RECALL],
        "limit": request.limit,
        "vector": request.vector,
        "dimension": 0 if request.vector is None else len(request.vector),
    }


def _keyword(
    connection: Connection, request: SearchRequest, values: Mapping[str, Any]
) -> dict[int, float]:
    tokens = query_tokens(request.text)
    if not tokens:
        return {}
    counted = statistics(connection, tokens)
    weights = _rarity(counted)
    chosen = _affordable(counted.frequencies, trashed=request.trashed)
    if not chosen:
        return {}
    wanted = {"tokens": list(weights), "weights": list(weights.values()), "chosen": chosen}
    found = connection.execute(_KEYWORD, {**values, **wanted}).fetchall()
    return {row[0]: float(row[1]) for row in found if row[1] is not None}


def _rarity(counted: TokenStatistics) -> dict[str, float]:
    return {
        token: math.log(1 + (counted.rows - count + 0.5) / (count + 0.5))
        if count <= counted.rows
        else 0.0
        for token, count in counted.frequencies.items()
    }


def _affordable(frequencies: Mapping[str, int], *, trashed: bool) -> list[str]:
    chosen: list[str] = []
    spent = 0
    for token, count in sorted(frequencies.items(), key=lambda item: item[1]):
        spent += count
        if spent > POSTINGS_BUDGET and chosen:
            break
        if count or trashed:
            chosen.append(token)
    return chosen


def _near(
    connection: Connection,
    request: SearchRequest,
    values: Mapping[str, Any],
    *,
    exact_rows: int,
) -> list[Row]:
    """Return rows (seq, vector) to score: all that are visible while they are few, else those HNSW picks."""
    visible = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM memories AS m WHERE {_VISIBLE} LIMIT %(most)s) AS seen",
        {**values, "most": exact_rows + 1},
    ).fetchone()
    few = visible is not None and visible[0] <= exact_rows
    if few:
        return list(connection.execute(_EXACT, values).fetchall())
    length = _literal_number(int(values["dimension"]))
    connection.execute("SELECT set_config('hnsw.ef_search', %s, true)", (str(BEAM),))
    picked: list[Row] = list(
        connection.execute(
            f"SELECT seq, vector FROM (SELECT m.seq, m.vector, m.author, m.scope, m.live FROM memories AS m "
            f"WHERE m.vector IS NOT NULL AND vector_dims(m.vector) = {length} "
            f"ORDER BY m.vector::vector({length}) <#> %(vector)s LIMIT {_literal_number(BEAM)}) AS m "
            f"WHERE {_VISIBLE}",
            values,
        ).fetchall()
    )
    if len(picked) >= request.limit:
        return picked
    return list(connection.execute(_EXACT, values).fetchall())


def _vectors(connection: Connection, sequences: Sequence[int]) -> list[Row]:
    if not sequences:
        return []
    statement: LiteralString = (
        "SELECT seq, vector FROM memories WHERE seq = ANY(%s) AND vector IS NOT NULL"
    )
    return list(connection.execute(statement, (list(sequences),)).fetchall())


def _scores(
    rows: Iterable[Row], query: Vector, projection: Projection | None, *, limit: int
) -> dict[int, float]:
    """Return the best `limit` rows by their similarity in the projection."""
    pairs = [(row[0], to_vector(row[1])) for row in rows]
    fitting = [(seq, vector) for seq, vector in pairs if len(vector) == len(query)]
    if not fitting or limit < 1:
        return {}
    matrix = np.stack([*(vector for _, vector in fitting), query])
    if projection is not None:
        matrix = projection.project(matrix)
    scores = matrix[:-1] @ matrix[-1]
    best = np.argsort(-scores, kind="stable")[:limit]
    return {fitting[place][0]: float(scores[place]) for place in best}


def _candidates(
    connection: Connection, dense: Mapping[int, float], keyword: Mapping[int, float]
) -> list[Candidate]:
    rows = connection.execute(_FULL, (sorted(dense.keys() | keyword.keys()),)).fetchall()
    return [
        Candidate(
            memory=to_memory(row),
            dense=dense.get(row[MEMORY_WIDTH]),
            keyword=keyword.get(row[MEMORY_WIDTH]),
            trashed=None if row[MEMORY_WIDTH + 1] else TrashReason(row[MEMORY_WIDTH + 2]),
            vector=None if row[MEMORY_WIDTH + 3] is None else to_vector(row[MEMORY_WIDTH + 3]),
        )
        for row in rows
    ]


def _literal_number(number: int) -> LiteralString:
    """Return a whole number as text that may stand in a statement."""
    digits: tuple[LiteralString, ...] = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
    text: LiteralString = ""
    for digit in str(int(number)):
        text += digits[int(digit)]
    return text
