"""The real file system below one folder. Follows no links and opens regular files only.

openat2 resolves a path in one step if the kernel has it; otherwise each component is opened in turn without following
links. Both refuse the same paths. Independent of locks, journals and Markdown.
"""

import errno
import os
import stat as modes
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from everself.storage._kernel_calls import ABSENT, RENAME_EXCHANGE, RENAME_NOREPLACE, openat2, renameat2
from everself.storage.filesystem import READ_LIMIT, TEMPORARY_PREFIX, parent_of
from everself.storage.paths import check_path
from everself.values import FileKind, FileStat

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: otherwise opening a FIFO for reading would wait for a writer forever
PLAIN = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY

# temporary name of a reservation, on file systems without unnamed files
RESERVE = f"{TEMPORARY_PREFIX}reserve"

# a write checks the same names a dozen times, a search thousands; refusals are not cached
_check = lru_cache(maxsize=8192)(check_path)


# number of folders whose listings are cached; a workspace has dozens
_MOST_LISTED = 1_000


def kind_of(mode: int) -> FileKind:
    if modes.S_ISREG(mode):
        return "file"
    if modes.S_ISDIR(mode):
        return "directory"
    return "link" if modes.S_ISLNK(mode) else "other"


# mode, links, device, inode, size, mtime and ctime: everything that a FileStat reports
_Look = tuple[int, int, int, int, int, int, int]


# The status with times in nanoseconds: two `stat_result` compare equal within one second, although the file was saved in between. Made in
# C, because a listing asks it of thousands of files.
_look: Callable[[os.stat_result], _Look] = attrgetter(
    "st_mode", "st_nlink", "st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns"
)


def _told(path: str, look: _Look) -> FileStat:
    mode, links, device, inode, size, mtime_ns, ctime_ns = look
    # positional arguments: a search builds thousands of these, and keywords cost a third more
    kind: FileKind = "file" if modes.S_ISREG(mode) else kind_of(mode)
    return FileStat(path, kind, size, modes.S_IMODE(mode), links, device, inode, mtime_ns, ctime_ns)


class _Listing(NamedTuple):
    """A listed folder: its names in the order of the disk, what was seen of each, and the same as values, sorted."""

    names: list[str]
    looks: list[_Look]
    found: tuple[FileStat, ...]


