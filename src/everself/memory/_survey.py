"""Which documents look other than when they were read. Every one is looked at each time; the rows of thousands are compared only when
either they or the files are not what they were at the last comparison. Reads no document."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from everself.frozen import Frozen
from everself.memory.entries import holds_memory
from everself.storage.state.entries import DocumentRow, EntryRows
from everself.values import FileStat
from everself.workspace.protocol import Workspace

# a file saved again within this time of being read may look unchanged: clocks of file systems are coarse
GRAIN_NS: Final = 2_000_000_000
# raised whenever the same bytes would give other entries; what an older reader noted is read again
READING: Final = 3


class Survey(NamedTuple):
    """Documents to read, those that are gone, how these were known, and what has a document's name and is no file."""

    changed: list[FileStat]
    missing: list[str]
    known: dict[str, DocumentRow]
    odd: tuple[str, ...] = ()


class _Proof(Frozen):
    """A listing in which nothing differed from the rows, which had this mark."""

    listing: Sequence[FileStat]
    rows: tuple[int, ...]
    odd: tuple[str, ...]


class Surveyor:
    def __init__(self, workspace: Workspace, rows: EntryRows) -> None:
        self._workspace = workspace
        self._rows = rows
        self._proof: _Proof | None = None

    def look(self) -> Survey:
        """At all documents."""
        # the rows first: one that another process writes meanwhile makes the mark an old one
        mark, listing, proof = self._rows.documents_mark(), self._workspace.list(), self._proof
        if proof is not None and proof.listing is listing and proof.rows == mark:
            return Survey([], [], {}, proof.odd)
        known = self._rows.documents(None)
        there = {one.path: one for one in listing if holds_memory(one.path)}
        # a folder in the place of a document is no reason to take what it held for gone
        there |= {path: one for path in known if path not in there and (one := self._workspace.stat(path))}
        odd = tuple(path for path, one in there.items() if one.kind != "file")
        changed = [one for path, one in there.items() if one.kind == "file" and not _is_fresh(one, known.get(path))]
        missing = [path for path in known if path not in there]
        if not (changed or missing):
            self._proof = _Proof(listing, mark, odd)
        return Survey(changed, missing, known, odd)

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
