"""Trains the routing head from the labelled texts in the repository, and measures it honestly.

    python stress/train_routing.py                # trains and writes memorycore/adapters/weights/routing.npz
    python stress/train_routing.py --measure      # tenfold and cross-hand accuracy, writes nothing

The same data, lexicon and model give the same weights. Plain numpy: logistic regression with an L2
penalty, by Nesterov's accelerated gradient.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.lexicon_files import load_lexicon
from memorycore.model.routing import Route, Target
from memorycore.policy.routing import Router
from memorycore.policy.routing_head import VECTOR_SCALE, LayerPair, LinearLayer, RoutingHead
from memorycore.policy.structure import read_structure

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "memorycore/adapters/weights/routing.npz"
SOURCES = (
    ("tests/data/train/routing.jsonl", 1.0),
    ("tests/data/eval/routing.jsonl", 2.0),
    ("stress/data/routing_extra.jsonl", 1.0),
)
"""Labelled files by three hands and the weight of a text; the second is small and closest to use."""

PENALTY = 6.0
STEPS = 1500
FOLDS = 10

Floats = npt.NDArray[np.float64]
ROUTES = (Route.COLD, Route.HOT, Route.STALE)


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labelled texts as arrays: one row a text."""

    rows: list[dict[str, Any]]
    names: tuple[str, ...]
    structure: Floats
    vectors: Floats
    routes: npt.NDArray[np.int64]
    protected: Floats
    weights: Floats
    source: npt.NDArray[np.int64]


def read_labelled(embedder: BundledEmbedder, cache: Path | None) -> Labelled:
    lexicon = load_lexicon()
    rows: list[dict[str, Any]] = []
    source: list[int] = []
    for number, (name, _) in enumerate(SOURCES):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        found = [json.loads(line) for line in lines]
        rows += found
        source += [number] * len(found)
    structures = [
        read_structure(row["text"], target=Target(row["target"]), lexicon=lexicon) for row in rows
    ]
    names = tuple(structures[0].values)
    return Labelled(
        rows=rows,
        names=names,
        structure=np.array([[one.values[name] for name in names] for one in structures]),
        vectors=_vectors([row["text"] for row in rows], embedder, cache),
        routes=np.array([ROUTES.index(Route(row["route"])) for row in rows]),
        protected=np.array([float(row["protected"]) for row in rows]),
        weights=np.array([SOURCES[number][1] for number in source]),
        source=np.array(source),
    )


def _vectors(texts: list[str], embedder: BundledEmbedder, cache: Path | None) -> Floats:
    if cache is not None and cache.exists():
        stored: Floats = np.load(cache).astype(np.float64)
        if len(stored) == len(texts):
            return stored
    vectors = embedder.embed_passages(texts)
    if cache is not None:
        np.save(cache, vectors)
    return vectors.astype(np.float64)


def fit(inputs: Floats, labelled: Labelled, chosen: npt.NDArray[np.int64]) -> LinearLayer:
    """Fit routes (softmax) and protection (logistic) together; the columns do not influence each other."""
    x = np.hstack([inputs[chosen], np.ones((len(chosen), 1))])
    weight = labelled.weights[chosen][:, None]
    wanted = np.hstack([np.eye(3)[labelled.routes[chosen]], labelled.protected[chosen][:, None]])
    penalty = np.full((x.shape[1], 1), PENALTY)
    penalty[-1] = 1e-6
    step = 1.0 / (0.5 * float(np.linalg.norm(x * np.sqrt(weight), 2)) ** 2 + PENALTY)
    beta = np.zeros((x.shape[1], 4))
    ahead = beta
    for count in range(STEPS):
        scores = x @ ahead
        routes = np.exp(scores[:, :3] - scores[:, :3].max(axis=1, keepdims=True))
        guess = np.hstack(
            [routes / routes.sum(axis=1, keepdims=True), 1.0 / (1.0 + np.exp(-scores[:, 3:]))]
        )
        slope = x.T @ (weight * (guess - wanted)) + penalty * ahead
        moved = ahead - step * slope
        ahead = moved + (count / (count + 3.0)) * (moved - beta)
        beta = moved
    return LinearLayer(beta[:-1].astype(np.float32), beta[-1].astype(np.float32))


def train(labelled: Labelled, chosen: npt.NDArray[np.int64]) -> RoutingHead:
    both = np.hstack([labelled.vectors * VECTOR_SCALE, labelled.structure])
    return RoutingHead(
        LayerPair(
            names=labelled.names,
            without_vector=fit(labelled.structure, labelled, chosen),
            with_vector=fit(both, labelled, chosen),
        )
    )


def measure(labelled: Labelled) -> None:
    everyone = np.arange(len(labelled.rows))
    for number, (name, _) in enumerate(SOURCES):
        head = train(labelled, everyone[labelled.source != number])
        report(
            f"other hands -> {name}",
            labelled,
            {int(i): head for i in everyone[labelled.source == number]},
        )
    order = np.random.default_rng(0).permutation(everyone)
    judged: dict[int, RoutingHead] = {}
    for fold in range(FOLDS):
        held = order[fold::FOLDS]
        head = train(labelled, np.setdiff1d(everyone, held))
        judged |= {int(i): head for i in held}
    for number, (name, _) in enumerate(SOURCES):
        chosen = {i: head for i, head in judged.items() if labelled.source[i] == number}
        report(f"{FOLDS}-fold, {name}", labelled, chosen)
        report(f"{FOLDS}-fold, {name}, no vector", labelled, chosen, vector=False)
    report("rules alone, all", labelled, dict.fromkeys(map(int, everyone)), vector=False)


def report(
    title: str,
    labelled: Labelled,
    heads: dict[int, RoutingHead] | dict[int, None],
    *,
    vector: bool = True,
) -> None:
    lexicon = load_lexicon()
    right: dict[str, list[bool]] = {}
    kept, dropped, typed = [], [], []
    for index, head in heads.items():
        row = labelled.rows[index]
        got = Router(lexicon, head).classify(
            row["text"],
            target=Target(row["target"]),
            vector=labelled.vectors[index].astype(np.float32) if vector else None,
        )
        right.setdefault(row["lang"], []).append(got.route == row["route"])
        typed.append(got.type == row["type"])
        if row["protected"]:
            kept.append(got.route is Route.HOT)
        if row["route"] != "stale":
            dropped.append(got.route is Route.STALE)
    accuracy = np.mean([hit for hits in right.values() for hit in hits])
    by_language = " ".join(f"{lang}:{np.mean(hits):.2f}" for lang, hits in sorted(right.items()))
    print(
        f"{title:54} route {accuracy:.3f} type {np.mean(typed):.3f} protected {np.mean(kept):.3f} "
        f"dropped {np.mean(dropped):.4f} | {by_language}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure held-out, write nothing")
    parser.add_argument("--cache", type=Path, help="file that keeps the vectors between runs")
    options = parser.parse_args()
    embedder = BundledEmbedder()
    labelled = read_labelled(embedder, options.cache)
    if options.measure:
        measure(labelled)
        return
    head = train(labelled, np.arange(len(labelled.rows))).routes
    assert head.with_vector is not None
    np.savez_compressed(
        WEIGHTS,
        model=np.array(embedder.model),
        names=np.array(head.names),
        structure_weights=head.without_vector.weights.astype(np.float16),
        structure_bias=head.without_vector.bias,
        vector_weights=head.with_vector.weights.astype(np.float16),
        vector_bias=head.with_vector.bias,
    )
    print(f"{WEIGHTS}: {WEIGHTS.stat().st_size} bytes, {len(labelled.rows)} texts")


if __name__ == "__main__":
    main()
