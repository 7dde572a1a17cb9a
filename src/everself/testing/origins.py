"""Invented origins for tests. Product code must not use them."""

from everself.values import Origin


def origin_of(source: str, *lineage: str) -> Origin:
    """An origin with this source."""
    return Origin(source, "test", tuple(lineage))
