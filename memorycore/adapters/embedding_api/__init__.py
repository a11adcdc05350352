"""Vectors from any OpenAI-compatible endpoint: ollama, vLLM, OpenAI, and their like."""

from memorycore.adapters.embedding_api.embedder import ApiEmbedder, EndpointLimits
from memorycore.adapters.embedding_api.prefixes import prefixes_of

__all__ = ["ApiEmbedder", "EndpointLimits", "prefixes_of"]
