"""Prices of embedding models, as published on the date given here. Knows no free tiers or discounts."""

from collections.abc import Mapping
from types import MappingProxyType

from everself.models.embedding.protocol import Embedder

AS_OF = "2025-11-01"

# dollars for a million tokens
PRICES: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        ("openai", "text-embedding-3-small"): 0.02,
        ("openai", "text-embedding-3-large"): 0.13,
        ("openai", "text-embedding-ada-002"): 0.10,
        ("gemini", "text-embedding-004"): 0.0,
        ("gemini", "gemini-embedding-001"): 0.15,
        ("voyage", "voyage-3.5"): 0.06,
        ("voyage", "voyage-3.5-lite"): 0.02,
        ("voyage", "voyage-3-large"): 0.18,
        ("voyage", "voyage-code-3"): 0.18,
    }
)


def estimate_cost(embedder: Embedder, tokens: int) -> float | None:
    """Dollars for so many tokens; None where the price is not known."""
    if not embedder.paid:
        return 0.0
    price = PRICES.get((embedder.provider, embedder.model))
    return None if price is None else price * tokens / 1_000_000
