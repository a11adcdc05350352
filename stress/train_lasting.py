"""Trains what tells which hot texts every turn needs, and which of them are red lines no pressure moves.

    python stress/train_lasting.py                # trains and writes memorycore/adapters/weights/lasting.npz
    python stress/train_lasting.py --measure      # by folds, files of the hot tier left out whole; writes nothing

Two logistic outputs over structure, scope and, when there is one, vector. The texts are those of
`train_routing`, the labelled hot files, whose labels say what may leave a full file, and short texts written
for this: rules of one task, which may leave, against habits of every day. Project conventions that the routing
texts call hot, in MEMORY.md and unprotected, are left out: whether every turn needs them depends on the project.
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
from memorycore.model.routing import Target
from memorycore.policy.overflow.scope import scope_features
from memorycore.policy.routing_head import VECTOR_SCALE, LayerPair, LinearLayer
from memorycore.policy.structure import read_structure

ROOT = Path(__file__).resolve().parent.parent
WEIGHTS = ROOT / "memorycore/adapters/weights/lasting.npz"
HOT_FILES = ROOT / "tests/data/hotfiles"
ROUTING = (
    ("tests/data/train/routing.jsonl", 1.0),
    ("tests/data/eval/routing.jsonl", 2.0),
    ("stress/data/routing_extra.jsonl", 1.0),
)
EXTRA = "stress/data/lasting_extra.jsonl"

PENALTY = {"needed": 15.0, "red_line": 6.0}
SHARE = {"needed": 0.7, "red_line": 1.0}
"""How far the vector's values are shrunk: the fewer texts speak for an output, the more."""

FOLDS = 6
ITERATIONS = 15

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One text, what is known of it, and the weight of each piece of knowledge (0 when unknown)."""

    text: str
    target: Target
    group: str
    labels: tuple[float, float]
    weights: tuple[float, float]


def read_examples() -> list[Example]:
    """Return all texts: a group is the file of the hot tier a text stands in, else the text itself."""
    found = []
    for name, weight in ROUTING:
        found += [_routed(row, weight, name) for row in _rows(ROOT / name)]
    files: dict[str, list[str]] = {}
    for row in _rows(HOT_FILES / "expected.jsonl"):
        name = row["file"]
        if name not in files:
            files[name] = (HOT_FILES / name).read_text(encoding="utf-8").strip().split("\n§\n")
        found.append(_filed(row, files[name][row["entry_index"]]))
    for row in _rows(ROOT / EXTRA):
        needed = float(row["needed"])
        weights = (5.0, 0.0 if needed else 2.0)
        found.append(Example(row["text"], Target(row["target"]), "extra", (needed, 0.0), weights))
    return found


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _routed(row: dict[str, Any], weight: float, source: str) -> Example:
    hot, protected = row["route"] == "hot", bool(row["protected"])
    convention = hot and not protected and row["target"] == "memory"
    needed = 0.0 if convention else weight * (4.0 if protected else 1.0)
    labels = (float(hot), float(protected))
    return Example(row["text"], Target(row["target"]), source, labels, (needed, weight))


def _filed(row: dict[str, Any], text: str) -> Example:
    hot, protected = row["route"] == "hot", bool(row["protected"])
    target = Target.USER if "USER" in row["file"] else Target.MEMORY
    known = 0.0 if hot and not protected else 3.0
    return Example(text, target, row["file"], (float(hot), float(protected)), (12.0, known))


def inputs(
    examples: list[Example], embedder: BundledEmbedder, cache: Path | None
) -> tuple[tuple[str, ...], Floats, Floats]:
    """Return the names of the features, the features and the vectors, one row a text."""
    lexicon = load_lexicon()
    features = [
        {
            **read_structure(one.text, target=one.target, lexicon=lexicon).values,
            **scope_features(one.text, lexicon),
        }
        for one in examples
    ]
    names = tuple(features[0])
    seen = np.array([[values[name] for name in names] for values in features])
    if cache is not None and cache.exists():
        vectors: Floats = np.load(cache).astype(np.float64)
        if len(vectors) == len(examples):
            return names, seen, vectors
    made = embedder.embed_passages([one.text for one in examples])
    if cache is not None:
        np.save(cache, made)
    return names, seen, made.astype(np.float64)


def fit(
    examples: list[Example], chosen: npt.NDArray[np.bool_], seen: Floats, vectors: Floats | None
) -> LinearLayer:
    """Fit both outputs by Newton's method."""
    columns = []
    for number, name in enumerate(PENALTY):
        weight = np.array([one.weights[number] for one in examples]) * chosen
        label = np.array([one.labels[number] for one in examples])
        shrink = VECTOR_SCALE * SHARE[name]
        x = seen if vectors is None else np.hstack([vectors * shrink, seen])
        known = weight > 0
        beta = _newton(x[known], label[known], weight[known], PENALTY[name])
        if vectors is not None:
            beta[: vectors.shape[1]] *= SHARE[name]
        columns.append(beta)
    both = np.array(columns).T
    return LinearLayer(both[:-1].astype(np.float32), both[-1].astype(np.float32))


