"""The file system protocol: few calls, each close to one system call, so that a test can fail or reorder any of them.

A file system here is rooted: every path is relative to its root, written with `/`, and can neither leave it nor pass a link.
Implementations raise plain `OSError`; `disk_errors` turns those into words.
"""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from everself.errors import DiskError, DiskFull, EverselfError, NoPermission, NotFound, ReadOnlyDisk, UnsafePath
from everself.values import FileStat

# Beyond this a document is not read whole; what is left out is announced.
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
    """Reserved disk space, until it is released. Releasing twice is no error."""

    def release(self) -> None: ...


class FileSystem(Protocol):
    """A rooted tree of files. `""` is the root itself."""

    def stat(self, path: str) -> FileStat | None:
        """The status of a name, links not followed; None where it does not exist."""

    def list(self, path: str) -> Sequence[FileStat]:
        """What a directory holds, sorted by name."""

    def read(self, path: str, start: int = 0, limit: int = READ_LIMIT) -> bytes:
        """Content of a regular file with a single name."""

    def create(self, path: str) -> Handle:
        """A new, private, empty file; the name must be free."""

    def open_append(self, path: str) -> Handle:
        """An existing regular file, opened for appending only."""

    def rename(self, source: str, target: str) -> None:
        """Give a file another name, replacing what had it."""

    def publish(self, source: str, target: str) -> None:
        """Give a file another name that must be free."""

    def exchange(self, one: str, other: str) -> bool:
        """Swap two names in one step. False when this file system cannot."""

    def unlink(self, path: str) -> None: ...

    def make_directory(self, path: str) -> None:
        """A new, private directory; the name must be free, the parent must exist. `""` makes the root, parents included."""

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""

    def sync_directory(self, path: str) -> None: ...

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permissions of a regular file or a folder."""

    def reserve(self, size: int) -> Reservation:
        """Take so many bytes of the disk without a name, so that they vanish with the process. ENOSPC where there are not so many."""


def parent_of(path: str) -> str:
    return path.rpartition("/")[0]


def say(error: OSError, path: str) -> EverselfError:
    """An error of the file system in words a person can act on."""
    where = f"({path})" if path else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return DiskFull(where, mend="Free some space and try again.")
        case errno.EROFS:
            return ReadOnlyDisk(
                where, mend="Mount it writable, or move the files to a disk that is and say so: everself config set"
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
    """The file that an error names itself, where `path` only says what was going on."""
    name = error.filename
    if not isinstance(name, str) or not name or name.startswith("/") or path.startswith("/"):
        return path
    folder, _, last = name.rpartition("/")
    if last.startswith(TEMPORARY_PREFIX) and error.errno in _OF_THE_FOLDER:
        return folder or path
    return name


@contextmanager
def disk_errors(path: str) -> Iterator[None]:
    """Errors within, in words about the file that they name; about `path` where they name none, or where it is absolute itself."""
    try:
        yield
    except OSError as error:
        raise say(error, _blamed(error, path)) from error
