"""How far what was found or read is to be trusted: the sources that its entries rest on."""

from collections.abc import Sequence

from everself.memory.memory import Memory
from everself.memory.provenance import HAND, IMPORT
from everself.values import Hit


def sources_of_lines(memory: Memory, path: str, first: int, last: int) -> list[str]:
    """The sources that the entries in these lines rest on, each once."""
    entries = [one for one in memory.catalog.of(path) if one.first_line <= last and one.last_line >= first]
    return list(dict.fromkeys(memory.trust(one) for one in entries))


def sources_of_hits(memory: Memory, hits: Sequence[Hit]) -> list[str]:
    """The least trusted source that each of what was found rests on."""
    entries = memory.catalog.named([hit.entry for hit in hits if hit.entry])

    def source(hit: Hit) -> str:
        if hit.imported:
            return IMPORT
        entry = entries.get(hit.entry)
        return memory.trust(entry) if entry is not None else HAND

    return [source(hit) for hit in hits]
