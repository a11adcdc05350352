"""A store in PostgreSQL that has grown: the vector index, and partitions by author."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cold_rows import BY, DAY, NOW, do, found, kinds, look, put, row, trash, unit

from memorycore.model.memory import EventKind, TrashReason
from memorycore.ports import ColdRepository, Discard, Erase, Insert, Revise, Revive

if TYPE_CHECKING:
    from memorycore.adapters.cold_postgres import PostgresDatabase

pytest_plugins = ["cold_backends"]

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed", exc_type=ImportError)

SCRIPT = Path(__file__).parents[2] / "examples" / "postgres-partitions.sql"
RARE = ("project:x",)
NEAREST = "SELECT m.seq FROM memories AS m"
ORDERED = "ORDER BY m.vector <#> '[1,0]'"


def opened(url: str) -> PostgresDatabase:
    from memorycore.adapters.cold_postgres import open_postgres  # noqa: PLC0415 - needs the driver

    return open_postgres(url, timeout=10)


class _Only:
    """A repository where a database is expected."""

    def __init__(self, repository: ColdRepository) -> None:
        self.repository = repository


def test_the_index_for_large_stores_finds_what_comparing_everything_finds(
    postgres_url: str,
) -> None:
    from memorycore.adapters.cold_postgres.repository import PostgresRepository  # noqa: PLC0415

    exact = opened(postgres_url)
    choose = np.random.default_rng(3)
    vectors = choose.normal(size=(900, 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    exact.repository.apply(
        [
            Insert(row(f"m{n:03}", f"text {n}", scope="global" if n % 100 else "project:x"), vector)
            for n, vector in enumerate(vectors)
        ],
        provenance=BY,
        at=NOW,
    )
    indexed = PostgresRepository(exact.pool, exact_rows=100)
    indexed.optimise()
    with exact.pool.read() as connection:
        known = connection.execute("SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%hnsw%'")
        assert known.fetchone() == (1,)
    same = 0
    for query in vectors[:50]:
        pair = [
            {hit.memory.id for hit in look(_Only(one), "", query)}
            for one in (exact.repository, indexed)
        ]
        same += len(pair[0] & pair[1])
    assert same >= 0.98 * 500
    rare = {hit.memory.id for hit in look(_Only(indexed), "", vectors[5], scopes=RARE, limit=9)}
    assert rare == {f"m{n:03}" for n in range(0, 900, 100)}
    trash(exact, "m100")
    assert len(look(_Only(indexed), "", vectors[5], scopes=RARE, limit=9)) == 8
    exact.close()


@pytest.fixture
def parted(postgres_url: str) -> Iterator[PostgresDatabase]:
    """A store with memories of two authors, cut into partitions."""
    whole = opened(postgres_url)
    for author in ("ana", "ben"):
        for number in range(6):
            text = f"fact {number} of {author} and the harbour"
            put(whole, f"{author}{number}", text, unit(1, number), author=author)
    do(whole, Revise("ana1", "another fact of ana", unit(1, 0), 0.5, 1), days=1)
    trash(whole, "ana2")
    whole.close()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(SCRIPT.read_text(encoding="utf-8"))
    database = opened(postgres_url)
    yield database
    database.close()


def test_a_store_cut_by_author_keeps_what_it_held_and_takes_every_change(
    parted: PostgresDatabase,
) -> None:
    assert parted.repository.counts().live == 11
    assert len(parted.repository.revisions("ana1")) == 2
    do(parted, Revive("ana2"), Discard("ben3", TrashReason.USER, NOW + DAY), days=2)
    put(parted, "new", "a fact told after the cut", unit(0, 1), author="ben")
    do(parted, Erase(("ana1", "ben3")), days=3)
    assert parted.repository.revisions("ana1") == []
    assert kinds(parted, "ben3")[-1] is EventKind.PURGED
    assert found(parted, "told after", author="ben", limit=1) == {"new"}
    assert found(parted, "harbour", unit(1, 0), author="ana") == {"ana0", *_keys("ana", 2, 6)}
    parted.repository.optimise()
    assert parted.repository.integrity() is None
    assert parted.repository.counts().bytes > 0


def test_a_search_reads_the_partition_of_its_author_alone(parted: PostgresDatabase) -> None:
    from memorycore.adapters.cold_postgres.nearest import VISIBLE  # noqa: PLC0415 - needs the driver

    values: dict[str, Any] = {"author": "ana", "scopes": None, "trashed": False, "undone": []}
    with parted.pool.read() as connection:
        plan = connection.execute(f"EXPLAIN {NEAREST} WHERE {VISIBLE} {ORDERED}", values).fetchall()
    read = {word for line in plan for word in str(line[0]).split() if word.startswith("memories_")}
    assert len({name[: len("memories_0")] for name in read}) == 1


def _keys(author: str, start: int, stop: int) -> set[str]:
    return {f"{author}{number}" for number in range(start, stop)}
