"""Putting a core together: the only place that names concrete adapters."""

from memorycore.bootstrap.opening import open_core

__all__ = ["open_core"]
