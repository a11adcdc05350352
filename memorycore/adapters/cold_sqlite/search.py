"""Search: dense and keyword evidence for the rows the caller may see."""

import json
from collections.abc import Collection, Mapping, Sequence

import apsw

from memorycore.adapters.cold_sqlite.fulltext import (
    TokenCounts,
    search_tokens,
    search_trash_tokens,
)
from memorycore.adapters.cold_sqlite.past import search_past
from memorycore.adapters.cold_sqlite.rows import (
    MEMORY_COLUMNS,
    MEMORY_WIDTH,
    Row,
    fetch,
    from_blobs,
    to_memory,
    to_micros,
)
from memorycore.adapters.cold_sqlite.vectors import DenseFilter, VectorCache, change_bounds
from memorycore.model.memory import REVIVED_BY_RECALL, TrashReason
from memorycore.policy.prominence import prominent, surveyed
from memorycore.policy.tokens import query_tokens
from memorycore.ports.cold import Candidate, SearchRequest, TokenStatistics

_BY_SEQ = (
    f"SELECT {MEMORY_COLUMNS}, m.seq, m.live, t.reason, v.vector "  # noqa: S608 - fixed columns
    "FROM memories AS m LEFT JOIN trash AS t ON t.seq = m.seq LEFT JOIN vectors AS v ON v.seq = m.seq "
    "WHERE m.seq IN (SELECT value FROM json_each(?))"
)


class Searcher:
    """Finds candidates; keeps vectors and token counts in memory, in step with the file."""

    def __init__(self) -> None:
        self._vectors = VectorCache()
        self._counts = TokenCounts()

    def search(self, connection: apsw.Connection, request: SearchRequest) -> Sequence[Candidate]:
        """Return unranked candidates."""
        if request.as_of is not None:
            return search_past(connection, request, to_micros(request.as_of))
        keyword: dict[int, float] = {}
        if not _told_by_vectors(connection, request):
            keyword = self._keyword(connection, request)
        dense: Mapping[int, float] = {}
        if request.vector is not None:
            visible = DenseFilter(request.author, request.scopes, request.trashed)
            dense = self._vectors.search(
                connection,
                request.vector,
                request.projection,
                wanted=(visible, surveyed(request.limit, prominent=request.prominent)),
                also=keyword,
            )
        if request.prominent:
            dense, keyword = prominent(dense, keyword, limit=request.limit)
        return _candidates(connection, dense, keyword, trashed=request.trashed)

    def statistics(self, connection: apsw.Connection, tokens: Collection[str]) -> TokenStatistics:
        """Return how common the tokens are among live rows."""
        change, _ = change_bounds(connection)
        rows: int = fetch(connection, "SELECT coalesce(sum(live), 0) FROM tallies")[0][0]
        counted = self._counts.frequencies(connection, list(tokens), change=change, rows=rows)
        return TokenStatistics(rows, counted)

    def _keyword(self, connection: apsw.Connection, request: SearchRequest) -> dict[int, float]:
        tokens = query_tokens(request.text)
        if not tokens:
            return {}
        scopes = None if request.scopes is None else json.dumps(request.scopes)
        counted = self.statistics(connection, tokens).frequencies
        found = search_tokens(connection, counted, request, scopes)
        if request.trashed:
            found.update(search_trash_tokens(connection, tokens, request, scopes))
        return found


def _told_by_vectors(connection: apsw.Connection, request: SearchRequest) -> bool:
    """Tell whether vectors alone decide what is prominent: words only add rows whose vector is still to come."""
    if not request.prominent or request.vector is None:
        return False
    return not fetch(connection, "SELECT 1 FROM pending LIMIT 1")


def _candidates(
    connection: apsw.Connection,
    dense: Mapping[int, float],
    keyword: Mapping[int, float],
    *,
    trashed: bool,
) -> list[Candidate]:
    found: list[Row] = [
        row
        for row in fetch(connection, _BY_SEQ, (json.dumps([*dense.keys() | keyword.keys()]),))
        if row[MEMORY_WIDTH + 1] or (trashed and row[MEMORY_WIDTH + 2] in REVIVED_BY_RECALL)
    ]
    vectors = from_blobs([row[MEMORY_WIDTH + 3] for row in found])
    return [
        Candidate(
            memory=to_memory(row),
            dense=dense.get(row[MEMORY_WIDTH]),
            keyword=keyword.get(row[MEMORY_WIDTH]),
            trashed=None if row[MEMORY_WIDTH + 1] else TrashReason(row[MEMORY_WIDTH + 2]),
            vector=vector,
        )
        for row, vector in zip(found, vectors, strict=True)
    ]
