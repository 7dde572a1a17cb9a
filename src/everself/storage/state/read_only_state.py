"""A state for reading where the real one is damaged, lost, or on a disk that cannot be written.

It lives in memory: a copy of the real one as far as that can be read, else empty. What documents tell is derived into it as usual.
Whatever would have to last is refused, with the reason why it stands in.
"""

from contextlib import suppress

from everself.errors import Damaged, DiskError, EverselfError, NotFound, RefusedByRule, StoreBusy
from everself.storage.connection import MEMORY
from everself.storage.engine import Engine
from everself.storage.state.database import State
from everself.storage.state.migrate import apply_migrations, load_migrations

# databases up to this size are checked whenever they are opened, which takes a few milliseconds
CHECKED_BYTES = 2_000_000


def open_read_only_state(path: str, key: bytes, refusal: EverselfError) -> tuple[State, EverselfError]:
    """`refusal` is what keeps the real one from being used; of a damaged one nothing is taken over.

    It comes back as Damaged where the real one could not even be read: a caller that needs its data must know.
    """
    engine = Engine.open(MEMORY, exclusive=True)
    done = copied = False
    try:
        # a database that cannot be written can mostly be read; a damaged one cannot be trusted
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
    """What SQLite finds wrong with a small database; empty when nothing is, or when it is too large to be looked through."""
    if size > CHECKED_BYTES:
        return ""
    found = [str(row[0]) for row in state.engine.read("PRAGMA quick_check(1)")]
    return "" if found == ["ok"] else found[0]
