"""Lists the files beneath a folder of the workspace.

Every file is examined each time; results derived from an unchanged listing are reused.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from everself.frozen import Frozen
from everself.storage.filesystem import FileSystem, disk_errors
from everself.storage.paths import find_fault
from everself.values import FileStat

# number of folders that are cached; a workspace has dozens
_MOST: Final = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class _Folder:
    """One folder: its listing, the entries that are not hidden, and the subfolders to enter."""

    path: str
    told: Sequence[FileStat]
    seen: tuple[FileStat, ...]
    below: tuple[str, ...]

    @property
    def inodes(self) -> dict[str, int]:
        start = len(self.path) + 1 if self.path else 0
        return {one.path[start:]: one.inode for one in self.told}


class _Walk(Frozen):
    folders: tuple[_Folder, ...]
    found: tuple[FileStat, ...]
    files: tuple[FileStat, ...]


class Tree:
    """Cached listings of the workspace. Safe in several threads: cached values are replaced, never changed."""

    def __init__(self, files: FileSystem) -> None:
        self._files = files
        self._folders: dict[str, _Folder] = {}
        self._walks: dict[str, _Walk] = {}

    def walk(self, under: str = "") -> Sequence[FileStat]:
        """All files, folders, links and odd files beneath a folder except hidden names, sorted by path."""
        return self._walk(under).found

    def list(self, under: str = "") -> Sequence[FileStat]:
        """The same without folders. Returns the same object as before if nothing has changed."""
        return self._walk(under).files

    def is_named_as(self, listing: Sequence[FileStat]) -> bool:
        """Whether a listing of everything still has each name, and the same file behind it. Examines no file."""
        walk = self._walks.get("")
        if walk is None or walk.files is not listing:
            return False
        with disk_errors("the workspace"), suppress(FileNotFoundError):
            return all(self._files.names(one.path) == one.inodes for one in walk.folders)
        return False

    def folders(self, under: str = "") -> tuple[str, ...]:
        """The folders directly in a folder, except hidden names and those that `walk` does not enter."""
        with disk_errors(under or "the workspace"), suppress(FileNotFoundError):
            return self._folder(under).below
        return ()

    def _walk(self, under: str) -> _Walk:
        folders: list[_Folder] = []
        waiting = [under]
        while waiting:
            path = waiting.pop()
            # a folder that vanished during the walk is empty
            with disk_errors(path or "the workspace"), suppress(FileNotFoundError):
                folder = self._folder(path)
                folders.append(folder)
                waiting += folder.below
        before = self._walks.get(under)
        # folders compare by identity, and an unchanged folder is the same object
        if before is not None and before.folders == tuple(folders):
            return before
        found = tuple(sorted((one for folder in folders for one in folder.seen), key=lambda one: one.path))
        made = _Walk(tuple(folders), found, tuple(one for one in found if one.kind != "directory"))
        if len(self._walks) >= _MOST:
            self._walks = {}
        self._walks[under] = made
        return made

    def _folder(self, path: str) -> _Folder:
        told = self._files.list(path)
        before = self._folders.get(path)
        if before is not None and before.told is told:
            return before
        seen = tuple(one for one in told if not one.path.rpartition("/")[2].startswith("."))
        # a folder whose name is not a valid path is reported, not entered
        below = tuple(one.path for one in seen if one.kind == "directory" and not find_fault(one.path))
        if len(self._folders) >= _MOST:
            self._folders = {}
        made = self._folders[path] = _Folder(path, told, seen, below)
        return made
