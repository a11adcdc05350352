"""Demands on `recall`: relevant, ranked, comparable, harmless."""

import math
from collections.abc import Mapping
from typing import Any

from memorycore.service.contract.bench import Bench, content_of, expect, id_of, rows_of
from memorycore.service.contract.verdicts import Check

NONSENSE = "zqxv wkrtplm ghbnjj yyxxqq"
"""Words that stand in no text."""

ODD_QUERIES = (
    '"',
    "*",
    "NOT",
    "a:b",
    "(",
    ")",
    "^x",
    "C++",
    "GB/s",
    "don't",
    "multi-agent",
    "col:",
    "NEAR(a b)",
    "%",
    "\\",
    "🎉",
    "？",
    "x" * 5000,
)
"""Queries that trip up search engines that read operators in them."""


def score_of(row: object) -> Any:
    """Return the score of a row, whichever name it has."""
    if not isinstance(row, Mapping):
        return None
    return row.get("score", row.get("dense_score"))


def _rows(bench: Bench, count: int = 3) -> list[Any]:
    name = bench.name()
    for number in range(count):
        text = (
            f"The {name} tower has a bell of bronze.",
            f"At {name} the bell is rung by hand at noon.",
            f"A bell founder came to {name} from the coast.",
        )[number % 3]
        bench.remember(text)
    return bench.recall(f"bell of {name}", top_k=10)


def _shape(bench: Bench) -> None:
    rows = _rows(bench)
    expect(rows, "what was just stored is not found")
    for row in rows:
        expect(isinstance(row, Mapping), f"a hit is {type(row).__name__}, not an object")
        expect(id_of(row) is not None, f"a hit has no id: {row!r}")
        expect(content_of(row), f"a hit has no content: {row!r}")
        expect(score_of(row) is not None, f"a hit has neither score nor dense_score: {row!r}")


def _scores(bench: Bench) -> None:
    for row in _rows(bench):
        score = score_of(row)
        number = isinstance(score, int | float) and not isinstance(score, bool)
        expect(number and math.isfinite(score), f"a score is {score!r}, not a number")
        expect(0 <= score <= 1, f"a score is {score!r}, outside 0 to 1")


def _order(bench: Bench) -> None:
    scores = [score_of(row) for row in _rows(bench)]
    numbers = [score for score in scores if isinstance(score, int | float)]
    expect(numbers == sorted(numbers, reverse=True), f"scores are not in order: {numbers}")


def _own_words(bench: Bench) -> None:
    pairs = [bench.fact() for _ in range(5)]
    for text, _ in pairs:
        bench.remember(text)
    for text, name in pairs:
        rows = bench.recall(text)
        first = content_of(rows[0]) if rows else ""
        expect(name in first, f"asked with the words of one memory, another came first: {first!r}")


def _top_k(bench: Bench) -> None:
    name = bench.name()
    for tool in ("saw", "plane", "vice", "lathe"):
        bench.remember(f"The {name} joinery bought a {tool} at the autumn fair.")
    rows = bench.recall(f"{name} joinery autumn fair", top_k=2)
    expect(len(rows) <= 2, f"top_k 2 gave {len(rows)} hits")


def _top_k_range(bench: Bench) -> None:
    text, name = bench.fact()
    bench.remember(text)
    for wrong in (0, -1, 10**9):
        bench.call("recall", {"query": text, "top_k": wrong})
    expect(bench.found(text, name), "after top_k out of range nothing is found any more")


def _nonsense(bench: Bench) -> None:
    text, _ = bench.fact()
    bench.remember(text)
    rows = bench.recall(NONSENSE)
    first = content_of(rows[0]) if rows else ""
    expect(
        not rows,
        f"words that stand nowhere found {len(rows)}: {first!r}",
    )


def _empty(bench: Bench) -> None:
    for blank in ("", "   "):
        answer = bench.call("recall", {"query": blank})
        rows = [] if answer.is_error else rows_of(answer.value)
        expect(not rows, f"an empty query found {len(rows or ())} memories")


def _operators(bench: Bench) -> None:
    for query in ODD_QUERIES:
        answer = bench.call("recall", {"query": query})
        expect(not answer.is_error, f"the query {query[:20]!r} was refused: {answer.text[:120]}")


def _harmless(bench: Bench) -> None:
    text, name = bench.fact()
    kept = bench.remember(text)
    before = bench.live()
    for _ in range(3):
        bench.recall(text)
    expect(bench.live() == before, "recall changed the number of memories")
    rows = bench.found(text, name)
    expect(rows and str(id_of(rows[0])) == str(kept.id), "recall changed the id of a memory")


def _same_ids(bench: Bench) -> None:
    text, name = bench.fact()
    kept = bench.remember(text)
    rows = bench.found(text, name)
    expect(rows, "what was just stored is not found")
    saw = f"remember gave {kept.id!r}, recall gives {id_of(rows[0])!r}"
    expect(id_of(rows[0]) == kept.id and type(id_of(rows[0])) is type(kept.id), saw)


def _steady(bench: Bench) -> None:
    _rows(bench)
    counted = bench.wire.offer().takes("recall", "count")
    query: dict[str, Any] = {"query": "bell tower noon", **({"count": False} if counted else {})}
    answers = [rows_of(bench.answer("recall", query)) or [] for _ in range(3)]
    runs = [[str(id_of(row)) for row in rows] for rows in answers]
    expect(runs[0] == runs[1] == runs[2], f"three equal queries were answered differently: {runs}")


CHECKS = (
    Check("recall.shape", "every hit has an id, a content and a score", _shape),
    Check("recall.scores", "scores are numbers from 0 to 1", _scores),
    Check("recall.order", "hits come best first", _order),
    Check("recall.own_words", "a memory comes first for its own words", _own_words),
    Check("recall.top_k", "no more hits than were asked for", _top_k),
    Check("recall.top_k_range", "a number of hits out of range breaks nothing", _top_k_range),
    Check("recall.nonsense", "a query about nothing finds nothing", _nonsense),
    Check("recall.empty", "an empty query finds nothing", _empty),
    Check("recall.operators", "signs in a query are text, never operators", _operators),
    Check("recall.harmless", "recall changes no memory", _harmless),
    Check("recall.same_ids", "recall gives an id as remember gave it, type included", _same_ids),
    Check("recall.steady", "a query that is not counted has the same answer again", _steady),
)
