"""One SQLite database in one process: all writes on one thread, reads in parallel.

Handles transactions and connections. Has no schema; callers bring their SQL.
"""

import contextlib
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

import apsw

from everself.errors import DiskError, EverselfError, WrongUse
from everself.storage._writer_thread import Job, Worker
from everself.storage.connection import DatabasePlace, connect, disown_after_fork, patiently, raw_files, translated

T = TypeVar("T")
Value = str | int | float | bytes | None
Params = Sequence[Value] | Mapping[str, Value]
Row = tuple[Any, ...]

# Idle reading connections that are kept; more may be open at once, but those are closed after use.
_IDLE_CONNECTIONS = 4


class Reader:
    """Read access inside a snapshot or a write."""

    def __init__(self, connection: apsw.Connection, place: DatabasePlace) -> None:
        self._connection = connection
        self._place = place

    def rows(self, sql: str, params: Params = ()) -> list[Row]:
        with translated(self._place, self._connection):
            return self._connection.execute(sql, params).fetchall()

    def row(self, sql: str, params: Params = ()) -> Row | None:
        """The first row, if there is one."""
        found = self.rows(sql, params)
        return found[0] if found else None


class Writer(Reader):
    """Read and write access between BEGIN IMMEDIATE and COMMIT."""

    def run(self, sql: str, params: Params = ()) -> int:
        """Execute one or several statements. Returns how many rows the last INSERT, UPDATE or DELETE changed."""
        before = self._connection.total_changes()
        self.rows(sql, params)
        return self._connection.changes() if self._connection.total_changes() != before else 0


