"""What holds now in the place of entries that were closed. Reads the catalog; changes nothing."""

from collections.abc import Iterable
from typing import Final

from everself.memory.catalog import Catalog
from everself.values import Entry

# how often one fact may be put right in a row: a weight that is told each week comes to some hundred in two years
_MOST_STEPS: Final = 200


def successors(catalog: Catalog, entries: Iterable[Entry]) -> dict[str, Entry]:
    """By the id of each closed entry, the open one that replaced it, over any number of steps; absent where there is none.

    Looked up step by step for all of them at once: of a fact that is put right again and again, each version would otherwise be
    followed through all that came after it.
    """
    asked = [one for one in entries if one.closed]
    known = {one.id: one for one in asked}
    level = asked
    for _ in range(_MOST_STEPS):
        named = {one.closed_by for one in level if one.closed and one.closed_by} - known.keys()
        if not named:
            break
        found = catalog.named(sorted(named))
        known |= found
        level = list(found.values())
    ends: dict[str, Entry | None] = {}
    for one in asked:
        seen: list[str] = []
        at: Entry | None = one
        while at is not None and at.closed and at.id not in ends and at.id not in seen:
            seen.append(at.id)
            at = known.get(at.closed_by)
        end = None if at is None or at.id in seen else ends.get(at.id) if at.closed else at
        ends.update(dict.fromkeys(seen, end))
    return {one.id: end for one in asked if (end := ends[one.id]) is not None}
