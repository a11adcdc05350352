"""Loads the routing head that `stress/train_routing.py` and `stress/train_lasting.py` made from the labelled texts."""

from importlib import resources
from typing import Any

import numpy as np

from memorycore.errors import ConfigurationError
from memorycore.policy.routing_head import LayerPair, LinearLayer, RoutingHead

_PACKAGE = "memorycore.adapters"
_ROUTES = "weights/routing.npz"
_LASTING = "weights/lasting.npz"


def load_routing_head(model: str | None) -> RoutingHead:
    """Return the trained head for vectors of the embedder called `model`.

    For another model than the one it was trained with, or None, the head knows the structure of
    a text only: vectors of other models mean nothing to its weights.

    Raises:
        ConfigurationError: a weight file of the package is missing or damaged.
    """
    return RoutingHead(routes=_pair(_ROUTES, model), lasting=_pair(_LASTING, model))


def _pair(file_name: str, model: str | None) -> LayerPair:
    try:
        place = resources.files(_PACKAGE).joinpath(file_name)
        with place.open("rb") as file, np.load(file) as stored:
            arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
        return LayerPair(
            names=tuple(str(name) for name in arrays["names"]),
            without_vector=_layer(arrays, "structure"),
            with_vector=_layer(arrays, "vector") if model == str(arrays["model"]) else None,
        )
    except (OSError, ValueError, KeyError) as fault:
        raise ConfigurationError(f"routing weights {file_name} cannot be read: {fault}") from fault


def _layer(arrays: dict[str, Any], part: str) -> LinearLayer:
    weights = np.asarray(arrays[f"{part}_weights"], dtype=np.float32)
    bias = np.asarray(arrays[f"{part}_bias"], dtype=np.float32)
    return LinearLayer(weights, bias)
