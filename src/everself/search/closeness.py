"""Reads the semantic similarity of a hit from the parts of its score."""

from everself.search._weights import WITH_MEANING
from everself.search.similarity import calibrated, curve_of
from everself.values import Hit


def meaning_of(hit: Hit, model: str) -> float | None:
    """From 0 to 1 and alike for every embedder that was measured; nothing where the search compared no vectors."""
    part = next((one.value for one in hit.parts if one.name == "meaning"), None)
    return None if part is None else calibrated(part / WITH_MEANING.order.meaning, curve_of(model))
