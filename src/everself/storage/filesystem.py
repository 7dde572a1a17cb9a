"""The file system protocol: few calls, each close to one system call, so that a test can fail or reorder any of them.

A file system here is rooted: every path is relative to its root, uses `/`, and can neither leave the root nor pass
through a link. Implementations raise plain `OSError`; `disk_errors` translates it into our errors.
"""

import errno
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from everself.errors import DiskError, DiskFull, EverselfError, NoPermission, NotFound, ReadOnlyDisk, UnsafePath
from everself.values import FileStat

# A document is read up to this size; callers announce what they leave out.
READ_LIMIT = 16 * 1024 * 1024

# Prefix of all temporary names, so that watchers, parsers and doctor recognise them.
TEMPORARY_PREFIX = ".everself-"


class Handle(Protocol):
    """An open file that is being written."""

    def write(self, data: bytes) -> int:
        """Write some of the bytes and return how many; the caller repeats until all are written."""

    def sync(self) -> None: ...

    def stat(self) -> FileStat: ...

    def close(self) -> None: ...


class Reservation(Protocol):
    """Disk space that is reserved until it is released. Releasing twice is allowed."""

    def release(self) -> None: ...


class FileSystem(Protocol):
    """A rooted tree of files. `""` is the root itself."""

    def stat(self, path: str) -> FileStat | None:
        """The status of a name, links not followed; None if it does not exist."""

    def list(self, path: str) -> Sequence[FileStat]:
        """The entries of a directory, sorted by name."""

    def names(self, path: str) -> Mapping[str, int]:
        """The names in a directory with their inode numbers. Examines no file."""

    def read(self, path: str, start: int = 0, limit: int = READ_LIMIT) -> bytes:
        """The content of a regular file that has a single hard link."""

    def create(self, path: str) -> Handle:
        """Create a private, empty file; the name must be free."""

    def open_append(self, path: str) -> Handle:
        """Open an existing regular file for appending only."""

    def rename(self, source: str, target: str) -> None:
        """Rename a file, replacing the target."""

    def publish(self, source: str, target: str) -> None:
        """Rename a file to a name that must be free."""

    def exchange(self, one: str, other: str) -> bool:
        """Swap two names in one step. Returns False if this file system cannot."""

    def unlink(self, path: str) -> None: ...

    def make_directory(self, path: str) -> None:
        """Create a private directory; the name must be free and the parent must exist. `""` creates the root with its parents."""

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""

    def sync_directory(self, path: str) -> None: ...

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permissions of a regular file or a folder."""

    def reserve(self, size: int) -> Reservation:
        """Reserve disk space without a name, so that the end of the process frees it. Raises ENOSPC if too little is free."""


def parent_of(path: str) -> str:
    return path.rpartition("/")[0]


def say(error: OSError, path: str) -> EverselfError:
    """Translate an operating system error into one that tells the user what to do."""
    where = f"({path})" if path else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return DiskFull(where, mend="Free some space and try again.")
        case errno.EROFS:
            return ReadOnlyDisk(
                where, mend="Mount it writable, or choose a folder elsewhere: EVERSELF_HOME=FOLDER everself"
            )
        case errno.EACCES | errno.EPERM:
            return NoPermission(where, mend=f"Check who owns it: ls -ld '{path}'")
        case errno.ELOOP | errno.EXDEV | errno.EMLINK:
            return UnsafePath(
                f"{path} is, or passes through, a symbolic link or a second hard link.",
                mend="Put the real file in its place.",
            )
        case errno.ENOENT:
            return NotFound(f"{path}.")
        case errno.ENOTDIR | errno.EISDIR | errno.EINVAL | errno.ENXIO:
            return UnsafePath(f"{path} is not a regular file in regular folders.")
        case errno.ENAMETOOLONG:
            return UnsafePath(f"{path[:60]}… is too long.")
        case errno.EMFILE | errno.ENFILE:
            return DiskError(f"Too many open files {where}", mend="Close other programs or raise the limit: ulimit -n")
    return DiskError(f"{error.strerror or error} {where}".strip(), mend="Check the disk; everself doctor")


# Errors caused by the folder, not by the name in it.
_OF_THE_FOLDER = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT})


def _blamed(error: OSError, path: str) -> str:
    """The file that the error itself names; `path` if it names none or either of them is absolute."""
    name = error.filename
    if not isinstance(name, str) or not name or name.startswith("/") or path.startswith("/"):
        return path
    folder, _, last = name.rpartition("/")
    if last.startswith(TEMPORARY_PREFIX) and error.errno in _OF_THE_FOLDER:
        return folder or path
    return name


@contextmanager
def disk_errors(path: str) -> Iterator[None]:
    """Translate OSErrors of the block into ours, about the file that they name, else about `path`."""
    try:
        yield
    except OSError as error:
        raise say(error, _blamed(error, path)) from error
