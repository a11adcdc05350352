"""The full-text index: BM25 over tokens made by the application."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import apsw

from memorycore.adapters.cold_sqlite.rows import fetch
from memorycore.ports.cold import SearchRequest

POSTINGS_EACH = 32
"""Index entries a search may rank for each match wanted: commoner tokens are left out, as they say least."""

FEWEST_POSTINGS = 1000
"""Index entries a search may rank at least."""

MOST_COUNTED = 20_000
"""Rows counted of one token: what is commoner is common enough."""

_COUNT = "SELECT count(*) FROM (SELECT 1 FROM live_index WHERE live_index MATCH ? LIMIT ?)"
_FRESH_SHARE = 0.05
"""A counted frequency is good until the store has changed by this share."""

_MATCHES = {
    False: (
        "SELECT live_index.rowid, -rank FROM live_index CROSS JOIN memories AS m ON m.seq = live_index.rowid "
        "WHERE live_index MATCH :query AND m.author = :author AND {scopes} ORDER BY {order} LIMIT :limit"
    ),
    True: (
        "SELECT trash_index.rowid, -rank FROM trash_index CROSS JOIN memories AS m ON m.seq = trash_index.rowid "
        "WHERE trash_index MATCH :query AND m.author = :author AND {scopes} ORDER BY {order} LIMIT :limit"
    ),
}
_BY_RANK = "rank"
_NEWEST = "live_index.rowid DESC"
_ANY_SCOPE = "1"
_SOME_SCOPES = "m.scope IN (SELECT value FROM json_each(:scopes))"


@dataclass(slots=True)
class TokenCounts:
    """Document frequencies by token, remembered while they are near enough."""

    _counted: dict[str, tuple[int, int]] = field(default_factory=dict)

    def frequencies(
        self, connection: apsw.Connection, tokens: Sequence[str], *, change: int, rows: int
    ) -> Mapping[str, int]:
        """Return how many live rows hold each token; a token that no row held is counted anew each time."""
        if len(self._counted) > 50_000:
            self._counted.clear()
        slack = _FRESH_SHARE * rows
        found: dict[str, int] = {}
        for token in tokens:
            known = self._counted.get(token)
            if known is None or not known[0] or change - known[1] > slack:
                counted = fetch(connection, _COUNT, (f'"{token}"', MOST_COUNTED))
                known = (counted[0][0], change)
                self._counted[token] = known
            found[token] = known[0]
        return found


def search_tokens(
    connection: apsw.Connection,
    frequencies: Mapping[str, int],
    request: SearchRequest,
    scopes: str | None,
) -> dict[int, float]:
    """Return BM25 (greater is better) by row of the best live matches of any token, filters applied.

    `scopes` is the JSON list of scopes, None for all.
    """
    chosen = _affordable(frequencies, max(FEWEST_POSTINGS, POSTINGS_EACH * request.limit))
    if chosen:
        return _matches(connection, chosen, request, scopes, (False, _BY_RANK))
    common = [token for token, count in frequencies.items() if count]
    if not common:
        return {}
    rarest = min(common, key=lambda token: frequencies[token])
    return _matches(connection, [rarest], request, scopes, (False, _NEWEST))


def search_trash_tokens(
    connection: apsw.Connection, tokens: Sequence[str], request: SearchRequest, scopes: str | None
) -> dict[int, float]:
    """Return BM25 by row of the best matches in the trash."""
    return _matches(connection, tokens, request, scopes, (True, _BY_RANK)) if tokens else {}


def _affordable(frequencies: Mapping[str, int], budget: int) -> list[str]:
    chosen: list[str] = []
    spent = 0
    for token, count in sorted(frequencies.items(), key=lambda item: item[1]):
        spent += count
        if spent > budget:
            break
        if count:
            chosen.append(token)
    return chosen


def _matches(
    connection: apsw.Connection,
    tokens: Sequence[str],
    request: SearchRequest,
    scopes: str | None,
    how: tuple[bool, str],
) -> dict[int, float]:
    in_trash, order = how
    statement = _MATCHES[in_trash].format(
        scopes=_ANY_SCOPE if scopes is None else _SOME_SCOPES, order=order
    )
    values: dict[str, str | int] = {
        "query": " OR ".join(f'"{token}"' for token in tokens),
        "author": request.author,
        "limit": request.limit,
    }
    if scopes is not None:
        values["scopes"] = scopes
    return {row[0]: row[1] for row in fetch(connection, statement, values)}
