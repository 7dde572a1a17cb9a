"""Made-up origins for tests. Product code must not use them."""

from everself.values import Origin


def origin_of(source: str, *lineage: str) -> Origin:
    """As if the words had come from that source."""
    return Origin(source, "test", tuple(lineage))
