"""Trains the scorer of text pairs from the labelled pairs: `python -m stress.train_pairs`.

Writes `memorycore/adapters/weights/pairs.npz`. Same data and model, same weights. With `--folds N` it
writes nothing and prints what N-fold cross-validation gives with and without vectors; with
`--hold-out eval` it trains on the one file and measures on the other.
"""

import argparse
import json
import pathlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from memorycore.adapters.embedding_bundled import BundledEmbedder
from memorycore.adapters.relation_words import load_relation_words
from memorycore.model.relation import Relation
from memorycore.policy.relation.comparing import decide, read_pair
from memorycore.policy.relation.features import pair_features
from memorycore.policy.relation.guards import objections
from memorycore.policy.relation.scoring import (
    CLASSES,
    LinearHead,
    TrainedScorer,
    vector_features,
    vector_relation,
)
from stress.pair_augmentation import Row, augment

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = ROOT / "memorycore" / "adapters" / "weights" / "pairs.npz"
DATA = ROOT / "tests" / "data"
RIDGE_HEAD, RIDGE_RAW = 3.0, 20.0
"""Strength of the L2 penalties; chosen on the training file with the evaluation file held out."""

Array = npt.NDArray[np.float64]


def read(name: str) -> list[Row]:
    found = records(DATA / name / "pairs.jsonl")
    return [Row(r["older"], r["newer"], r["relation"]) for r in found]


def notes() -> list[str]:
    """Return notes as memory files hold them, of which no two are about one thing."""
    sources = (
        DATA / "train" / "routing.jsonl",
        *sorted((ROOT / "stress" / "data").glob("*.jsonl")),
    )
    return [record["text"] for source in sources for record in records(source)]


def records(path: pathlib.Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


class Table:
    """Features, vectors and labels of rows, computed once."""

    def __init__(self, rows: Sequence[Row], embedder: BundledEmbedder) -> None:
        words = load_relation_words()
        self.rows = list(rows)
        self.named = [pair_features(*read_pair(r.older, r.newer, words)) for r in self.rows]
        self.names = tuple(self.named[0])
        self.lexical = np.array([list(f.values()) for f in self.named])
        self.label = np.array([CLASSES.index(Relation(r.relation)) for r in self.rows])
        self.weight = np.array([r.weight for r in self.rows])
        texts = sorted({t for r in self.rows for t in (r.older, r.newer)})
        at = {text: i for i, text in enumerate(texts)}
        vectors = embedder.embed_passages(texts)
        self.older = vectors[[at[r.older] for r in self.rows]]
        self.newer = vectors[[at[r.newer] for r in self.rows]]


def descend(function: Callable[[Array], tuple[float, Array]], start: Array, steps: int) -> Array:
    """Minimise a smooth function by L-BFGS with a backtracking line search."""
    x = start
    value, slope = function(x)
    pairs: list[tuple[Array, Array]] = []
    for _ in range(steps):
        step = -_inverse(slope, pairs)
        rate = 1.0
        while True:
            moved, found = x + rate * step, None
            found = function(moved)
            if found[0] <= value + 1e-4 * rate * float(slope @ step) or rate < 1e-8:
                break
            rate /= 2
        if abs(value - found[0]) < 1e-9 * max(1.0, abs(value)):
            return moved
        pairs = [*pairs[-11:], (moved - x, found[1] - slope)]
        x, (value, slope) = moved, found
    return x


def _inverse(slope: Array, pairs: list[tuple[Array, Array]]) -> Array:
    q, alphas = slope.copy(), []
    for s, y in reversed(pairs):
        alpha = float(s @ q) / max(1e-12, float(s @ y))
        alphas.append(alpha)
        q -= alpha * y
    if pairs:
        s, y = pairs[-1]
        q *= float(s @ y) / max(1e-12, float(y @ y))
    for (s, y), alpha in zip(pairs, reversed(alphas), strict=True):
        q += (alpha - float(y @ q) / max(1e-12, float(s @ y))) * s
    return q


def fit(
    values: Array,
    label: Array,
    weight: Array,
    *,
    ridge: float,
    scale: Array | None = None,
    steps: int = 150,
) -> LinearHead:
    """Fit multinomial logistic regression with an L2 penalty."""
    mean = values.mean(0) if scale is None else np.zeros(values.shape[1])
    spread = values.std(0) if scale is None else scale
    spread = np.where(spread > 1e-9, spread, 1.0)
    x = (values - mean) / spread
    n, k = x.shape[1], len(CLASSES)
    goal = np.eye(k)[label]

    def loss(flat: Array) -> tuple[float, Array]:
        w, b = flat[: n * k].reshape(n, k), flat[n * k :]
        z = x @ w + b
        z -= z.max(1, keepdims=True)
        p = np.exp(z)
        p /= p.sum(1, keepdims=True)
        value = -(weight * np.log(p[np.arange(len(label)), label] + 1e-12)).sum()
        gap = (p - goal) * weight[:, None]
        slope = np.concatenate([(x.T @ gap + ridge * w).ravel(), gap.sum(0)])
        return float(value + 0.5 * ridge * (w**2).sum()), slope

    flat = descend(loss, np.zeros(n * k + k), steps)
    return LinearHead(mean, spread, flat[: n * k].reshape(n, k), flat[n * k :])


def raw_head(
    related: Array, label: Array, *, labelled: npt.NDArray[np.bool_]
) -> tuple[LinearHead, Array]:
    """Fit the head over vectors on the labelled rows; return it and its logits for all rows.

    A labelled row gets its logits from a head that did not see it, any other row from all of them.
    """
    known, even = np.flatnonzero(labelled), np.ones(len(label))
    fold = np.random.default_rng(3).permutation(len(known)) % 5
    scale = np.full(related.shape[1], 0.05)

    def learn(rows: npt.NDArray[np.intp]) -> LinearHead:
        return fit(related[rows], label[rows], even[rows], ridge=RIDGE_RAW, scale=scale, steps=100)

    heads = [learn(known[fold != k]) for k in range(5)]
    said = np.mean([head.logits(related) for head in heads], axis=0)
    for k, head in enumerate(heads):
        said[known[fold == k]] = head.logits(related[known[fold == k]])
    return learn(known), said


def train(table: Table) -> TrainedScorer:
    """Train all heads on the rows of `table`."""
    x, label, weight = table.lexical, table.label, table.weight
    older, newer = table.older, table.newer
    centre = np.vstack([older, newer]).mean(0).astype(np.float32)
    pairs = list(zip(older, newer, strict=True))
    related = np.array([vector_relation(a, b) for a, b in pairs])
    near = np.array([vector_features(a, b, centre) for a, b in pairs])
    raw, said = raw_head(related, label, labelled=weight == 1.0)
    return TrainedScorer(
        names=table.names,
        lexical=fit(x, label, weight, ridge=RIDGE_HEAD),
        semantic=fit(np.hstack([x, near, said]), label, weight, ridge=RIDGE_HEAD),
        raw=raw,
        centre=centre,
    )


def judge(
    table: Table, scorer: TrainedScorer, rows: Sequence[int], *, vectors: bool
) -> list[Relation]:
    out = []
    for i in rows:
        a, b = (table.older[i], table.newer[i]) if vectors else (None, None)
        odds = scorer.probabilities(table.named[i], a, b)
        out.append(decide(odds, table.named[i], objections(table.named[i])).relation)
    return out


def figures(want: Sequence[Relation], got: Sequence[Relation]) -> str:
    pairs = list(zip(want, got, strict=True))
    merged = (Relation.SAME, Relation.SIMILAR)
    replaced = (Relation.SAME, Relation.UPDATE, Relation.REVERSAL)
    bad_merge = sum(w not in merged and g in merged for w, g in pairs) / len(pairs)
    bad_replace = sum(
        w in (Relation.DISTINCT, Relation.SIMILAR) and g in replaced for w, g in pairs
    ) / len(pairs)
    recall = {
        c.value: round(
            sum(w is g is c for w, g in pairs) / max(1, sum(w is c for w, _ in pairs)), 2
        )
        for c in CLASSES
    }
    right = sum(w is g for w, g in pairs) / len(pairs)
    return f"accuracy {right:.3f} wrong merges {bad_merge:.3f} wrong replacements {bad_replace:.3f} {recall}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--hold-out", choices=("eval", "train"))
    options = parser.parse_args()
    labelled = {name: read(name) for name in ("train", "eval")}
    embedder = BundledEmbedder()
    if options.hold_out:
        other = "train" if options.hold_out == "eval" else "eval"
        measure({"all": labelled[options.hold_out]}, labelled[other], embedder, folds=1)
    elif options.folds:
        measure(labelled, [], embedder, folds=options.folds)
    else:
        rows = [*labelled["train"], *labelled["eval"]]
        table = Table([*rows, *augment(rows, notes(), embedder.embed_passages)], embedder)
        save(train(table), embedder.model)


