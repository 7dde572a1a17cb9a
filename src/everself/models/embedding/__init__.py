"""Embedders behind one protocol: a model in this process, a service, or the user's own model file.

Importing this package loads neither numpy nor weights nor an HTTP client; the first `embed` does. Knows texts and vectors, not where they
are stored.
"""

from everself.errors import EmbeddingFailed
from everself.models.embedding._checked import CheckedEmbedder, RetryPolicy
from everself.models.embedding._factory import estimate_cost, misses_second, open_embedder, open_second, wants_second
from everself.models.embedding._fallback import Unavailable, WithFallback, pin
from everself.models.embedding.protocol import Embedder, Purpose

__all__ = [
    "CheckedEmbedder",
    "Embedder",
    "EmbeddingFailed",
    "Purpose",
    "RetryPolicy",
    "Unavailable",
    "WithFallback",
    "estimate_cost",
    "misses_second",
    "open_embedder",
    "open_second",
    "pin",
    "wants_second",
]
