"""How common tokens are, remembered while the store has hardly changed."""

from collections.abc import Collection
from typing import LiteralString

from memorycore.adapters.cold_postgres.connection import Connection
from memorycore.ports.cold import TokenStatistics

MOST_COUNTED = 20_000
"""Rows counted of one token: what is commoner is common enough."""

MOST_REMEMBERED = 50_000
"""Tokens remembered by one process."""

FRESH_SHARE = 0.05
"""A counted frequency is good until the store has changed by this share."""

_STORE: LiteralString = (
    "SELECT (SELECT last FROM changes), coalesce(sum(live), 0)::bigint FROM tallies"
)
_FREQUENCY: LiteralString = (
    "SELECT token, (SELECT count(*) FROM (SELECT 1 FROM memories AS m WHERE m.live "
    "AND m.tokens @> ARRAY[token] LIMIT %s) AS held) FROM unnest(%s::text[]) AS token"
)


class TokenCounts:
    """Document frequencies by token; a token that no row held is counted anew each time."""

    def __init__(self) -> None:
        self._counted: dict[str, tuple[int, int]] = {}

    def statistics(self, connection: Connection, tokens: Collection[str]) -> TokenStatistics:
        """Return how many live rows there are and how many of them hold each token."""
        row = connection.execute(_STORE).fetchone()
        change, rows = (row[0], row[1]) if row else (0, 0)
        if len(self._counted) > MOST_REMEMBERED:
            self._counted.clear()
        known = {token: self._counted.get(token) for token in tokens}
        slack = FRESH_SHARE * rows
        stale = [
            token
            for token, counted in known.items()
            if counted is None or not counted[0] or abs(change - counted[1]) > slack
        ]
        fresh = _count(connection, stale)
        self._counted |= {token: (count, change) for token, count in fresh.items()}
        remembered = {token: counted[0] for token, counted in known.items() if counted}
        return TokenStatistics(rows, remembered | fresh)


def _count(connection: Connection, tokens: Collection[str]) -> dict[str, int]:
    if not tokens:
        return {}
    found = connection.execute(_FREQUENCY, (MOST_COUNTED, list(tokens))).fetchall()
    return {row[0]: row[1] for row in found}
