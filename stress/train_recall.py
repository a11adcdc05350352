"""Measures the bundled model's space and the commonness of words on tests/data; writes weights/recall.npz.

Run from a checkout: ``python -m stress train-recall``. Only training texts and the development queries go in.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.policy.tokens import index_tokens

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
TARGET = ROOT / "memorycore" / "adapters" / "weights" / "recall.npz"
MIN_TEXTS = 60
COMMON_SHARE = 0.004


def main() -> int:
    texts = training_texts()
    vectors = BundledEmbedder().embed_passages(list(texts))
    languages = np.array(list(texts.values()))
    kept = sorted(
        name
        for name, count in Counter(texts.values()).items()
        if count >= MIN_TEXTS and name != "mixed"
    )
    centroids = np.stack([vectors[languages == name].mean(axis=0) for name in kept])
    mean = vectors.mean(axis=0)
    common = common_tokens(texts)
    np.savez_compressed(
        TARGET,
        model=np.array(BundledEmbedder().model),
        languages=np.array(kept),
        mean=mean.astype(np.float16),
        centroids=centroids.astype(np.float16),
        tokens=np.array(list(common)),
        shares=np.array(list(common.values()), np.float16),
    )
    print(
        f"{TARGET}: {len(kept)} languages, {len(common)} common tokens, {TARGET.stat().st_size} bytes"
    )
    return 0


def training_texts() -> dict[str, str]:
    """Return every training text with its language."""
    texts: dict[str, str] = {}
    for row in rows("train/routing.jsonl"):
        texts[row["text"]] = row["lang"]
    for row in rows("train/pairs.jsonl"):
        texts[row["older"]] = texts[row["newer"]] = row["lang"]
    return texts


def common_tokens(texts: Iterable[str]) -> dict[str, float]:
    """Return the share of memories or, when greater, of queries that hold each common token."""
    asked = [
        query for row in rows("eval/recall.jsonl") for query in row["queries"].values() if query
    ]
    shares: dict[str, float] = {}
    for group in (list(texts), asked):
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
