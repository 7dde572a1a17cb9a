"""Finds the current replacement of closed entries. Reads the catalog; changes nothing."""

from collections.abc import Iterable
from typing import Final

from everself.memory.catalog import Catalog
from everself.values import Entry

# limit of corrections of one fact in a row: a weight reported every week has some hundred in two years
_MOST_STEPS: Final = 200


def successors(catalog: Catalog, entries: Iterable[Entry]) -> dict[str, Entry]:
    """For the id of each closed entry, the open entry that finally replaced it; absent if there is none.

    All entries are followed together, one step at a time. Otherwise each version of an often corrected fact would be followed through all
    later ones.
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
