"""One SQLite connection with Everself's settings; translates SQLite errors to ours.

Handles pragmas, file modes and result codes; no threads, transactions or tables.
"""

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar
from urllib.parse import quote

import apsw

from everself import errors
from everself.clock import monotonic, pause
from everself.frozen import Frozen

T = TypeVar("T")

# Size to which the write-ahead log is truncated after a checkpoint: about the thousand pages at which SQLite runs one
# anyway.
WAL_LIMIT_BYTES = 4 * 1024 * 1024

# the path of a database without a file
MEMORY = ":memory:"

_BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)

_FROM_ERRNO: dict[int, type[errors.EverselfError]] = {
    errno.ENOSPC: errors.DiskFull,
    errno.EDQUOT: errors.DiskFull,
    errno.EFBIG: errors.DiskFull,
    errno.EROFS: errors.ReadOnlyDisk,
    errno.EACCES: errors.NoPermission,
    errno.EPERM: errors.NoPermission,
    errno.ENOENT: errors.NotFound,
    errno.ENOTDIR: errors.NotFound,
}

# Held while a database file is being created, see `_create`.
_creating = threading.Lock()

_of_the_parent: set[str] = set()


class DatabasePlace(Frozen):
    """Which database to open, and how."""

    path: str
    vfs: str | None = None
    exclusive: bool = False
    busy_timeout: float = 10.0
    read_only: bool = False

    @property
    def in_memory(self) -> bool:
        """Whether the database lives in memory: it is private to its connection and is lost when that closes."""
        return self.path == MEMORY


def connect(place: DatabasePlace) -> apsw.Connection:
    """Open a connection with all settings applied. A read-only database must exist."""
    if _of_the_parent and os.path.realpath(place.path) in _of_the_parent:
        raise errors.WrongUse(
            f"{place.path} was open when this process was forked.",
            mend="Use the start method spawn, or fork before opening it.",
        )
    if place.vfs is None and not place.in_memory:
        prepare_file(place)
    flags = apsw.SQLITE_OPEN_READONLY if place.read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    name = place.path
    if place.read_only and place.vfs is None and _cannot_change(place.path):
        # a WAL database creates its -shm even for reading; in a folder that we cannot write to, nobody is assumed to
        # write either
        name, flags = f"file:{quote(os.path.abspath(place.path))}?immutable=1", flags | apsw.SQLITE_OPEN_URI
    with translated(place):
        connection = apsw.Connection(name, flags=flags, vfs=place.vfs)
    settled = False
    try:
        with translated(place, connection):
            patiently(place, lambda: _settle(connection, place))
        settled = True
    finally:
        if not settled:
            connection.close(True)
    return connection


def _settle(connection: apsw.Connection, place: DatabasePlace) -> None:
    connection.set_busy_timeout(int(place.busy_timeout * 1000))
    # the schema may be hostile as well: no writable_schema, and a misspelt column is an error instead of a string
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    if place.exclusive:
        # must precede any access to the WAL: without shared memory its index can only live in this process
        connection.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
    # without recursive triggers INSERT OR REPLACE deletes a row without running its DELETE trigger
    connection.execute("PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON")
    connection.execute("PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY")
    if place.read_only:
        connection.execute("PRAGMA query_only=ON; SELECT count(*) FROM sqlite_schema").fetchall()
        return
    if connection.readonly("main"):
        raise _no_writing(place)
    # secure_delete: forgotten text must not survive in free pages
    connection.execute(f"PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA journal_size_limit={WAL_LIMIT_BYTES}")
    mode = connection.execute("PRAGMA journal_mode=WAL").fetchall()[0][0]
    if mode != "wal" and not place.in_memory:
        raise errors.DiskError(f"{place.path}: this file system cannot hold a write-ahead log (SQLite chose {mode}).")


def prepare_file(place: DatabasePlace) -> None:
    """Ensure that the file exists with mode 0600: SQLite gives -wal and -shm the mode of the database, whatever the umask."""
    try:
        with _creating:
            try:
                found = os.lstat(place.path)
            except FileNotFoundError:
                if place.read_only:
                    raise errors.NotFound(f"{place.path}.") from None
                _create(place.path)
                return
        if not stat.S_ISREG(found.st_mode):
            raise errors.UnsafePath(f"{place.path} is not a regular file.")
        if not place.read_only:
            _tighten(place.path)
    except OSError as error:
        raise _from_errno(error.errno or 0, place) from error


def _create(path: str) -> None:
    # O_EXCL, and under a lock: closing any descriptor of a file drops all POSIX locks this process holds on it, so a
    # database that SQLite may already have open must never be opened here.
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
    fsync_folder(path)


