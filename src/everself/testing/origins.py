"""Origins for those who test: whose words a text is, made up. Nothing in the house may be given one of these."""

from everself.values import Origin


def origin_of(source: str, *lineage: str) -> Origin:
    """As if the words had come from that source."""
    return Origin(source, "test", tuple(lineage))