def _newton(x: Floats, label: Floats, weight: Floats, strength: float) -> Floats:
    x = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.full(x.shape[1], strength)
    penalty[-1] = 1e-6
    beta = np.zeros(x.shape[1])
    for _ in range(ITERATIONS):
        guess = 1.0 / (1.0 + np.exp(-np.clip(x @ beta, -30.0, 30.0)))
        slope = x.T @ (weight * (guess - label)) + penalty * beta
        bend = (x * (weight * guess * (1.0 - guess))[:, None]).T @ x + np.diag(penalty)
        beta = beta - np.linalg.solve(bend, slope)
    return beta


def held_out(
    examples: list[Example], seen: Floats, vectors: Floats
) -> tuple[Floats, list[tuple[npt.NDArray[np.bool_], LinearLayer]]]:
    """Return both chances of every text from layers that saw neither it nor its file, and those layers."""
    files = sorted({one.group for one in examples if one.group.endswith(".md")})
    order = np.random.default_rng(0).permutation(len(examples))
    fold = np.empty(len(examples), dtype=np.int64)
    fold[order] = np.arange(len(examples)) % FOLDS
    for row, one in enumerate(examples):
        if one.group in files:
            fold[row] = files.index(one.group) % FOLDS
        elif one.group == "extra":
            fold[row] = FOLDS
    chances = np.zeros((len(examples), 2))
    layers = []
    both = np.hstack([vectors * VECTOR_SCALE, seen]).astype(np.float32)
    for number in range(FOLDS):
        held = fold == number
        layer = fit(examples, ~held, seen, vectors)
        layers.append((held, layer))
        chances[held] = [layer.chances(row) for row in both[held]]
    return chances, layers


def measure(examples: list[Example], seen: Floats, vectors: Floats) -> None:
    """Print by source how many red lines are held and how many texts that may leave are let go."""
    chances, _ = held_out(examples, seen, vectors)
    groups = ["hot files" if one.group.endswith(".md") else one.group for one in examples]
    labels = np.array([one.labels for one in examples])
    needed, red_line = chances.T
    held = (needed >= 0.5) | (red_line >= 0.3)
    for group in dict.fromkeys(groups):
        here = np.array([name == group for name in groups])
        guarded, loose = here & (labels[:, 1] == 1), here & (labels[:, 0] == 0)
        print(
            f"{group:36} protected held {held[guarded].mean():.3f} "
            f"let go of what may leave {(needed < 0.7)[loose].mean():.3f} "
            f"hot let go {(needed < 0.7)[here & (labels[:, 0] == 1)].mean():.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure held-out, write nothing")
    parser.add_argument("--cache", type=Path, help="file that keeps the vectors between runs")
    options = parser.parse_args()
    embedder = BundledEmbedder()
    examples = read_examples()
    names, seen, vectors = inputs(examples, embedder, options.cache)
    if options.measure:
        measure(examples, seen, vectors)
        return
    everyone = np.ones(len(examples), dtype=np.bool_)
    pair = LayerPair(
        names, fit(examples, everyone, seen, None), fit(examples, everyone, seen, vectors)
    )
    assert pair.with_vector is not None
    np.savez_compressed(
        WEIGHTS,
        model=np.array(embedder.model),
        names=np.array(pair.names),
        structure_weights=pair.without_vector.weights.astype(np.float16),
        structure_bias=pair.without_vector.bias,
        vector_weights=pair.with_vector.weights.astype(np.float16),
        vector_bias=pair.with_vector.bias,
    )
    print(f"{WEIGHTS}: {WEIGHTS.stat().st_size} bytes, {len(examples)} texts")


if __name__ == "__main__":
    main()