def fsync_folder(path: str) -> None:
    """Make the name of a new file durable by syncing its folder."""
    descriptor = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def raw_files(place: DatabasePlace) -> Iterator[tuple[str, bytes]]:
    """The bytes of the database file and of its write-ahead log, by name.

    Reads through SQLite's own file layer: closing a descriptor of ours would drop the locks that SQLite holds on the file.
    """
    for ending, kind in (("", apsw.SQLITE_OPEN_MAIN_DB), ("-wal", apsw.SQLITE_OPEN_WAL)):
        path = f"{place.path}{ending}"
        with translated(place):
            try:
                file = apsw.VFSFile(place.vfs or "", os.path.abspath(path), [kind | apsw.SQLITE_OPEN_READONLY, 0])
            except apsw.CantOpenError:
                continue
            try:
                size = file.xFileSize()
                yield path, b"".join(file.xRead(min(1 << 20, size - at), at) for at in range(0, size, 1 << 20))
            finally:
                file.xClose()


def _tighten(path: str) -> None:
    for name in (path, f"{path}-wal", f"{path}-shm"):
        # the mode of another user's file cannot be changed; doctor reports it
        with contextlib.suppress(FileNotFoundError, PermissionError):
            mode = os.lstat(name).st_mode
            if stat.S_ISREG(mode) and mode & 0o077:
                os.chmod(name, 0o600)


def _cannot_change(path: str) -> bool:
    if os.access(os.path.dirname(os.path.abspath(path)), os.W_OK, effective_ids=True):
        return False
    try:
        return os.stat(f"{path}-wal").st_size == 0
    except FileNotFoundError:
        return True


def disown_after_fork(paths: Iterable[str]) -> None:
    """Forbid opening these files in a forked child, because they were open in the parent.

    SQLite keeps one table of locks per process and file. The child's copy lists locks that belong to the parent, so the
    child would take none of its own, and other processes would not see it.
    """
    global _creating  # noqa: PLW0603 - the thread that may hold it stayed in the parent
    _creating = threading.Lock()
    _of_the_parent.update(os.path.realpath(path) for path in paths)


def patiently(place: DatabasePlace, step: Callable[[], T]) -> T:
    """Repeat a step while the database is busy.

    SQLite's own busy handler does most of the waiting, but returns at once where waiting could be a deadlock (switching
    to WAL, recovery, closing the last connection); releasing the locks and trying again is correct there.
    """
    deadline = monotonic() + place.busy_timeout
    while True:
        try:
            return step()
        except _BUSY as error:
            if monotonic() >= deadline:
                raise _busy(place) from error
            pause(0.002)


@contextlib.contextmanager
def translated(place: DatabasePlace, connection: apsw.Connection | None = None) -> Iterator[None]:
    """Translate SQLite's errors about disk and file into ours."""
    try:
        yield
    except (apsw.Error, OSError, UnicodeDecodeError) as error:
        told = _explain(error, place, connection.system_errno if connection is not None else 0)
        if told is None:
            raise
        raise told from error


def _explain(error: Exception, place: DatabasePlace, number: int) -> errors.EverselfError | None:
    match error:
        case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
            return _busy(place)
        case apsw.FullError():
            return errors.DiskFull(f"{place.path} could not grow.", mend="Free some space, then try again.")
        case apsw.ReadOnlyError():
            return _no_writing(place)
        # our statements are fixed and tested, so a syntax error means a damaged schema
        case apsw.CorruptError() | apsw.NotADBError() | apsw.SQLError() | UnicodeDecodeError():
            return errors.Damaged(f"{place.path}: {error}.", mend="Restore it from a backup.")
        case apsw.PermissionsError():
            return errors.NoPermission(place.path)
        case apsw.IOError() | apsw.CantOpenError():
            return _from_errno(number, place)
        case OSError():
            # a simulated file system in tests raises OSError through its VFS
            return _from_errno(error.errno or 0, place)
    return None


def _from_errno(number: int, place: DatabasePlace) -> errors.EverselfError:
    kind = _FROM_ERRNO.get(number, errors.DiskError)
    return kind(f"{place.path}: {os.strerror(number)}." if number else f"{place.path}: input or output failed.")


def _busy(place: DatabasePlace) -> errors.StoreBusy:
    return errors.StoreBusy(
        f"{place.path}, waited {place.busy_timeout:g} s.", mend="Try again when the other process is done."
    )


def _no_writing(place: DatabasePlace) -> errors.EverselfError:
    """SQLite has one error code for a read-only mount and for missing permission; the user needs to know which it is."""
    if place.vfs is None:
        try:
            mounted_read_only = bool(os.statvfs(place.path).f_flag & os.ST_RDONLY)
        except OSError:
            mounted_read_only = False
        if not mounted_read_only:
            return errors.NoPermission(f"{place.path} cannot be written.", mend="Check the owner and mode of the file.")
    return errors.ReadOnlyDisk(place.path)
