"""A cache of recently used exact vectors: reading one from the file takes as long as comparing a hundred.

A ring: new vectors replace the oldest. Rows never change and numbers are never reused, so entries stay valid.
"""

from typing import TYPE_CHECKING, Final

import numpy

from everself.search.index_file.vectors import fetch_vectors

if TYPE_CHECKING:
    import apsw

    from everself.search.arrays import Floats, Halves, Numbers
    from everself.search.index_file.rows import CodeSlot


# nearly a hundred thousand vectors of 512 dimensions; memory is used only when it is written
RING_BYTES: Final = 192 * 1024 * 1024
_AT_ONCE: Final = 64


class VectorCache:
    """Caches the vectors of one slot at a time."""

    def __init__(self, size: int = RING_BYTES) -> None:
        self._size = size
        self._slot = 0
        # float32, because a conversion would take longer than all the rest
        self._ring: Floats = numpy.empty((0, 0), numpy.float32)
        # the id at each position of the ring, and the position of each id (-1: none)
        self._owners: Numbers = numpy.empty(0, numpy.int32)
        self._places: Numbers = numpy.empty(0, numpy.int32)
        self._room: Floats = numpy.empty((0, 0), numpy.float32)
        self._next = 0

    def score(
        self, connection: "apsw.Connection", ids: "Numbers", slot: "CodeSlot", vector: "Floats"
    ) -> "tuple[Numbers, Floats]":
        """Sorted ids and the cosine of each with the vector, for distinct sorted ids; missing ones are left out."""
        self._fit(slot, int(ids.max(initial=0)))
        places = self._places[ids]
        there = places >= 0
        held, scores = ids[there], self._dots(places[there], vector)
        if len(held) == len(ids):
            return held, scores
        read, rows = fetch_vectors(connection, ids[~there], slot)
        both = numpy.concatenate([held, read])
        order = numpy.argsort(both)
        parts = [scores]
        # at most the capacity at once
        for start in range(0, len(read), len(self._owners)):
            some = slice(start, start + len(self._owners))
            parts.append(self._dots(self._keep(read[some], rows[some]), vector))
        return both[order], numpy.concatenate(parts)[order]

    def rows(self, connection: "apsw.Connection", ids: "Numbers", slot: "CodeSlot") -> "tuple[Numbers, Floats]":
        """Sorted ids and the vector of each, for distinct sorted ids; missing ones are left out."""
        self._fit(slot, int(ids.max(initial=0)))
        places = self._places[ids]
        there = places >= 0
        held, table = ids[there], self._ring[places[there]]
        if len(held) == len(ids):
            return held, table
        # read without keeping: chunks that were just scored are kept already, unless the ring is smaller than they are
        read, rows = fetch_vectors(connection, ids[~there], slot)
        both = numpy.concatenate([held, read])
        order = numpy.argsort(both)
        return both[order], numpy.concatenate([table, rows.astype(numpy.float32)])[order]

    def _dots(self, places: "Numbers", vector: "Floats") -> "Floats":
        """Dot products row by row, so that a score does not depend on the other rows; in small batches, to reuse memory."""
        found = numpy.empty(len(places), numpy.float32)
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            rows = self._room[: len(some)]
            self._ring.take(some, axis=0, out=rows, mode="clip")
            numpy.vecdot(rows, vector, out=found[start : start + len(some)])
        return found

    def _fit(self, slot: "CodeSlot", last: int) -> None:
        if self._slot != slot.number:
            room = max(1, self._size // (slot.dimensions * 4))
            self._ring = numpy.empty((room, slot.dimensions), numpy.float32)
            self._room = numpy.empty((_AT_ONCE, slot.dimensions), numpy.float32)
            self._owners = numpy.zeros(room, numpy.int32)
            self._places = self._places[:0]
            self._slot, self._next = slot.number, 0
        if last >= len(self._places):
            more = numpy.full(max(last + 1 - len(self._places), len(self._places)), -1, numpy.int32)
            self._places = numpy.concatenate([self._places, more])

    def _keep(self, ids: "Numbers", rows: "Halves") -> "Numbers":
        """Store the rows and return their positions."""
        room = len(self._owners)
        taken = ((self._next + numpy.arange(len(ids))) % room).astype(numpy.int32)
        # number 0 belongs to no chunk, so clearing it for unused positions is harmless
        self._places[self._owners[taken]] = -1
        self._owners[taken], self._places[ids], self._ring[taken] = ids, taken, rows
        self._next = (self._next + len(ids)) % room
        return taken