class Engine:
    """A database file. One Engine per file suffices for a process; several are correct, but wait for each other."""

    def __init__(self, place: DatabasePlace) -> None:
        self._place = place
        self._closed = False
        # error that every durable write raises; derived data (not durable) is still written
        self.refusal: EverselfError | None = None
        self._begin_anew()
        _engines.add(self)

    def _begin_anew(self) -> None:
        self._worker = Worker(self._place.path)
        self._gate = threading.Lock()  # guards the pool of readers and `_closed`
        self._turn = threading.RLock()  # its holder may use the writing connection
        self._writer: apsw.Connection | None = None
        self._durable = True  # whether commits of the writing connection are durable at present
        self._idle: list[apsw.Connection] = []
        self._lent: set[apsw.Connection] = set()
        self._writing = 0  # the thread inside a write, 0 for none
        self._viewing: set[int] = set()  # the threads inside a snapshot

    @classmethod
    def open(
        cls,
        path: str,
        *,
        vfs: str | None = None,
        exclusive: bool = False,
        busy_timeout: float = 10.0,
        read_only: bool = False,
    ) -> Self:
        """Open or create a database. `exclusive` limits the file to one connection, which a `vfs` without shared memory needs."""
        if exclusive and read_only:
            raise WrongUse("A database is opened either exclusively or read-only.")
        engine = cls(DatabasePlace(path, vfs, exclusive, busy_timeout, read_only))
        if read_only:
            engine._idle.append(connect(engine._place))
        else:
            engine._writing_connection()
        return engine

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> str:
        return self._place.path

    @property
    def read_only(self) -> bool:
        return self._place.read_only

    def write(self, work: Callable[[Writer], T], *, durable: bool = True) -> T:
        """Run `work` in one transaction on the writer thread. Returns only once the rows are durable.

        `work` runs at most once; if it raises, the transaction is rolled back and the error is raised here.
        `durable=False` is for data that can be derived again: a power cut may undo the whole transaction, and the
        commit does not wait for the disk.
        """
        if durable and self.refusal is not None:
            raise type(self.refusal)(self.refusal.detail, mend=self.refusal.mend)
        return self._on_writer_thread(lambda: self._transact(work, durable))

    def begin_write(self, work: Callable[[Writer], T]) -> Job[T]:
        """Start a write that is not durable, without waiting for it; `wait` of the returned job does."""
        return self._begin_on_writer_thread(lambda: self._transact(work, durable=False))

    def read(self, sql: str, params: Params = ()) -> list[Row]:
        with self._borrow() as connection, translated(self._place, connection):
            return patiently(self._place, lambda: connection.execute(sql, params).fetchall())

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Reader]:
        """Several reads from one point in time. Keep it short, because it holds back the write-ahead log; writing inside is refused."""
        with self.snapshot_connection() as connection:
            yield Reader(connection, self._place)

    @contextlib.contextmanager
    def snapshot_connection(self) -> Iterator[apsw.Connection]:
        """The raw connection of a snapshot, for this package only."""
        me = threading.get_ident()
        if me in self._viewing:
            raise WrongUse("A snapshot cannot be taken inside a snapshot.")
        with self._borrow() as connection:
            self._viewing.add(me)
            try:
                with translated(self._place, connection):
                    patiently(self._place, lambda: _fix_moment(connection))
                yield connection
            finally:
                self._viewing.discard(me)
                _roll_back(connection)

    def load(self, source: "Engine") -> None:
        """Replace this in-memory database by a snapshot of another one."""
        if not self._place.in_memory:
            raise WrongUse(f"{self._place.path} is a file; only a database in memory can be loaded into.")
        with source.snapshot_connection() as connection, translated(source._place, connection):
            data = bytearray(connection.serialize("main"))
        # a header in WAL mode requires extra files
        data[18:20] = b"\1\1"
        with self._turn, translated(self._place, self._writing_connection()):
            self._writing_connection().deserialize("main", bytes(data))

    def checkpoint(self) -> bool:
        """Copy the write-ahead log into the file and truncate it; false if a reader still needs it."""
        return bool(self._run("PRAGMA wal_checkpoint(TRUNCATE)")[0][0] == 0)

    def compact(self) -> None:
        """Rewrite the whole file, so that no page keeps old row data."""
        self._run("VACUUM")

    def raw(self) -> Iterator[tuple[str, bytes]]:
        """The bytes of the file and of its write-ahead log as they are on disk, by name."""
        return raw_files(self._place)

    def close(self) -> None:
        """Finish queued writes, empty the write-ahead log if nobody else needs it, and close all connections."""
        if threading.get_ident() == self._writing:
            raise WrongUse("A database cannot be closed inside a write.")
        with self._gate:
            self._closed = True
            idle, self._idle = self._idle, []
        self._worker.close()
        for connection in idle:
            connection.close()
        with self._turn, translated(self._place):
            writer, self._writer = self._writer, None
            if writer is not None:
                # not essential: the log is durable, and the next connection reads it
                with contextlib.suppress(apsw.Error, OSError):
                    writer.set_busy_timeout(0)
                    writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                writer.close()

    def _leave_to_parent(self) -> bool:
        """In a forked child: abandon connections, locks and thread, which belong to the parent. Returns whether there were connections."""
        import ctypes

        connections = [one for one in (self._writer, *self._idle, *self._lent) if one is not None]
        for connection in connections:
            # never freed: that would close it, and roll back and checkpoint in memory shared with the parent
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
        self._begin_anew()
        return bool(connections)

    def _on_writer_thread(self, work: Callable[[], T]) -> T:
        return self._begin_on_writer_thread(work).wait()

    def _begin_on_writer_thread(self, work: Callable[[], T]) -> Job[T]:
        me = threading.get_ident()
        self._must_be_open()
        if self._place.read_only:
            raise WrongUse(f"{self._place.path} was opened for reading only.")
        if me == self._writing or me in self._viewing:
            raise WrongUse("A write cannot be started inside a write or a snapshot.")
        return self._worker.begin(work)

    def _run(self, sql: str) -> list[Row]:
        """Execute a statement outside any transaction."""

        def run() -> list[Row]:
            with self._turn:
                connection = self._writing_connection()
                with translated(self._place, connection):
                    return patiently(self._place, lambda: connection.execute(sql).fetchall())

        return self._on_writer_thread(run)

    def _transact(self, work: Callable[[Writer], T], durable: bool) -> T:
        with self._turn:
            connection = self._writing_connection()
            with translated(self._place, connection):
                if durable != self._durable:
                    connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                    self._durable = durable
                # not apsw's context manager: it begins deferred and stalls when a read turns into a write
                patiently(self._place, lambda: connection.execute("BEGIN IMMEDIATE"))
            self._writing = threading.get_ident()
            try:
                result = work(Writer(connection, self._place))
                if not connection.in_transaction:
                    raise DiskError(f"{self._place.path}: the transaction was lost before its end.")
                with translated(self._place, connection):
                    connection.execute("COMMIT")
            finally:
                self._writing = 0
                _roll_back(connection)
            return result

    def _writing_connection(self) -> apsw.Connection:
        with self._turn:
            if self._writer is None:
                self._must_be_open()
                self._writer = connect(self._place)
                self._durable = True
            return self._writer

    @contextlib.contextmanager
    def _borrow(self) -> Iterator[apsw.Connection]:
        if threading.get_ident() == self._writing:
            raise WrongUse("Inside a write, read through the writer that was handed in.")
        if self._place.exclusive:
            with self._turn:
                yield self._writing_connection()
            return
        connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def _take(self) -> apsw.Connection:
        with self._gate:
            self._must_be_open()
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = connect(self._place)
            with translated(self._place, connection):
                connection.execute("PRAGMA query_only=ON")
        self._lent.add(connection)
        return connection

    def _give_back(self, connection: apsw.Connection) -> None:
        if connection not in self._lent:
            return  # it was in use before a fork and belongs to the parent
        self._lent.discard(connection)
        _roll_back(connection)
        with self._gate:
            if not self._closed and len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()

    def _must_be_open(self) -> None:
        if self._closed:
            raise WrongUse(f"{self._place.path} is already closed.")


def _fix_moment(connection: apsw.Connection) -> None:
    # BEGIN alone takes no snapshot; the first read does
    if not connection.in_transaction:
        connection.execute("BEGIN")
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()


def _roll_back(connection: apsw.Connection) -> None:
    """Roll back an open transaction. The error that caused it is already being raised, so a second one is dropped."""
    with contextlib.suppress(apsw.Error, OSError):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


_engines: "weakref.WeakSet[Engine]" = weakref.WeakSet()


def _after_fork() -> None:
    disown_after_fork([engine.path for engine in list(_engines) if engine._leave_to_parent()])


os.register_at_fork(after_in_child=_after_fork)
