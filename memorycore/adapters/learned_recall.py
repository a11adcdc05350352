"""Loads what `stress/train_recall.py` measured about the bundled model and about common words."""

import functools
import tomllib
from importlib import resources
from typing import Any

import numpy as np

from memorycore.errors import ConfigurationError
from memorycore.policy.calibration import SpacePrior
from memorycore.policy.overview import OverviewWords, overview_words
from memorycore.policy.recall_prior import RecallPrior

_PACKAGE = "memorycore.adapters"
_FILE = "weights/recall.npz"


def load_recall_prior(model: str | None) -> RecallPrior:
    """Return what is known before a store has memories; its space is None for another model than `model`.

    Raises:
        ConfigurationError: the package's file is missing or damaged.
    """
    try:
        with resources.files(_PACKAGE).joinpath(_FILE).open("rb") as file, np.load(file) as stored:
            arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
        shares = zip(arrays["tokens"].tolist(), arrays["shares"].tolist(), strict=True)
        space = SpacePrior(
            model=str(arrays["model"]),
            mean=arrays["mean"].astype(np.float32),
            centroids=arrays["centroids"].astype(np.float32),
            noise=float(arrays["noise"]),
            subject=arrays["subject"].astype(np.float32),
        )
        return RecallPrior(
            common={str(token): float(share) for token, share in shares},
            space=space if space.model == model else None,
            overview=_overview_words(),
        )
    except (OSError, ValueError, KeyError) as fault:
        raise ConfigurationError(f"recall weights {_FILE} cannot be read: {fault}") from fault


@functools.lru_cache(maxsize=1)
def _overview_words() -> OverviewWords:
    file = resources.files("memorycore.policy").joinpath("overview.toml")
    return overview_words(tomllib.loads(file.read_text("utf-8")))
