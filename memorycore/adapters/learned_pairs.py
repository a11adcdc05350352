"""Loads the pair scorer that `stress/train_pairs.py` made from the labelled pairs."""

from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

from memorycore.errors import ConfigurationError
from memorycore.policy.relation.scoring import LinearHead, PairScorer, TrainedScorer

_PACKAGE = "memorycore.adapters"
_FILE = "weights/pairs.npz"


def load_pair_scorer(model: str | None) -> PairScorer | None:
    """Return the trained scorer for vectors of the embedder called `model`; None without a weight file.

    For another model than the one it was trained with, or None, the scorer reads the texts only:
    vectors of other models mean nothing to its weights.

    Raises:
        ConfigurationError: the weight file is damaged.
    """
    file = resources.files(_PACKAGE).joinpath(_FILE)
    if not file.is_file():
        return None
    try:
        with file.open("rb") as opened, np.load(opened) as stored:
            arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
        known = model == str(arrays["model"])
        return TrainedScorer(
            names=tuple(str(name) for name in arrays["names"]),
            lexical=_head(arrays, "lexical"),
            semantic=_head(arrays, "semantic") if known else None,
            raw=_head(arrays, "raw") if known else None,
            centre=np.asarray(arrays["centre"], dtype=np.float32) if known else None,
        )
    except (OSError, ValueError, KeyError) as fault:
        raise ConfigurationError(f"pair weights {_FILE} cannot be read: {fault}") from fault


def _head(arrays: Mapping[str, Any], part: str) -> LinearHead:
    mean, scale, weights, bias = (
        np.asarray(arrays[f"{part}_{field}"], dtype=np.float64)
        for field in ("mean", "scale", "weights", "bias")
    )
    return LinearHead(mean, scale, weights, bias)