def measure(
    held: dict[str, list[Row]], rest: list[Row], embedder: BundledEmbedder, *, folds: int
) -> None:
    """Train without each fold of `held` (always with `rest`) and print what the fold gets."""
    rows = [row for group in held.values() for row in group]
    side = [name for name, group in held.items() for _ in group]
    order = (
        np.random.default_rng(7).permutation(len(rows)) % folds
        if folds > 1
        else np.zeros(len(rows))
    )
    got: dict[bool, dict[int, Relation]] = {True: {}, False: {}}
    for fold in range(folds):
        known = [*rest, *(r for i, r in enumerate(rows) if order[i] != fold and folds > 1)]
        table = Table([*known, *augment(known, notes(), embedder.embed_passages)], embedder)
        scorer = train(table)
        out = [i for i in range(len(rows)) if order[i] == fold or folds == 1]
        test = Table([rows[i] for i in out], embedder)
        for vectors in (True, False):
            answers = judge(test, scorer, range(len(out)), vectors=vectors)
            got[vectors].update(zip(out, answers, strict=True))
    for vectors in (True, False):
        for name in held:
            mine = [i for i in range(len(rows)) if side[i] == name]
            want = [Relation(rows[i].relation) for i in mine]
            print(
                name,
                "vectors" if vectors else "text only",
                figures(want, [got[vectors][i] for i in mine]),
            )


def save(scorer: TrainedScorer, model: str) -> None:
    parts = {"lexical": scorer.lexical, "semantic": scorer.semantic, "raw": scorer.raw}
    arrays = {
        f"{name}_{field}": getattr(head, field).astype(np.float32)
        for name, head in parts.items()
        for field in ("mean", "scale", "weights", "bias")
    }
    np.savez_compressed(
        TARGET,
        names=np.array(scorer.names),
        model=np.array(model),
        centre=np.asarray(scorer.centre),
        **arrays,
    )
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
