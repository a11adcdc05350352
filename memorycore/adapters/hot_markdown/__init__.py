"""The hot files on disk, byte-compatible with the host that shares them."""

from memorycore.adapters.hot_markdown.store import MarkdownHotStore

__all__ = ["MarkdownHotStore"]
