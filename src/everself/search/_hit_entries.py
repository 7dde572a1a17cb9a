"""Finds the entries of hits. Knows no scores.

A search ranks eighty hits and shows six. The entries of the others matter only where a hit is closed, so they are not looked up.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from everself.errors import EverselfError
from everself.search._hit_parts import rank_of
from everself.search.chunking.marks import Flag
from everself.values import Entry, Hit

if TYPE_CHECKING:
    from everself.memory.catalog import Catalog
    from everself.search.arrays import Numbers
    from everself.search.index_file.view import Snapshot
    from everself.search.snippets import SnippetSource


class HitEntries:
    """`ranked` are the chunks of a search, by rank."""

    def __init__(self, catalog: "Catalog", view: "Snapshot", served: "SnippetSource", ranked: "Numbers") -> None:
        self._catalog = catalog
        self._view = view
        self._served = served
        self._ranked = ranked

    def of(self, hits: Iterable[Hit]) -> dict[int, Entry]:
        """The entries by the rank of the hit. Hits of other files, and of documents that cannot be read or have just changed, have none."""
        ranks = [rank_of(hit) for hit in hits]
        view, served = self._view, self._served
        flags = view.columns["flags"]
        wanted: dict[int, tuple[str, int]] = {}
        for rank, chunk in zip(ranks, served.chunks(self._ranked[ranks].tolist()), strict=True):
            # assigning ids in a document that is too large would take minutes
            whole = not view.documents[chunk.document].cut and chunk.document not in served.skipped
            if whole and not int(flags[chunk.number]) & int(Flag.IMPORTED):
                wanted[rank] = served.path(chunk.document), chunk.entry
        asked: dict[str, set[int]] = {}
        for path, ordinal in wanted.values():
            asked.setdefault(path, set()).add(ordinal)
        try:
            found = self._catalog.at(asked, served.held()) if asked else {}
        except EverselfError:
            return {}
        return {rank: found[place] for rank, place in wanted.items() if place in found}
