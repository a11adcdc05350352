"""Quality of recall on the labelled queries, beside three plain searches.

    python -m stress recall [--seen]

Both halves of the queries are measured with weights fitted without them (`--seen`: with the shipped weights, which
have seen them all). A hit means that the memory stands among the first five. `quiet` is the share of queries about
the world that get no answer; the plain searches always answer.
"""

import argparse
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.learned_recall import load_recall_prior
from memorycore.model.memory import GLOBAL_SCOPE, LOCAL_AUTHOR
from memorycore.policy.recall_prior import RecallPrior
from memorycore.ports import Candidate, RecallQuery, SearchRequest
from stress.laboratory import Bench, RememberingEmbedder, bench
from stress.train_recall import (
    Asked,
    common_tokens,
    fit,
    rows,
    training_texts,
    world_queries,
)

TOP = 5
POOL = 60
RRF = 60
KINDS = ("short", "question", "paraphrase", "cross_lingual")

Search = Callable[[Bench, str], Sequence[str]]
"""Answers a query with texts, best first."""


@dataclass(frozen=True, slots=True)
class Half:
    """Queries of one half: labelled rows and queries about the world."""

    items: Sequence[Mapping[str, Any]]
    world: Sequence[str]


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser("stress recall", description=__doc__)
    parser.add_argument("--seen", action="store_true", help="use the shipped weights")
    options = parser.parse_args(arguments)
    embedder = RememberingEmbedder(BundledEmbedder())
    halves = split()
    figures: dict[str, Counter[str]] = defaultdict(Counter)
    for mine, other in ((0, 1), (1, 0)):
        prior = (
            load_recall_prior(embedder.model)
            if options.seen
            else fitted_on(halves[other], embedder)
        )
        with bench(haystack(), embedder, prior) as lab:
            for name, search in searches(embedder).items():
                measure(lab, halves[mine], search, figures[name])
    embedder.save()
    report = {name: shares(counted) for name, counted in figures.items()}
    for name, row in report.items():
        print(f"{name:12} " + "  ".join(f"{key} {value:.3f}" for key, value in row.items()))
    print(json.dumps(report))
    return 0


def split() -> tuple[Half, Half]:
    """Return two halves by the hash of ids and queries."""
    items = rows("eval/recall.jsonl")
    world = world_queries()
    return (
        Half([row for row in items if side(row["id"]) == 0], [q for q in world if side(q) == 0]),
        Half([row for row in items if side(row["id"]) == 1], [q for q in world if side(q) == 1]),
    )


def side(name: str) -> int:
    """Return 0 or 1 by hash."""
    return hashlib.sha256(name.encode()).digest()[0] % 2


def fitted_on(half: Half, embedder: RememberingEmbedder) -> RecallPrior:
    """Return weights that have seen the queries of one half only."""
    own = [row["query"] for row in rows("train/queries.jsonl") if row["about"] == "memory"]
    asked = [query for row in half.items for query in row["queries"].values() if query]
    texts = training_texts()
    space = fit(embedder, texts, Asked([*asked, *own], half.world))
    return replace(RecallPrior(), common=common_tokens(texts, [*asked, *own]), space=space)


def haystack() -> list[str]:
    """Return every memory of the labelled data and some nine hundred others."""
    texts = [row["memory"] for row in rows("eval/recall.jsonl")]
    texts += [row["text"] for row in rows("eval/routing.jsonl")]
    texts += [text for row in rows("eval/pairs.jsonl") for text in (row["older"], row["newer"])]
    return texts


def measure(lab: Bench, half: Half, search: Search, counted: Counter[str]) -> None:
    """Count hits by kind and language, and silence."""
    for row in half.items:
        for kind, query in row["queries"].items():
            if not query:
                continue
            hit = row["memory"] in search(lab, query)
            for group in (kind, f"language {row['lang']}") if kind != "cross_lingual" else (kind,):
                counted[f"asked {group}"] += 1
                counted[group] += hit
    for query in half.world:
        counted["asked quiet"] += 1
        counted["quiet"] += not search(lab, query)


def shares(counted: Counter[str]) -> dict[str, float]:
    """Return the share of hits of each kind, of the worst language, and of silence."""
    rates = {
        name.removeprefix("asked "): counted[name.removeprefix("asked ")] / count
        for name, count in counted.items()
        if name.startswith("asked ")
    }
    worst = min(rate for name, rate in rates.items() if name.startswith("language "))
    return {kind: rates[kind] for kind in KINDS} | {
        "worst_language": worst,
        "quiet": rates["quiet"],
    }


def searches(embedder: RememberingEmbedder) -> dict[str, Search]:
    """Return MemoryCore and the three plain ways to search the same store."""

    def candidates(lab: Bench, query: str) -> Sequence[Candidate]:
        return lab.database.repository.search(
            SearchRequest(query, embedder.embed_query(query), LOCAL_AUTHOR, (GLOBAL_SCOPE,), POOL)
        )

    return {
        "memorycore": _memorycore,
        "dense": lambda lab, query: _best(candidates(lab, query), _dense),
        "keyword": lambda lab, query: _best(candidates(lab, query), _keyword),
        "rrf": lambda lab, query: _fused(candidates(lab, query)),
    }


def _memorycore(lab: Bench, query: str) -> list[str]:
    found = lab.recaller.recall(RecallQuery(query, top_k=TOP, count=False))
    return [hit.content for hit in found.hits]


def _fused(found: Sequence[Candidate]) -> list[str]:
    """Fuse by reciprocal rank."""
    points: Counter[str] = Counter()
    for key in (_dense, _keyword):
        for place, content in enumerate(_best(found, key, most=POOL)):
            points[content] += 1_000_000 // (RRF + place)
    return [content for content, _ in points.most_common(TOP)]


def _best(
    found: Sequence[Candidate], key: Callable[[Candidate], float | None], *, most: int = TOP
) -> list[str]:
    scored = [(score, one.memory.content) for one in found if (score := key(one)) is not None]
    return [content for _, content in sorted(scored, key=lambda pair: -pair[0])[:most]]


def _dense(one: Candidate) -> float | None:
    return one.dense


def _keyword(one: Candidate) -> float | None:
    return one.keyword


if __name__ == "__main__":
    raise SystemExit(main())
