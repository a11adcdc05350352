"""The rows whose vectors are nearest: compared one by one while they are few, else picked by an HNSW index."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, LiteralString

import numpy as np

from memorycore.adapters.cold_postgres.connection import Connection
from memorycore.adapters.cold_postgres.rows import Row, to_vector
from memorycore.ports.cold import Projection, SearchRequest, Vector

BEAM = 400
"""Rows picked by their raw vectors and then scored in the projection asked for; also `hnsw.ef_search`."""

MOST_BEAM = 1000
"""The most that pgvector takes as `hnsw.ef_search`."""

VISIBLE: LiteralString = (
    "m.author = %(author)s AND (%(scopes)s::text[] IS NULL OR m.scope = ANY(%(scopes)s)) "
    "AND (m.live OR (%(trashed)s AND EXISTS (SELECT 1 FROM trash AS t WHERE t.seq = m.seq "
    "AND t.reason = ANY(%(undone)s))))"
)
"""Condition on `memories AS m` that keeps what the caller may see."""

_EXACT: LiteralString = (
    f"SELECT m.seq, m.vector FROM memories AS m WHERE {VISIBLE} AND m.vector IS NOT NULL "
    "AND vector_dims(m.vector) = %(dimension)s ORDER BY m.vector <#> %(vector)s LIMIT %(beam)s"
)
_GIVEN: LiteralString = (
    "SELECT seq, vector FROM memories WHERE seq = ANY(%s) AND vector IS NOT NULL"
)


def nearest(
    connection: Connection, request: SearchRequest, values: Mapping[str, Any], *, exact_rows: int
) -> dict[int, float]:
    """Return the similarity of the nearest visible rows, at least `request.limit` of them where there are."""
    if request.vector is None:
        return {}
    wanted = {**values, "beam": max(BEAM, 2 * request.limit)}
    rows: Sequence[Row] = []
    if _holds_many(connection, request.author, exact_rows):
        rows = _by_index(connection, wanted)
    if len(rows) < request.limit:
        rows = connection.execute(_EXACT, wanted, binary=True).fetchall()
    return _scores(rows, request.vector, request.projection, limit=request.limit)


def similarities(
    connection: Connection, request: SearchRequest, sequences: Sequence[int]
) -> dict[int, float]:
    """Return the similarity of the rows given, where they have a vector of the query's length."""
    if request.vector is None or not sequences:
        return {}
    rows = connection.execute(_GIVEN, (list(sequences),), binary=True).fetchall()
    return _scores(rows, request.vector, request.projection, limit=len(sequences))


def hnsw_index(dimension: int) -> LiteralString:
    """Return the statement that makes the index for vectors of one length, unless it is there."""
    length = _literal_number(dimension)
    return (
        f"CREATE INDEX IF NOT EXISTS memories_near_{length} ON memories USING hnsw "
        f"((vector::vector({length})) vector_ip_ops) "
        f"WHERE vector IS NOT NULL AND vector_dims(vector) = {length}"
    )


def _holds_many(connection: Connection, author: str, exact_rows: int) -> bool:
    statement: LiteralString = "SELECT live FROM tallies WHERE author = %s"
    found = connection.execute(statement, (author,)).fetchone()
    return found is not None and found[0] > exact_rows


def _by_index(connection: Connection, values: Mapping[str, Any]) -> list[Row]:
    """Return visible rows that the index picks, nearest first, fewer than asked for where filters drop many.

    The filters stand beside the order, so that the planner may also take one author's rows and sort them, and reads
    one partition where the table is cut by author.
    """
    length = _literal_number(int(values["dimension"]))
    beam = _literal_number(min(MOST_BEAM, int(values["beam"])))
    connection.execute("SELECT set_config('hnsw.ef_search', %s, true)", (beam,))
    statement: LiteralString = (
        f"SELECT m.seq, m.vector FROM memories AS m WHERE {VISIBLE} AND m.vector IS NOT NULL "
        f"AND vector_dims(m.vector) = {length} "
        f"ORDER BY m.vector::vector({length}) <#> %(vector)s LIMIT {beam}"
    )
    return list(connection.execute(statement, values, binary=True).fetchall())


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


def _literal_number(number: int) -> LiteralString:
    """Return a whole number as text that may stand in a statement."""
    digits: tuple[LiteralString, ...] = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
    text: LiteralString = ""
    for digit in str(int(number)):
        text += digits[int(digit)]
    return text
