"""Finds documents that changed since they were read.

The stamps of all documents are checked each time. The rows are compared only if they or the listing changed since the last comparison.
Reads no document.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from everself.frozen import Frozen
from everself.memory.entries import holds_memory
from everself.storage.state.entries import DocumentRow, EntryRows
from everself.values import FileStat
from everself.workspace.protocol import Workspace

# file system clocks are coarse: a file saved again within this time may look unchanged
GRAIN_NS: Final = 2_000_000_000
# looking at one file by its path costs as much as so many files of a listing
_BY_NAME: Final = 6
# raised when the same bytes would give other entries; documents read by an older version are read again
READING: Final = 3


class Survey(NamedTuple):
    """Documents to read, removed documents, their known rows, and names of documents that are not regular files."""

    changed: list[FileStat]
    missing: list[str]
    known: dict[str, DocumentRow]
    odd: tuple[str, ...] = ()


class _Proof(Frozen):
    """A listing that matched the rows, and the mark of those rows."""

    listing: Sequence[FileStat]
    rows: tuple[int, ...]
    odd: tuple[str, ...]


class Surveyor:
    def __init__(self, workspace: Workspace, rows: EntryRows) -> None:
        self._workspace = workspace
        self._rows = rows
        self._proof: _Proof | None = None

    def look(self) -> Survey:
        """Check all documents."""
        # read the mark before the listing: rows that another process writes meanwhile then make the mark stale
        mark, listing, proof = self._rows.documents_mark(), self._workspace.list(), self._proof
        if proof is not None and proof.listing is listing and proof.rows == mark:
            return Survey([], [], {}, proof.odd)
        known = self._rows.documents(None)
        there = {one.path: one for one in listing if holds_memory(one.path)}
        # a folder in place of a document does not mean that its entries are gone
        there |= {path: one for path in known if path not in there and (one := self._workspace.stat(path))}
        odd = tuple(path for path, one in there.items() if one.kind != "file")
        changed = [one for path, one in there.items() if one.kind == "file" and not _is_fresh(one, known.get(path))]
        missing = [path for path in known if path not in there]
        if not (changed or missing):
            self._proof = _Proof(listing, mark, odd)
        return Survey(changed, missing, known, odd)

    def needs_only(self, paths: Sequence[str]) -> bool:
        """Whether it is enough to look at these: each document of the last complete look is still there, the same file, and no other.

        False as well where a complete look is cheaper.
        """
        mark, proof = self._rows.documents_mark(), self._proof
        if proof is None or proof.rows != mark or _BY_NAME * len(paths) > len(proof.listing):
            return False
        return self._workspace.is_named_as(proof.listing)

    def look_at(self, paths: Sequence[str]) -> Survey:
        known = self._rows.documents(paths)
        asked = {path: self._workspace.stat(path) for path in paths if holds_memory(path)}
        stats = {path: one for path, one in asked.items() if one is not None and one.kind == "file"}
        missing = [path for path in asked if path not in stats and path in known]
        return Survey([one for one in stats.values() if not _is_fresh(one, known.get(one.path))], missing, known)


def _is_fresh(one: FileStat, known: DocumentRow | None) -> bool:
    return known is not None and known.stamp == stamp_of(one) and one.mtime_ns + GRAIN_NS < known.read_at


def stamp_of(one: FileStat) -> str:
    return f"{one.device} {one.inode} {one.size} {one.mtime_ns} {one.ctime_ns} {READING}"


def is_current(row: DocumentRow) -> bool:
    return row.stamp.split()[5:] == [str(READING)]


def hash_of(row: DocumentRow | None) -> str | None:
    """The hash of the bytes that the entries were read from, if this version read them."""
    return row.hash if row is not None and is_current(row) else None
