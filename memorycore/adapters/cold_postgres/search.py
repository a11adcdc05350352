"""Search: dense and keyword evidence for the rows the caller may see."""

# ruff: noqa: S608 - statements are typed LiteralString: no caller's text can be in them

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, LiteralString

from memorycore.adapters.cold_postgres.connection import Connection
from memorycore.adapters.cold_postgres.frequencies import TokenCounts
from memorycore.adapters.cold_postgres.nearest import VISIBLE, nearest, similarities
from memorycore.adapters.cold_postgres.rows import (
    MEMORY_COLUMNS,
    MEMORY_WIDTH,
    to_memory,
    to_vector,
)
from memorycore.model.memory import REVIVED_BY_RECALL, TrashReason
from memorycore.policy.prominence import prominent, surveyed
from memorycore.policy.tokens import query_tokens
from memorycore.ports.cold import Candidate, SearchRequest, TokenStatistics

EXACT_ROWS = 30_000
"""Live rows of one author up to which every vector is compared and nothing is missed: 50 ms. Beyond, as the index is
no slower by then, HNSW picks."""

POSTINGS_BUDGET = 2_000
"""Rows the keyword search may score: commoner tokens are left out first, as they say least."""

SATURATION, LENGTH_SHARE = 1.2, 0.75
"""k1 and b of BM25, as published and as SQLite's FTS5 has them."""

_FULL: LiteralString = (
    f"SELECT {MEMORY_COLUMNS}, m.seq, m.live, t.reason, m.vector "
    "FROM memories AS m LEFT JOIN trash AS t ON t.seq = m.seq WHERE m.seq = ANY(%s)"
)
_PENDING: LiteralString = "SELECT 1 FROM memories WHERE live AND vector IS NULL LIMIT 1"
_MATCHES: LiteralString = (
    f"SELECT m.seq, m.tokens FROM memories AS m WHERE {VISIBLE} AND m.tokens && %(chosen)s "
    "ORDER BY m.seq DESC LIMIT %(most)s"
)


class Searcher:
    """Finds candidates.

    Args:
        exact_rows: Live rows of one author beyond which the HNSW index picks what is scored.
    """

    def __init__(self, *, exact_rows: int = EXACT_ROWS) -> None:
        self.exact_rows = exact_rows
        self._counts = TokenCounts()

    def search(self, connection: Connection, request: SearchRequest) -> Sequence[Candidate]:
        """Return unranked candidates of the store as it is now."""
        values = _values(request)
        keyword: dict[int, float] = {}
        if not _told_by_vectors(connection, request):
            keyword = self._keyword(connection, request, values)
        wanted = replace(request, limit=surveyed(request.limit, prominent=request.prominent))
        dense = nearest(connection, wanted, values, exact_rows=self.exact_rows)
        others = sorted(keyword.keys() - dense.keys())
        dense |= similarities(connection, request, others)
        if request.prominent:
            dense, keyword = prominent(dense, keyword, limit=request.limit)
        return _candidates(connection, dense, keyword)

    def statistics(self, connection: Connection, tokens: Collection[str]) -> TokenStatistics:
        """Return how common the tokens are among live rows."""
        return self._counts.statistics(connection, tokens)

    def _keyword(
        self, connection: Connection, request: SearchRequest, values: Mapping[str, Any]
    ) -> dict[int, float]:
        tokens = query_tokens(request.text)
        if not tokens:
            return {}
        counted = self.statistics(connection, tokens)
        chosen = _affordable(counted.frequencies, trashed=request.trashed)
        if not chosen:
            return {}
        found = connection.execute(
            _MATCHES, {**values, "chosen": chosen, "most": 2 * POSTINGS_BUDGET}
        ).fetchall()
        scores = _bm25({row[0]: row[1] for row in found}, _rarity(counted, chosen))
        best = sorted(scores, key=lambda seq: (-scores[seq], -seq))[: request.limit]
        return {seq: scores[seq] for seq in best}


def _told_by_vectors(connection: Connection, request: SearchRequest) -> bool:
    """Tell whether vectors alone decide what is prominent: words only add rows whose vector is still to come."""
    if not request.prominent or request.vector is None:
        return False
    return connection.execute(_PENDING).fetchone() is None


def _values(request: SearchRequest) -> dict[str, Any]:
    return {
        "author": request.author,
        "scopes": None if request.scopes is None else list(request.scopes),
        "trashed": request.trashed,
        "undone": [reason.value for reason in REVIVED_BY_RECALL],
        "vector": request.vector,
        "dimension": 0 if request.vector is None else len(request.vector),
    }


def _affordable(frequencies: Mapping[str, int], *, trashed: bool) -> list[str]:
    """Return the rarest tokens whose rows together may be scored; the rarest alone when even it is common."""
    chosen: list[str] = []
    spent = 0
    for token, count in sorted(frequencies.items(), key=lambda item: item[1]):
        spent += count
        if spent > POSTINGS_BUDGET and any(frequencies[taken] for taken in chosen):
            break
        if count or trashed:
            chosen.append(token)
    return chosen


def _rarity(counted: TokenStatistics, tokens: Sequence[str]) -> dict[str, float]:
    weights = {}
    for token in tokens:
        held = min(counted.frequencies[token], counted.rows)
        weights[token] = math.log(1 + (counted.rows - held + 0.5) / (held + 0.5))
    return weights


def _bm25(matches: Mapping[int, Sequence[str]], weights: Mapping[str, float]) -> dict[int, float]:
    if not matches:
        return {}
    usual = sum(len(tokens) for tokens in matches.values()) / len(matches)
    scores: dict[int, float] = {}
    for seq, tokens in matches.items():
        slack = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * len(tokens) / max(1.0, usual))
        counts: dict[str, int] = {}
        for token in tokens:
            if token in weights:
                counts[token] = counts.get(token, 0) + 1
        scores[seq] = sum(
            weights[token] * count * (SATURATION + 1) / (count + slack)
            for token, count in counts.items()
        )
    return scores


def _candidates(
    connection: Connection, dense: Mapping[int, float], keyword: Mapping[int, float]
) -> list[Candidate]:
    wanted = sorted(dense.keys() | keyword.keys())
    rows = connection.execute(_FULL, (wanted,), binary=True).fetchall() if wanted else []
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
