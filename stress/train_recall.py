"""Measures the bundled model's space and the commonness of words on tests/data; writes weights/recall.npz.

    python -m stress train-recall

What goes in: the training texts, the development queries, and queries.jsonl (questions about someone's own life
and work, and questions about the world, small talk and nonsense). `fit` leaves queries out when asked, so that
`python -m stress recall` can tell what the numbers are on queries the weights have not seen.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.policy.calibration import SpacePrior, noise_level, shipped_space
from memorycore.policy.tokens import index_tokens
from memorycore.ports import Embedder

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
TARGET = ROOT / "memorycore" / "adapters" / "weights" / "recall.npz"

MIN_TEXTS = 60
"""Fewest training texts of a language that get it a mean of its own."""

COMMON_SHARE = 0.004
"""Smallest share of texts that makes a token common."""

STATEMENTS = 600
"""Training texts that stand in for queries, so that the subject of a query is not told by its form."""

PENALTY = 1 / 3
"""L2 penalty of the query's subject, chosen by tenfold cross-validation among 0.1, 1/3 and 1."""

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Asked:
    """Queries for a memory and queries for anything else."""

    memory: Sequence[str]
    world: Sequence[str]


def main(arguments: Sequence[str] = ()) -> int:
    argparse.ArgumentParser("stress train-recall", description=__doc__).parse_args(arguments)
    embedder = BundledEmbedder()
    texts = training_texts()
    prior = fit(embedder, texts, all_queries())
    common = common_tokens(texts, all_queries().memory)
    np.savez_compressed(
        TARGET,
        model=np.array(prior.model),
        mean=prior.mean.astype(np.float16),
        centroids=prior.centroids.astype(np.float16),
        noise=np.array(prior.noise, np.float32),
        subject=prior.subject.astype(np.float16),
        tokens=np.array(list(common)),
        shares=np.array(list(common.values()), np.float16),
    )
    print(
        f"{TARGET}: {len(prior.centroids)} languages, {len(common)} common tokens, "
        f"noise {prior.noise:.3f}, {TARGET.stat().st_size} bytes"
    )
    return 0


def fit(embedder: Embedder, texts: dict[str, str], asked: Asked) -> SpacePrior:
    """Return the space of the embedder's model: means, noise and what tells a query's subject."""
    vectors = embedder.embed_passages(list(texts))
    languages = np.array(list(texts.values()))
    kept = sorted(
        name
        for name, count in Counter(texts.values()).items()
        if count >= MIN_TEXTS and name != "mixed"
    )
    bare = SpacePrior(
        model=embedder.model,
        mean=vectors.mean(axis=0),
        centroids=np.stack([vectors[languages == name].mean(axis=0) for name in kept]),
        noise=0.0,
        subject=np.zeros(vectors.shape[1] + 1, np.float32),
    )
    space = shipped_space(bare)
    order = np.random.default_rng(0).permutation(len(texts))
    listed = list(texts)
    statements = [listed[place] for place in order[:STATEMENTS]]
    positive, negative = (
        space.language_free(np.stack([embedder.embed_query(text) for text in queries]))
        for queries in ([*asked.memory, *statements], asked.world)
    )
    return SpacePrior(
        model=bare.model,
        mean=bare.mean,
        centroids=bare.centroids,
        noise=noise_level(space, vectors[order]),
        subject=logistic(positive, negative),
    )


def logistic(positive: Array, negative: Array) -> Array:
    """Return weights and bias of a logistic regression with both classes counted alike, by Newton's method."""
    rows = np.vstack([positive, negative]).astype(np.float64)
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    truth = np.r_[np.ones(len(positive)), np.zeros(len(negative))]
    share = np.r_[
        np.full(len(positive), len(rows) / (2 * len(positive))),
        np.full(len(negative), len(rows) / (2 * len(negative))),
    ]
    penalty = np.full(rows.shape[1], PENALTY)
    penalty[-1] = 0.0
    weights = np.zeros(rows.shape[1])
    for _ in range(25):
        chance = 1.0 / (1.0 + np.exp(-(rows @ weights)))
        slope = rows.T @ (share * (chance - truth)) + penalty * weights
        curve = (rows * (share * chance * (1 - chance))[:, np.newaxis]).T @ rows
        weights -= np.linalg.solve(curve + np.diag(penalty) + 1e-9 * np.eye(len(weights)), slope)
    return weights.astype(np.float32)


def training_texts() -> dict[str, str]:
    """Return every training text with its language."""
    texts: dict[str, str] = {}
    for row in rows("train/routing.jsonl"):
        texts[row["text"]] = row["lang"]
    for row in rows("train/pairs.jsonl"):
        texts[row["older"]] = texts[row["newer"]] = row["lang"]
    return texts


def all_queries() -> Asked:
    """Return every labelled query."""
    mine = rows("train/queries.jsonl")
    memory = [query for row in rows("eval/recall.jsonl") for query in row["queries"].values()]
    memory += [row["query"] for row in mine if row["about"] == "memory"]
    return Asked([query for query in memory if query], world_queries())


def world_queries() -> list[str]:
    """Return the queries no memory answers."""
    return [row["query"] for row in rows("train/queries.jsonl") if row["about"] == "world"]


def common_tokens(texts: Iterable[str], queries: Iterable[str]) -> dict[str, float]:
    """Return the share of memories or, when greater, of queries that hold each common token."""
    shares: dict[str, float] = {}
    for group in (list(texts), list(queries)):
        counts = Counter(token for text in group for token in set(index_tokens(text)))
        for token, count in counts.items():
            share = count / len(group)
            if share >= COMMON_SHARE and count >= 4:
                shares[token] = max(share, shares.get(token, 0.0))
    return dict(sorted(shares.items()))


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of one data file."""
    with (DATA / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


if __name__ == "__main__":
    raise SystemExit(main())
