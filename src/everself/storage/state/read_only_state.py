"""A read-only substitute for a state that is damaged, lost or on a disk that cannot be written.

It is a database in memory: a copy of the real one if that can be read, otherwise empty. Data derived from documents is
built as usual. Durable writes are refused with the reason for the substitution.
"""

from contextlib import suppress

from everself.errors import Damaged, DiskError, EverselfError, NotFound, RefusedByRule, StoreBusy
from everself.storage.connection import MEMORY
from everself.storage.engine import Engine
from everself.storage.state.database import State
from everself.storage.state.migrate import apply_migrations, load_migrations

# databases up to this size are checked at every opening, which takes a few milliseconds
CHECKED_BYTES = 2_000_000


def open_read_only_state(path: str, key: bytes, refusal: EverselfError) -> tuple[State, EverselfError]:
    """Open the substitute. `refusal`: why the real database cannot be used; a damaged one is not copied.

    Returns the refusal too, as Damaged if the real database could not be read at all: a caller that needs its data must know.
    """
    engine = Engine.open(MEMORY, exclusive=True)
    done = copied = False
    try:
        # an unwritable database can usually be read; a damaged one cannot be trusted
        if isinstance(refusal, DiskError):
            with suppress(DiskError, NotFound, RefusedByRule, StoreBusy), Engine.open(path, read_only=True) as real:
                engine.load(real)
                copied = True
        if not copied and not isinstance(refusal, Damaged):
            refusal = Damaged(f"{path} can be neither written nor read: {refusal.detail}", mend=refusal.mend)
        apply_migrations(engine, load_migrations("state"))
        engine.refusal = refusal
        done = True
    finally:
        if not done:
            engine.close()
    return State(engine, key), refusal


def check_pages(state: State, size: int) -> str:
    """SQLite's first complaint about a small database; empty if there is none or the database is too large to check."""
    if size > CHECKED_BYTES:
        return ""
    found = [str(row[0]) for row in state.engine.read("PRAGMA quick_check(1)")]
    return "" if found == ["ok"] else found[0]
