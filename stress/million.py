"""Does the first pass over sign bits hold at a million vectors?

    python -m stress million [--n 1000000]

Made-up vectors, spread as real ones are, in the table that search keeps in memory. Reported: milliseconds of the first
pass and the exact scores after it, how much of the true nearest it keeps, the memory held, and, beside it, the product
with the whole matrix in half precision by blocks.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence

import numpy as np

from memorycore.adapters.cold_sqlite.vector_table import LIVE, VectorTable
from memorycore.adapters.cold_sqlite.vectors import left_by_first_pass
from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.learned_recall import load_recall_prior
from memorycore.policy.calibration import shipped_space
from memorycore.service.recalling import POOL
from stress.corpus import cone, questions, sentences
from stress.scale import resident

BLOCK = 50_000
QUERIES = 40


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser("stress million", description=__doc__)
    parser.add_argument("--n", type=int, default=1_000_000)
    options = parser.parse_args(arguments)
    embedder = BundledEmbedder()
    prior = load_recall_prior(embedder.model).space
    assert prior is not None
    space = shipped_space(prior)
    real = embedder.embed_passages(list(sentences(600)))
    table = VectorTable(options.n, len(real[0]))
    for block in range(0, options.n, BLOCK):
        count = min(BLOCK, options.n - block)
        rows = space.project(cone(count, real, seed=block))
        table.put(range(block, block + count), [("", "global", LIVE)] * count, rows)
    asked = [
        space.project(embedder.embed_query(query)[np.newaxis])[0] for query in questions(QUERIES)
    ]
    figures = {"n": float(options.n)} | measure(table, asked) | {"rss_mb": resident()}
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))
    return 0


def measure(table: VectorTable, asked: Sequence[np.ndarray]) -> dict[str, float]:
    """Return milliseconds and the share of the nearest that the first pass kept."""
    spent, whole, kept, first = [], [], [], []
    for query in asked:
        started = time.perf_counter()
        places = table.admitted(lambda *_: True)
        likely = table.likely(places, query, left_by_first_pass(len(places), POOL))
        scores = table.scores(likely, query)
        near = likely[np.argpartition(-scores, POOL)[:POOL]]
        spent.append((time.perf_counter() - started) * 1000)
        started = time.perf_counter()
        exact = np.concatenate(
            [table.scores(places[at : at + BLOCK], query) for at in range(0, len(places), BLOCK)]
        )
        best = np.argpartition(-exact, POOL)[:POOL]
        whole.append((time.perf_counter() - started) * 1000)
        kept.append(len(set(best.tolist()) & set(near.tolist())) / POOL)
        top = best[np.argsort(-exact[best])[:5]]
        first.append(len(set(top.tolist()) & set(near.tolist())) / 5)
    return {
        "search_p50_ms": float(np.percentile(spent, 50)),
        "search_p95_ms": float(np.percentile(spent, 95)),
        "whole_matrix_p50_ms": float(np.percentile(whole, 50)),
        f"kept_of_nearest_{POOL}": float(np.mean(kept)),
        "kept_of_nearest_5": float(np.mean(first)),
    }


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
