"""Opens a state database without leaving a trace.

SQLite creates a `-wal` and a `-shm` file even for a reader of a database in WAL mode, and only a writing connection removes them. If no
other process has it open, it is opened for writing but not written; otherwise for reading. Knows schemas, not the meaning of rows.
"""

import os
from typing import Literal

from everself.errors import Damaged, UnsafePath
from everself.operations.doctor.words import FIX, bad, counted, note, warning
from everself.storage.engine import Engine
from everself.storage.state.database import State
from everself.storage.state.migrate import load_migrations, plan_migrations
from everself.values import Finding

REBUILD = f"{FIX} sets it aside and keeps what can be read."
RESTORE = "A backup brings it back: everself restore FILE --replace"
BUSY_TIMEOUT = 1.0
# space that SQLite may need for temporary files
ROOM = 1_000_000
# a flipped bit can rename a column, and queries would then fail as if by a programming error
_COLUMNS = {
    *(f"changes.{name}" for name in ("id", "at", "author", "reason", "evidence", "undoes", "paths", "commit_id")),
    *(f"ledger.{name}" for name in ("seq", "change_id", "at", "author", "files", "previous", "mac")),
}
_HAS_COLUMNS = """
SELECT tables.name || '.' || columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
WHERE tables.type = 'table'
"""


def open_readable(path: str, key: bytes | None) -> State | Finding:
    """The opened database, or a finding if it should not be opened. Without the key nothing can be verified."""
    log = _size(f"{path}-wal")
    shared = os.path.exists(f"{path}-shm")
    if os.path.lexists(path) and not os.path.isfile(path):
        raise UnsafePath(f"{path} should be the state database, but it is not a regular file.")
    if _size(path) == 0:
        words = "The state database is missing or empty: the log of changes is gone. Your files are not affected."
        return bad("database-missing", words, f"{REBUILD} {RESTORE}", path, fixable=True)
    if log and not shared:
        words = "The state database has an unmerged write-ahead log."
        return warning("database-unmerged", words, FIX, path, fixable=True)
    # the header is read only if no process has it open: closing the file here would drop this process's own locks
    alone = not log and not shared and _mode_of(path) == "wal" and _may_write(path)
    if alone and _free(path) < ROOM:
        words = "The state database was not looked into, because the disk is full."
        return note("database-unchecked", words, "Free some space, then: everself doctor", path)
    # naming the default VFS prevents the store from changing permissions
    engine = Engine.open(path, vfs="unix" if alone else None, busy_timeout=BUSY_TIMEOUT, read_only=not alone)
    state = None
    try:
        missing = plan_migrations(engine, load_migrations("state"))
        if missing:
            words = f"The state database is from an older version, {counted(len(missing), 'step')} behind."
            return note("database-older", words, FIX, path, fixable=True)
        lost = _COLUMNS - {str(row[0]) for row in engine.read(_HAS_COLUMNS)}
        if lost:
            raise Damaged(f"{path} lacks {', '.join(sorted(lost)[:3])}.", mend=RESTORE)
        state = State(engine, key or bytes(32))
        return state
    finally:
        if state is None:
            engine.close()


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _mode_of(path: str) -> Literal["wal", "plain"]:
    """The journal mode in the file's header. A plain file was just restored: opening it for writing would change its mode."""
    with open(path, "rb") as file:
        head = file.read(100)
    format_number, encoding = (int.from_bytes(head[start : start + 4], "big") for start in (44, 56))
    # checked here because SQLite reports some of these faults as errors of the query
    whole = head.startswith(b"SQLite format 3\0") and 1 <= format_number <= 4 and 1 <= encoding <= 3
    if not whole or head[18:20] not in (b"\1\1", b"\2\2"):
        raise Damaged(f"{path} is not an SQLite database: its first bytes are wrong.", mend=RESTORE)
    return "wal" if head[18] == 2 else "plain"


def _free(path: str) -> int:
    disk = os.statvfs(path)
    return disk.f_bavail * disk.f_frsize


def _may_write(path: str) -> bool:
    return os.access(path, os.W_OK, effective_ids=True) and os.access(
        os.path.dirname(path), os.W_OK | os.X_OK, effective_ids=True
    )
