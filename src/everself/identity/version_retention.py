"""Removes old versions of the soul: all are kept for a while, then one for each month. The history still has the others."""

from collections.abc import Sequence

from everself.errors import RefusedByRule
from everself.identity.versions import Versions
from everself.memory.archive import log as record
from everself.memory.archive.days import Archived
from everself.memory.memory import Memory
from everself.values import Applied, Author, Change, Remove, digest
from everself.workspace.layout import Kind, place


def find_old_souls(memory: Memory, days: int, needed: Sequence[str] = ()) -> tuple[str, ...]:
    """Copies that may go; `needed` are hashes that an open proposal was made against."""
    return Versions(memory.workspace, memory.clock).thin(days, needed)


def thin_souls(memory: Memory, paths: Sequence[str], *, author: Author = Author.KEEPER) -> Archived:
    """Remove these copies, as one change."""
    stray = [path for path in paths if place(path).kind is not Kind.SOUL_HISTORY]
    if stray:
        raise RefusedByRule(f"{stray[0]} is not an earlier soul.")
    gone: tuple[str, ...] = ()

    def plan() -> Change | None:
        nonlocal gone
        found = [one for path in paths if (one := memory.workspace.find(path)) is not None]
        gone = tuple(one.path for one in found)
        if not found:
            return None
        draft = memory.draft()
        lines = [f"`{one.path}` removed, another of its month is kept (sha256 {one.hash[:16]})" for one in found]
        record.note(draft, memory.clock.now(), "earlier souls thinned", lines)
        edits = (*draft.edits(), *(Remove(one.path, one.hash) for one in found))
        key = f"thin {digest(repr([(one.path, one.hash) for one in found]).encode())[:32]}"
        return Change(author, "earlier souls thinned", edits, tuple(f"file:{path}" for path in gone), key=key)

    outcome = memory.apply(plan)
    return Archived(outcome.id, gone) if isinstance(outcome, Applied) else Archived()
