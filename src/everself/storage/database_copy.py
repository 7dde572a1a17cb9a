"""Copies a database while it is in use, and checks a database file.

Uses SQLite's backup API and checks. Does not know where backups are stored or which files belong together.
"""

import contextlib
import os
from collections.abc import Callable

import apsw

from everself.errors import EverselfError, RefusedByRule
from everself.storage.connection import DatabasePlace, connect, fsync_folder, patiently, prepare_file, translated
from everself.storage.engine import Engine

_PAGES_A_STEP = 256


def copy_database(engine: Engine, target_path: str, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy one snapshot of the database into a new file: mode 0600, no -wal beside it, durable.

    `progress` receives the number of copied pages and the total. If anything fails, the target is removed.
    """
    target = DatabasePlace(target_path)
    if os.path.lexists(target_path):
        raise RefusedByRule(f"{target_path} already exists; a backup never overwrites.")
    done = False
    try:
        prepare_file(target)
        with translated(target):
            connection = apsw.Connection(target_path, flags=apsw.SQLITE_OPEN_READWRITE)
        with contextlib.closing(connection):
            _copy(engine, connection, target, progress)
        _fsync(target)
        done = True
    finally:
        if not done:
            for name in (target_path, f"{target_path}-journal", f"{target_path}-wal", f"{target_path}-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name)


def _copy(
    engine: Engine, connection: apsw.Connection, target: DatabasePlace, progress: Callable[[int, int], None] | None
) -> None:
    # An open transaction on the source keeps its pages unchanged. Without it every write by anyone would restart the
    # copy, and under steady writing it would never end.
    with engine.snapshot_connection() as source, connection.backup("main", source, "main") as backup:
        while not backup.done:
            with translated(target, connection):
                patiently(target, lambda: _step(backup))
            if progress is not None:
                progress(backup.page_count - backup.remaining, backup.page_count)
    with translated(target, connection):
        # the copied header says WAL mode; a single file without companions can be moved
        connection.execute("PRAGMA journal_mode=DELETE").fetchall()


def _step(backup: apsw.Backup) -> None:
    try:
        backup.step(_PAGES_A_STEP)
    except apsw.IOError:
        # only finishing the backup yields the system error number that identifies a full quota
        backup.finish()
        raise


def _fsync(target: DatabasePlace) -> None:
    with translated(target):
        descriptor = os.open(target.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        fsync_folder(target.path)


def check_database(path: str) -> list[str]:
    """Problems of a database file as sentences; empty if there are none. Changes nothing."""
    place = DatabasePlace(path, read_only=True)
    try:
        connection = connect(place)
        with contextlib.closing(connection), translated(place, connection):
            # SQLite treats an empty file as a new database; here it means that the data was lost
            if os.stat(path).st_size == 0:
                return [f"{path} is empty."]
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
            problems = [f"{path}: {line}." for line in found if line != "ok"]
            for table, row_id, parent, _ in connection.execute("PRAGMA foreign_key_check"):
                problems.append(f"{path}: row {row_id} of {table} refers to a missing row of {parent}.")
            return problems
    except EverselfError as error:
        return [str(error)]
