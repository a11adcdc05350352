"""The command line."""

from memorycore.entrypoints.cli.running import main

__all__ = ["main"]
