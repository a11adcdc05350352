"""Texts on their way to a model: no memory may end the frame it is shown in."""

from collections.abc import Mapping
from typing import Any

from memorycore.policy.screening import neutralise


def harmless(value: Any) -> Any:
    """Return `value` with every text in it safe to be read by a model: no tag in it closes a frame.

    What is stored stays as it was written.
    """
    match value:
        case str():
            return neutralise(value)
        case Mapping():
            return {key: harmless(item) for key, item in value.items()}
        case list() | tuple():
            return [harmless(item) for item in value]
        case _:
            return value
