"""A file system for tests: a function runs before each call and may raise.

It simulates the n-th call failing, short writes, a power cut, or a person who saves a file at the worst moment. Reads
count as calls too, because they can fail as well.
"""

import errno
import os
from collections.abc import Callable, Mapping, Sequence

from everself.storage.filesystem import READ_LIMIT, FileSystem, Handle, Reservation
from everself.values import FileStat

Meddle = Callable[[str, str], None]
# given the size of a write, returns how many bytes it accepts
Shorten = Callable[[int], int]


def whole(size: int) -> int:
    return size


# Calls that change something; the others only read.
CHANGES = frozenset(
    {"create", "open_append", "write", "sync", "rename", "publish", "exchange", "unlink", "make_directory"}
    | {"remove_directory", "sync_directory", "set_mode"}
)


class MeddledHandle:
    """An open file whose calls the test can intercept."""

    def __init__(self, handle: Handle, path: str, owner: "MeddledFileSystem") -> None:
        self._handle = handle
        self._path = path
        self._owner = owner

    def write(self, data: bytes) -> int:
        self._owner.meddle("write", self._path)
        most = self._owner.shorten(len(data))
        return self._handle.write(data[:most])

    def sync(self) -> None:
        self._owner.meddle("sync", self._path)
        self._handle.sync()

    def stat(self) -> FileStat:
        return self._handle.stat()

    def close(self) -> None:
        self._handle.close()


class MeddledFileSystem:
    """Implements `FileSystem` on top of another one."""

    def __init__(
        self,
        inner: FileSystem,
        meddle: Meddle,
        shorten: Shorten = whole,
        *,
        exchanges: bool = True,
    ) -> None:
        self.inner = inner
        self.meddle = meddle
        self.shorten = shorten
        self._exchanges = exchanges

    def stat(self, path: str) -> FileStat | None:
        self.meddle("stat", path)
        return self.inner.stat(path)

    def list(self, path: str) -> Sequence[FileStat]:
        self.meddle("list", path)
        return self.inner.list(path)

    def names(self, path: str) -> Mapping[str, int]:
        self.meddle("list", path)
        return self.inner.names(path)

    def read(self, path: str, start: int = 0, limit: int = READ_LIMIT) -> bytes:
        self.meddle("read", path)
        return self.inner.read(path, start, limit)

    def create(self, path: str) -> Handle:
        self.meddle("create", path)
        return MeddledHandle(self.inner.create(path), path, self)

    def open_append(self, path: str) -> Handle:
        self.meddle("open_append", path)
        return MeddledHandle(self.inner.open_append(path), path, self)

    def rename(self, source: str, target: str) -> None:
        self.meddle("rename", target)
        self.inner.rename(source, target)

    def publish(self, source: str, target: str) -> None:
        self.meddle("publish", target)
        self.inner.publish(source, target)

    def exchange(self, one: str, other: str) -> bool:
        self.meddle("exchange", other)
        return self.inner.exchange(one, other) if self._exchanges else False

    def unlink(self, path: str) -> None:
        self.meddle("unlink", path)
        self.inner.unlink(path)

    def make_directory(self, path: str) -> None:
        self.meddle("make_directory", path)
        self.inner.make_directory(path)

    def remove_directory(self, path: str) -> None:
        self.meddle("remove_directory", path)
        self.inner.remove_directory(path)

    def sync_directory(self, path: str) -> None:
        self.meddle("sync_directory", path)
        self.inner.sync_directory(path)

    def set_mode(self, path: str, mode: int) -> None:
        self.meddle("set_mode", path)
        self.inner.set_mode(path, mode)

    def reserve(self, size: int) -> Reservation:
        self.meddle("reserve", "")
        return self.inner.reserve(size)


class FailingCall:
    """Make the n-th call fail with an OSError, and count all calls."""

    def __init__(self, n: int, code: int, *, changes_only: bool = False, forever: bool = False) -> None:
        self.n = n
        self.code = code
        self.changes_only = changes_only
        self.forever = forever
        self.count = 0
        self.failed = ""

    def __call__(self, call: str, path: str) -> None:
        if self.changes_only and call not in CHANGES:
            return
        self.count += 1
        if self.count == self.n or (self.forever and self.count > self.n > 0):
            self.failed = self.failed or f"{call} {path}"
            raise OSError(self.code, os.strerror(self.code), path)


FAILURES = {name: getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EIO", "EMFILE", "EINTR", "EROFS")}
