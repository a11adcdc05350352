"""The default embedder: multilingual-e5-small, in the package, offline, without torch."""

from memorycore.adapters.embedding_bundled.embedder import BundledEmbedder

__all__ = ["BundledEmbedder"]
