"""Copies whole trees into one file, so that a consistent state is captured quickly and packed later.

A tree is copied twice: first without a lock, then again while nobody else writes, which copies only what changed in
between. The caller keeps others from writing in the second pass. Handles files and their bytes; never follows links,
devices and the like.
"""

import errno
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from everself.clock import system_now
from everself.errors import EverselfError, NoPermission, NotFound, UnsafePath
from everself.frozen import Frozen
from everself.storage.filesystem import TEMPORARY_PREFIX, FileSystem, disk_errors
from everself.storage.paths import find_fault
from everself.storage.writes import write_all
from everself.values import FileStat

CHUNK = 1 << 20
TRIES = 5
# File systems store times in steps of some milliseconds, FAT of two seconds: a file modified less than one step before
# it was copied may change again without a visible new time.
_STEP_NS = 4_000_000_000


class CopiedFile(Frozen):
    """One copied file. `steady` is false if the file changed during every attempt to read it."""

    path: str
    size: int
    sha256: str
    mode: int
    mtime: int
    offset: int
    steady: bool = True


class SkippedPath(Frozen):
    """A path that was not copied, and the reason."""

    path: str
    reason: str


class TreeCopy(Frozen):
    """A tree as it was copied: its files, its empty folders, and the paths left out."""

    files: tuple[CopiedFile, ...] = ()
    empty_folders: tuple[str, ...] = ()
    left_out: tuple[SkippedPath, ...] = ()


class Spool:
    """A file to which copies are appended. The caller removes it."""

    def __init__(self, files: FileSystem, name: str) -> None:
        self._files = files
        self._name = name
        self._handle = files.create(name)
        self._size = 0

    def close(self) -> None:
        self._handle.close()

    def put(self, source: FileSystem, found: FileStat) -> tuple[int, int, str]:
        """Copy one file, up to the size it was listed with. Returns the copy's offset, size and hash."""
        start, size, hashed = self._size, 0, hashlib.sha256()
        while size < found.size:
            with disk_errors(found.path):
                data = source.read(found.path, size, min(CHUNK, found.size - size))
            if not data:
                break
            write_all(self._handle, data)
            self._size += len(data)
            size += len(data)
            hashed.update(data)
        return start, size, hashed.hexdigest()

    def read(self, copied: CopiedFile) -> Iterator[bytes]:
        at, end = copied.offset, copied.offset + copied.size
        while at < end:
            data = self._files.read(self._name, at, min(CHUNK, end - at))
            if not data:
                raise OSError(errno.EIO, "the copy is shorter than what was written", self._name)
            at += len(data)
            yield data


@dataclass(slots=True)
class Copier:
    """Copies the tree beneath `top` into a spool, any number of times. `skip`: paths that are not part of it."""

    spool: Spool
    source: FileSystem
    top: str = ""
    skip: frozenset[str] = frozenset()
    _known: dict[str, tuple[tuple[int, ...], CopiedFile]] = field(default_factory=dict)

    def take(self) -> TreeCopy:
        """Copy the tree as it is now. Only files that differ from the last call are copied again."""
        files: list[CopiedFile] = []
        empty: list[str] = []
        left_out: list[SkippedPath] = []
        waiting = [self.top]
        while waiting:
            folder = waiting.pop()
            try:
                entries = self._list(folder)
            except (NoPermission, UnsafePath) as error:
                left_out.append(SkippedPath(folder, _reason(error)))
                continue
            if not entries and folder != self.top:
                empty.append(folder)
            for one in entries:
                copied: CopiedFile | None = None
                reason = _objection(one)
                if not reason and one.kind == "directory":
                    waiting.append(one.path)
                elif not reason:
                    try:
                        copied = self._copy(one)
                    except (NoPermission, UnsafePath) as error:
                        reason = _reason(error)
                if reason:
                    left_out.append(SkippedPath(one.path, reason))
                if copied is not None:
                    files.append(copied)
        files.sort(key=lambda one: one.path)
        return TreeCopy(tuple(files), tuple(sorted(empty)), tuple(sorted(left_out, key=lambda one: one.path)))

    def _list(self, folder: str) -> list[FileStat]:
        # a folder that vanished during the walk is empty
        with disk_errors(folder or "the workspace"), suppress(FileNotFoundError):
            return [
                one
                for one in self.source.list(folder)
                if one.path not in self.skip and not one.path.rpartition("/")[2].startswith(TEMPORARY_PREFIX)
            ]
        return []

    def _copy(self, found: FileStat) -> CopiedFile | None:
        """Copy the file as it is now; None if it vanished. Its status is read again afterwards, because somebody may be saving it."""
        known = self._known.get(found.path)
        if known is not None and known[0] == _signature(found):
            return known[1]
        for left in reversed(range(TRIES)):
            calm = int(system_now().timestamp() * 1e9) - _STEP_NS
            try:
                offset, size, hashed = self.spool.put(self.source, found)
            except NotFound:
                return None
            now = self.source.stat(found.path)
            if now is None or now.kind != "file":
                return None
            steady = _signature(now) == _signature(found) and size == found.size
            if steady or not left:
                break
            found = now
        mode = 0o700 if found.mode & 0o100 else 0o600
        copied = CopiedFile(found.path, size, hashed, mode, max(0, found.mtime_ns // 10**9), offset, steady)
        if steady and max(found.ctime_ns, found.mtime_ns) < calm:
            self._known[found.path] = (_signature(found), copied)
        return copied


def _reason(error: EverselfError) -> str:
    return (
        "permission to read it is denied" if isinstance(error, NoPermission) else "it is not a regular file or folder"
    )


def _objection(one: FileStat) -> str:
    if one.kind == "link":
        return "it is a symbolic link"
    if one.kind == "other":
        return "it is neither a file nor a folder"
    if one.kind == "file" and one.links > 1:
        return "it has a second hard link"
    return find_fault(one.path)


def _signature(found: FileStat) -> tuple[int, ...]:
    return (found.device, found.inode, found.size, found.mtime_ns, found.ctime_ns, found.mode)