def _look_at(folder: int, name: str) -> _Look | None:
    """The status of a name in an open folder; None if it disappeared after the folder was listed."""
    try:
        return _look(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _changed(folder: int, before: _Listing) -> dict[str, _Look | None]:
    """The names whose status is another one now. Keeps nothing of the others: thousands of kept tuples would set off the collector."""
    changed: dict[str, _Look | None] = {}
    for name, known in zip(before.names, before.looks, strict=True):
        try:
            look = _look(os.stat(name, dir_fd=folder, follow_symlinks=False))
        except FileNotFoundError:
            changed[name] = None
            continue
        if look != known:
            changed[name] = look
    return changed


def told(path: str, found: os.stat_result) -> FileStat:
    return _told(path, _look(found))


def refuse_odd(found: os.stat_result, path: str) -> None:
    if not modes.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    # A second name outside the workspace would let a write here change a file there.
    if found.st_nlink > 1:
        raise OSError(errno.EMLINK, "a second hard link", path)


# Plain classes instead of `contextmanager`: a write enters a hundred of these, and a generator costs as much as a
# system call.
class Naming:
    """Sets the file name of OSErrors to the requested path: the kernel was given only its last part, or a descriptor.

    With two paths, ENOENT refers to the first one (the source) and any other error to the second (the target). An error
    that already names an absolute path, such as the root itself, stays unchanged.
    """

    __slots__ = ("_other", "_path")

    def __init__(self, path: str, other: str = "") -> None:
        self._path = path
        self._other = other

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not (isinstance(error.filename, str) and error.filename.startswith("/")):
            error.filename = self._other if self._other and error.errno != errno.ENOENT else self._path


class OpenDescriptor:
    """A directory descriptor that is closed at the end, and the name to use beneath it."""

    __slots__ = ("_descriptor", "_name")

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._name = name

    def __enter__(self) -> tuple[int, str]:
        return self._descriptor, self._name

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


class RealHandle:
    """An open descriptor."""

    def __init__(self, descriptor: int, path: str) -> None:
        self._descriptor = descriptor
        self._path = path

    def write(self, data: bytes) -> int:
        with Naming(self._path):
            return os.write(self._descriptor, data)

    def sync(self) -> None:
        with Naming(self._path):
            os.fsync(self._descriptor)

    def stat(self) -> FileStat:
        return told(self._path, os.fstat(self._descriptor))

    def close(self) -> None:
        os.close(self._descriptor)


class RealReservation:
    """An open unnamed file: the kernel frees it whatever happens to the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def release(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


class RealFileSystem:
    """The tree beneath `root`. The root itself may be reached through links: that is the person's own choice."""

    def __init__(self, root: str, *, walk_only: bool = False, remembers: bool = False) -> None:
        """`remembers`: return the same FileStat objects for a folder whose files have not changed, which saves time
        with thousands of files.
        """
        self.root = os.path.realpath(root)
        self._open2 = None if walk_only else openat2
        self._listed: dict[str, _Listing] | None = {} if remembers else None

    def stat(self, path: str) -> FileStat | None:
        try:
            with self._above(path) as (folder, name), Naming(path):
                return told(path, os.stat(name, dir_fd=folder, follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list(self, path: str) -> Sequence[FileStat]:
        """List a folder. Every file is examined each time; an unchanged folder may return the same objects as before."""
        with self._folder(path) as (folder, _), Naming(path):
            names = os.listdir(folder)
            before = self._listed.get(path) if self._listed is not None else None
            if before is not None and before.names == names:
                changed = _changed(folder, before)
                if not changed:
                    return before.found
                looks = {**dict(zip(names, before.looks, strict=True)), **changed}
            else:
                looks = {name: _look_at(folder, name) for name in names}
        there = {name: look for name, look in looks.items() if look is not None}
        prefix = f"{path}/" if path else ""
        found = tuple(_told(prefix + name, there[name]) for name in sorted(there))
        if self._listed is not None:
            if len(self._listed) >= _MOST_LISTED:
                self._listed.clear()
            self._listed[path] = _Listing(list(there), list(there.values()), found)
        return found

    def names(self, path: str) -> Mapping[str, int]:
        with self._folder(path) as (folder, _), Naming(path), os.scandir(folder) as entries:
            return {entry.name: entry.inode() for entry in entries}

    def read(self, path: str, start: int = 0, limit: int = READ_LIMIT) -> bytes:
        descriptor = self._open(path, os.O_RDONLY | PLAIN)
        try:
            with Naming(path):
                refuse_odd(os.fstat(descriptor), path)
                parts: list[bytes] = []
                while limit > 0:
                    part = os.pread(descriptor, min(limit, 1 << 20), start)
                    if not part:
                        break
                    parts.append(part)
                    start += len(part)
                    limit -= len(part)
                return b"".join(parts)
        finally:
            os.close(descriptor)

    def create(self, path: str) -> RealHandle:
        with self._above(path) as (folder, name), Naming(path):
            return RealHandle(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PLAIN, 0o600, dir_fd=folder), path)

    def open_append(self, path: str) -> RealHandle:
        descriptor = self._open(path, os.O_WRONLY | os.O_APPEND | PLAIN)
        try:
            refuse_odd(os.fstat(descriptor), path)
        except OSError:
            os.close(descriptor)
            raise
        return RealHandle(descriptor, path)

    def rename(self, source: str, target: str) -> None:
        if parent_of(source) == parent_of(target):
            _check(target)
            with self._above(source) as (here, name), Naming(source, target):
                os.rename(name, target.rpartition("/")[2], src_dir_fd=here, dst_dir_fd=here)
            return
        with self._above(source) as (here, name), self._above(target) as (there, new), Naming(source, target):
            os.rename(name, new, src_dir_fd=here, dst_dir_fd=there)

    def publish(self, source: str, target: str) -> None:
        with self._above(source) as (here, name), self._above(target) as (there, new), Naming(source, target):
            call = renameat2()
            if call is not None:
                try:
                    call(here, name, there, new, RENAME_NOREPLACE)
                    return
                except OSError as error:
                    if error.errno not in ABSENT:
                        raise
            os.link(name, new, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
            os.unlink(name, dir_fd=here)

    def exchange(self, one: str, other: str) -> bool:
        call = renameat2()
        if call is None:
            return False
        with self._above(one) as (here, name), self._above(other) as (there, new), Naming(one, other):
            try:
                call(here, name, there, new, RENAME_EXCHANGE)
            except OSError as error:
                if error.errno in ABSENT:
                    return False
                raise
        return True

    def unlink(self, path: str) -> None:
        with self._above(path) as (folder, name), Naming(path):
            os.unlink(name, dir_fd=folder)

    def make_directory(self, path: str) -> None:
        if not path:
            self._make_root()
            return
        with self._above(path) as (folder, name), Naming(path):
            os.mkdir(name, 0o700, dir_fd=folder)

    def remove_directory(self, path: str) -> None:
        with self._above(path) as (folder, name), Naming(path):
            os.rmdir(name, dir_fd=folder)

    def sync_directory(self, path: str) -> None:
        with self._folder(path) as (folder, _), Naming(path):
            os.fsync(folder)

    def set_mode(self, path: str, mode: int) -> None:
        descriptor = self._open(path, os.O_RDONLY | PLAIN)
        try:
            with Naming(path):
                found = os.fstat(descriptor)
                # the mode belongs to the file, not to the name: through a second hard link it would change outside as
                # well
                if not modes.S_ISDIR(found.st_mode):
                    refuse_odd(found, path)
                os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)

    def reserve(self, size: int) -> RealReservation:
        with self._folder("") as (folder, _), Naming(""):
            held = RealReservation(_open_nameless(folder))
            try:
                _allocate(held._descriptor, size)
            except OSError:
                held.release()
                raise
        return held

    def _make_root(self) -> None:
        missing = []
        here = self.root
        while not os.path.isdir(here):
            missing.append(here)
            here = os.path.dirname(here)
        for folder in reversed(missing):
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                # two processes that start for the first time create the same folders
                if not os.path.isdir(folder):
                    raise
            above = os.open(os.path.dirname(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(above)
            finally:
                os.close(above)

    def _folder(self, path: str, asked: str = "", name: str = "") -> OpenDescriptor:
        with Naming(asked or path):
            return OpenDescriptor(self._open(path, FOLDER), name)

    def _above(self, path: str) -> OpenDescriptor:
        """The open parent directory of a path, and the last name of the path."""
        _check(path)
        folder, _, name = path.rpartition("/")
        return self._folder(folder, path, name)

    def _open(self, path: str, flags: int) -> int:
        root = os.open(self.root, FOLDER)
        if not path:
            return root
        try:
            _check(path)
            call = self._open2() if self._open2 is not None else None
            if call is not None:
                # openat2 follows no link anyway, and with O_NOFOLLOW it would say ENOTDIR instead of ELOOP for a link
                # in place of a folder
                return call(root, path, flags & ~os.O_NOFOLLOW, 0)
            with Naming(path):
                return self._walk(root, path, flags)
        finally:
            os.close(root)

    def _walk(self, root: int, path: str, flags: int) -> int:
        *folders, name = path.split("/")
        here = os.dup(root)
        try:
            for folder in folders:
                deeper = _step(here, folder, FOLDER)
                os.close(here)
                here = deeper
            return _step(here, name, flags)
        finally:
            os.close(here)


def _step(here: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=here)
    except NotADirectoryError:
        # open reports a link like a file here; report ELOOP as openat2 does
        if modes.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


def _open_nameless(folder: int) -> int:
    flags = os.O_WRONLY | os.O_CLOEXEC
    if hasattr(os, "O_TMPFILE"):
        try:
            return os.open(".", flags | os.O_TMPFILE, 0o600, dir_fd=folder)
        except OSError as error:
            if error.errno not in (*ABSENT, errno.EISDIR, errno.ENOENT):
                raise
    # a leftover of a process that died here is empty
    with suppress(FileNotFoundError):
        os.unlink(RESERVE, dir_fd=folder)
    descriptor = os.open(RESERVE, flags | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
    os.unlink(RESERVE, dir_fd=folder)
    return descriptor


def _allocate(descriptor: int, size: int) -> None:
    """Allocate real blocks: a sparse file would reserve nothing."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size)
            return
        except OSError as error:
            if error.errno not in ABSENT:
                raise
    while size > 0:
        size -= os.write(descriptor, bytes(min(size, 1 << 16)))
