"""The file index.db: location, opening, replacing, and classification of SQLite errors.

Knows SQLite and the folder; knows no row format. Memory mapping is off: truncating a mapped file would crash the process. There is no
write-ahead log, so that the index is a single file.
"""

import errno
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import apsw

from everself.errors import Damaged, DiskError, DiskFull, NotFound, ReadOnlyDisk, StoreBusy
from everself.frozen import Frozen
from everself.storage.filesystem import FileSystem, disk_errors
from everself.values import new_id

PAGE_BYTES = 8_192
# long enough for any commit of another process: indexing commits often
READ_WAIT = 10.0
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# files of other journal modes, which we never create and SQLite would use
_FOREIGN = ("-wal", "-shm")

_SCHEMA = """
CREATE TABLE header (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE sources (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE units (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE blocks (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE vocabularies (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE postings (block INTEGER, term INTEGER, data BLOB NOT NULL, PRIMARY KEY (block, term)) WITHOUT ROWID;
CREATE TABLE embeddings (number INTEGER PRIMARY KEY, hash BLOB NOT NULL, model INTEGER NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX embedded ON embeddings (hash, model);
CREATE TABLE codes (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
"""


class IndexPlace(Frozen):
    """The location of an index: a folder for our file system, and the same folder for SQLite."""

    files: FileSystem
    folder: str
    name: str = "index.db"


class IndexFile(Frozen):
    """An open index. `token` identifies the opened file (device, inode); None for one in memory."""

    connection: apsw.Connection
    uri: str
    token: tuple[int, int] | None

    @property
    def in_memory(self) -> bool:
        return self.token is None

    def close(self) -> None:
        # errors on closing are ignored
        with suppress(apsw.Error):
            self.connection.close(True)

    def second(self) -> "IndexFile":
        """Another connection to the same index, for another thread."""
        return IndexFile(_connect(self.uri, writable=True), self.uri, self.token)


@contextmanager
def sound(connection: apsw.Connection | None = None) -> Iterator[None]:
    """Translate SQLite's errors. Any error other than a lock conflict or a full disk counts as damage."""
    try:
        yield
    except apsw.Error as error:
        number = connection.system_errno if connection is not None else 0
        match error:
            case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
                raise StoreBusy("(index.db)") from error
            case apsw.FullError():
                raise DiskFull("(index.db)") from error
            case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.AuthError():
                raise ReadOnlyDisk("(index.db)") from error
            case apsw.IOError() if number in _FULL:
                raise DiskFull("(index.db)") from error
        raise Damaged(f"index.db: {error}") from error
    except (MemoryError, UnicodeDecodeError) as error:
        # a flipped bit in a length asks for too much memory
        raise Damaged("index.db: a row cannot be read") from error


@contextmanager
def reading(connection: apsw.Connection) -> Iterator[None]:
    """A read transaction for everything inside."""
    with sound(connection):
        connection.execute("BEGIN")
        try:
            yield
        finally:
            roll_back(connection)


def roll_back(connection: apsw.Connection) -> None:
    """Undo an open transaction, if there is one."""
    if connection.in_transaction:
        with suppress(apsw.Error):
            connection.execute("ROLLBACK")


def find_row(connection: apsw.Connection, table: str, number: int) -> object:
    """The data of a row; None if it is missing."""
    row = connection.execute(f"SELECT data FROM {table} WHERE number=?", (number,)).fetchone()
    return row[0] if row else None


def find_token(place: IndexPlace) -> tuple[int, int] | None:
    with disk_errors(place.name):
        found = place.files.stat(place.name)
    return None if found is None else (found.device, found.inode)


def open_existing(place: IndexPlace, *, writable: bool = True) -> IndexFile | None:
    """The existing index, unchecked. Raises Damaged if it cannot be a database. With `writable=False` no file is changed."""
    with disk_errors(place.name):
        found = place.files.stat(place.name)
        if found is None:
            return None
        if found.kind != "file" or found.size == 0:
            raise Damaged("index.db is not a database.")
        for ending in _FOREIGN if writable else ():
            if place.files.stat(place.name + ending) is not None:
                place.files.unlink(place.name + ending)
    uri = f"{place.folder}/{place.name}"
    return IndexFile(_connect(uri, writable=writable), uri, (found.device, found.inode))


def open_beside(place: IndexPlace) -> tuple[str, IndexFile]:
    """A new, empty index under a temporary name, and that name."""
    name = f"{place.name}.new-{new_id()}"
    with disk_errors(name):
        handle = place.files.create(name)
        stat = handle.stat()
        handle.close()
    uri = f"{place.folder}/{name}"
    with ExitStack() as undo:
        undo.callback(remove_beside, place, name)
        file = IndexFile(_connect(uri, writable=True), uri, (stat.device, stat.inode))
        _lay_out(file)
        undo.pop_all()
    return name, file


def open_memory() -> IndexFile:
    """An index in memory for this process; its connections share it by name."""
    uri = f"file:/everself-{new_id()}?vfs=memdb"
    file = IndexFile(_connect(uri, writable=True), uri, None)
    _lay_out(file)
    return file


def open_to_salvage(place: IndexPlace) -> IndexFile | None:
    """The old file, read only; None if it cannot be opened."""
    try:
        return open_existing(place, writable=False)
    except (Damaged, DiskError, NotFound, StoreBusy):
        return None


def publish(place: IndexPlace, name: str) -> bool:
    """Rename a new index to its final name; False if another process was faster."""
    with disk_errors(place.name):
        try:
            place.files.publish(name, place.name)
        except FileExistsError:
            return False
    return True


def swap(place: IndexPlace, name: str) -> None:
    """Replace the old index with a new one. Journals of the old one are removed, or SQLite would apply them to the new one."""
    with disk_errors(place.name):
        for ending in (*_FOREIGN, "-journal"):
            with suppress(FileNotFoundError):
                place.files.unlink(place.name + ending)
        found = place.files.stat(place.name)
        if found is not None and found.kind == "directory":
            place.files.remove_directory(place.name)
        place.files.rename(name, place.name)
        remove_beside(place, name)


def remove_beside(place: IndexPlace, name: str = "") -> None:
    """Remove one unfinished index; without a name, all of them, which requires the lock."""
    with suppress(OSError):
        start = name or f"{place.name}.new-"
        for one in place.files.list(""):
            if one.path.startswith(start):
                place.files.unlink(one.path)


def _connect(uri: str, *, writable: bool) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
    if "?vfs=memdb" in uri:
        flags |= apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_CREATE
    with sound():
        connection = apsw.Connection(uri, flags=flags, statementcachesize=50)
    done = False
    try:
        with sound(connection):
            connection.set_busy_timeout(int(READ_WAIT * 1000))
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            # The index is derived, so fsync is off: after a power loss the checks find damage and it is rebuilt. Secure delete: forgotten
            # data must not remain in free pages. No spilling: it would lock out readers before the commit.
            connection.execute(
                "PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY; PRAGMA synchronous=OFF; PRAGMA secure_delete=ON;"
                "PRAGMA cache_spill=OFF; PRAGMA cache_size=-16000; PRAGMA mmap_size=0"
            ).fetchall()
            if writable:
                connection.execute(f"PRAGMA page_size={PAGE_BYTES}; PRAGMA journal_mode=TRUNCATE").fetchall()
        done = True
    finally:
        if not done:
            with suppress(apsw.Error):
                connection.close(True)
    return connection


def _lay_out(file: IndexFile) -> None:
    with sound(file.connection):
        file.connection.execute(_SCHEMA)
