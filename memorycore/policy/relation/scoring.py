"""The trained scorer of pairs: what it must answer, and a linear one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from memorycore.model.relation import Relation

Vector = npt.NDArray[np.float32]

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
    ) -> npt.NDArray[np.float64]:
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

    def probabilities(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the five probabilities for one row of features."""
        logits = self.logits(values)
        raised = np.exp(logits - logits.max())
        return np.asarray(raised / raised.sum(), dtype=np.float64)


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

    def probabilities(
        self,
        features: Mapping[str, float],
        older_vector: Vector | None,
        newer_vector: Vector | None,
    ) -> npt.NDArray[np.float64]:
        """Return five probabilities; vectors of another length than the centre are ignored."""
        values = np.array([features[name] for name in self.names], dtype=np.float64)
        if (
            self.semantic is None
            or self.raw is None
            or self.centre is None
            or older_vector is None
            or newer_vector is None
            or not older_vector.shape == newer_vector.shape == self.centre.shape
        ):
            return self.lexical.probabilities(values)
        near = vector_features(older_vector, newer_vector, self.centre)
        said = self.raw.logits(vector_relation(older_vector, newer_vector))
        return self.semantic.probabilities(np.concatenate([values, near, said]))


def vector_features(older: Vector, newer: Vector, centre: Vector) -> npt.NDArray[np.float64]:
    """Return the cosine of two unit vectors, and their cosine after the centre is subtracted."""
    a, b = older - centre, newer - centre
    norm = float(np.linalg.norm(a) * np.linalg.norm(b)) or 1.0
    return np.array([float(older @ newer), float(a @ b) / norm], dtype=np.float64)


def vector_relation(older: Vector, newer: Vector) -> npt.NDArray[np.float64]:
    """Return the distance, product and difference of two vectors, component by component."""
    gap = older - newer
    return np.concatenate([np.abs(gap), older * newer, gap]).astype(np.float64)
