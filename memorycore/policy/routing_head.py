"""The learned part of routing: one small linear layer over structure and, when there is one, vector."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]

VECTOR_SCALE = 10.0
"""Factor on a unit vector's values, so that they and the features (0 to 1) are penalised alike."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Probabilities of the three routes (they sum to 1) and, on its own, of being protected."""

    cold: float
    hot: float
    stale: float
    protected: float


@dataclass(frozen=True, slots=True)
class LinearLayer:
    """Weights of shape (inputs, 4) and a bias of 4: cold, hot, stale, protected."""

    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]

    def predict(self, inputs: npt.NDArray[np.float32]) -> Prediction:
        """Return the softmax over the routes and the logistic of the fourth output."""
        scores = inputs @ self.weights + self.bias
        routes = np.exp(scores[:3] - scores[:3].max())
        cold, hot, stale = (float(share) for share in routes / routes.sum())
        protected = 1.0 / (1.0 + float(np.exp(-np.clip(scores[3], -60.0, 60.0))))
        return Prediction(cold, hot, stale, protected)


@dataclass(frozen=True, slots=True)
class RoutingHead:
    """Two layers trained on labelled texts: with the vector of one model, and without any vector.

    `names` are the structural features the layers were trained on, in that order; a feature that
    the running code no longer makes counts as 0. `with_vector` is None when the embedder in use is
    not the one the layer was trained for.
    """

    names: tuple[str, ...]
    without_vector: LinearLayer
    with_vector: LinearLayer | None

    def predict(self, features: Mapping[str, float], vector: Vector | None) -> Prediction:
        """Return the probabilities for one text; `vector` is its raw unit passage vector, or None."""
        structure = np.array([features.get(name, 0.0) for name in self.names], dtype=np.float32)
        layer = self.with_vector
        if vector is None or layer is None:
            return self.without_vector.predict(structure)
        if len(vector) + len(structure) != len(layer.weights):
            return self.without_vector.predict(structure)
        return layer.predict(np.concatenate([vector * np.float32(VECTOR_SCALE), structure]))
