"""The trained scorer of pairs: what it must answer, and a linear one."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from memorycore.model.relation import Relation

Vector = npt.NDArray[np.float32]
Odds = tuple[float, ...]

CLASSES = (
    Relation.SAME,
    Relation.SIMILAR,
    Relation.UPDATE,
    Relation.REVERSAL,
    Relation.DISTINCT,
)
"""The order in which weights and probabilities are laid out."""


class PairScorer(Protocol):
    """Rates how likely each relation is; it only proposes, guards dispose."""

    def probabilities(
        self,
        features: Mapping[str, float],
        older_vector: Vector | None,
        newer_vector: Vector | None,
    ) -> Odds:
        """Return five probabilities in the order of `CLASSES`, summing to 1."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LinearHead:
    """Multinomial logistic regression over standardised features.

    Attributes:
        mean: of each feature, shape (n,); `scale`: its spread, shape (n,).
        weights: shape (n, 5); `bias`: shape (5,).
    """

    mean: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    bias: npt.NDArray[np.float64]

    def logits(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the five logits for one row of features."""
        return np.asarray(((values - self.mean) / self.scale) @ self.weights + self.bias)


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """A map from one row of features to five logits.

    Attributes:
        matrix: shape (5, n), in memory row by row, which a product with a row of features is fastest on.
        offset: shape (5,).
    """

    matrix: npt.NDArray[np.float64]
    offset: npt.NDArray[np.float64]

    @classmethod
    def of(cls, head: LinearHead) -> Self:
        """Return what a head does to features that are not standardised yet."""
        weights = head.weights / head.scale[:, None]
        return cls(np.ascontiguousarray(weights.T), head.bias - head.mean @ weights)

    def probabilities(self, values: npt.NDArray[np.float64]) -> Odds:
        """Return the five probabilities for one row of features."""
        logits = (self.matrix.dot(values) + self.offset).tolist()
        top = max(logits)
        raised = [math.exp(logit - top) for logit in logits]
        total = sum(raised)
        return tuple([each / total for each in raised])


@dataclass(frozen=True, slots=True, eq=False)
class TrainedScorer:
    """The scorer trained from labelled pairs: one head for text alone, one that also reads vectors.

    Attributes:
        names: order of the text features.
        lexical: head over the text features.
        semantic: head over the text features, those of `vector_features` and the logits of `raw`;
            None without vectors.
        raw: head over `vector_relation`.
        centre: mean passage vector of the embedder, shape (dimension,).
    """

    names: tuple[str, ...]
    lexical: LinearHead
    semantic: LinearHead | None = None
    raw: LinearHead | None = None
    centre: Vector | None = None
    _from_text: Affine = field(init=False, repr=False)
    _from_all: Affine | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # All heads are linear, so each question takes one product.
        object.__setattr__(self, "_from_text", Affine.of(self.lexical))
        joined = None
        if self.semantic is not None and self.raw is not None:
            joined = _joined(self.semantic, self.raw)
        object.__setattr__(self, "_from_all", joined)

    def probabilities(
        self,
        features: Mapping[str, float],
        older_vector: Vector | None,
        newer_vector: Vector | None,
    ) -> Odds:
        """Return five probabilities; vectors of another length than the centre are ignored."""
        values = map(features.__getitem__, self.names)
        if (
            self._from_all is None
            or self.centre is None
            or older_vector is None
            or newer_vector is None
            or not older_vector.shape == newer_vector.shape == self.centre.shape
        ):
            return self._from_text.probabilities(_row(values))
        near = vector_features(older_vector, newer_vector, self.centre)
        related = _related(older_vector, newer_vector)
        return self._from_all.probabilities(np.concatenate([_row((*values, *near)), *related]))


def _row(values: Iterable[float]) -> npt.NDArray[np.float64]:
    return np.fromiter(values, dtype=np.float64)


def _joined(semantic: LinearHead, raw: LinearHead) -> Affine:
    """Return one map over the text features, `vector_features` and `vector_relation`.

    The last inputs of `semantic` are the logits of `raw`.
    """
    outer, inner = Affine.of(semantic), Affine.of(raw)
    own, said = outer.matrix[:, : -len(CLASSES)], outer.matrix[:, -len(CLASSES) :]
    return Affine(
        np.ascontiguousarray(np.hstack([own, said @ inner.matrix])),
        outer.offset + said @ inner.offset,
    )


def vector_features(older: Vector, newer: Vector, centre: Vector) -> tuple[float, float]:
    """Return the cosine of two unit vectors, and their cosine after the centre is subtracted."""
    a, b = older - centre, newer - centre
    norm = float(np.sqrt(a.dot(a)) * np.sqrt(b.dot(b))) or 1.0
    return float(older.dot(newer)), float(a.dot(b)) / norm


def vector_relation(older: Vector, newer: Vector) -> npt.NDArray[np.float64]:
    """Return the distance, product and difference of two vectors, component by component."""
    return np.concatenate(_related(older, newer)).astype(np.float64)


def _related(older: Vector, newer: Vector) -> tuple[Vector, Vector, Vector]:
    gap = older - newer
    return np.abs(gap), older * newer, gap
