"""The learned part of routing: one small linear layer over structure and, when there is one, vector."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat

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
    """Weights of shape (inputs, outputs) and a bias; four outputs to route: cold, hot, stale, protected."""

    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]

    def chances(self, inputs: npt.NDArray[np.float32]) -> tuple[float, ...]:
        """Return the logistic of every output, for layers whose outputs stand on their own."""
        scores = _within_bounds(inputs @ self.weights + self.bias)
        return tuple((1.0 / (1.0 + np.exp(-scores))).tolist())

    def predict(self, inputs: npt.NDArray[np.float32]) -> Prediction:
        """Return the softmax over the routes and the logistic of the fourth output."""
        scores = inputs @ self.weights + self.bias
        routes = np.exp(scores[:3] - scores[:3].max())
        cold, hot, stale = (routes / routes.sum()).tolist()
        protected = 1.0 / (1.0 + np.exp(-_within_bounds(scores[3:])).item())
        return Prediction(cold, hot, stale, protected)


def _within_bounds(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.minimum(np.maximum(scores, np.float32(-60.0)), np.float32(60.0))


@dataclass(frozen=True, slots=True)
class LayerPair:
    """The same outputs learned twice: with the vector of one model, and without any vector.

    `names` are the structural features the layers were trained on, in that order; a feature that
    the running code no longer makes counts as 0. `with_vector` is None when the embedder in use is
    not the one the layer was trained for.
    """

    names: tuple[str, ...]
    without_vector: LinearLayer
    with_vector: LinearLayer | None

    def fitting(
        self, features: Mapping[str, float], vector: Vector | None
    ) -> tuple[LinearLayer, npt.NDArray[np.float32]]:
        """Return the layer that can be used and its inputs; `vector` is a raw unit passage vector."""
        known = map(features.get, self.names, repeat(0.0))
        structure = np.fromiter(known, dtype=np.float32, count=len(self.names))
        layer = self.with_vector
        if vector is None or layer is None:
            return self.without_vector, structure
        if len(vector) + len(structure) != len(layer.weights):
            return self.without_vector, structure
        return layer, np.concatenate([vector * np.float32(VECTOR_SCALE), structure])


@dataclass(frozen=True, slots=True)
class RoutingHead:
    """What was learned of routing; `lasting` knows which hot texts every turn needs, None when not learned."""

    routes: LayerPair
    lasting: LayerPair | None = None

    def predict(self, features: Mapping[str, float], vector: Vector | None) -> Prediction:
        """Return the probabilities for one text; `vector` is its raw unit passage vector, or None."""
        layer, inputs = self.routes.fitting(features, vector)
        return layer.predict(inputs)

    def needed(
        self, features: Mapping[str, float], vector: Vector | None
    ) -> tuple[float, float] | None:
        """Return how likely every turn needs the text and how likely it is a red line; None if not learned."""
        if self.lasting is None:
            return None
        layer, inputs = self.lasting.fitting(features, vector)
        needed, red_line = layer.chances(inputs)
        return needed, red_line
