"""Reading an endpoint's answer without trusting it."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from memorycore.errors import EmbedderError


def vectors_in(body: bytes) -> npt.NDArray[np.float64]:
    """The vectors of an answer in the order of the texts, float64 (vectors, dimension).

    Raises:
        EmbedderError: it is not an answer to an embedding request.
    """
    try:
        items: list[Any] = json.loads(body)["data"]
        ordered = sorted(enumerate(items), key=lambda item: int(item[1].get("index", item[0])))
        matrix = np.array([item["embedding"] for _, item in ordered], dtype=np.float64)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as fault:
        raise EmbedderError("the endpoint's answer is not a list of embeddings") from fault
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise EmbedderError("the endpoint's answer is not a list of embeddings")
    return matrix
