"""Counts entries by tier, from file names, sizes and rows. Reads changed documents only, and only if that is quick or requested."""

from everself.frozen import Frozen
from everself.memory.catalog import HUGE, Progress
from everself.memory.entries import holds_memory
from everself.memory.memory import Memory
from everself.memory.writing import is_quarantined
from everself.storage.state.entries import EntryRows
from everself.values import Entry, Tier
from everself.workspace.layout import place

NAMES = {Tier.SOUL: "Soul", Tier.CORE: "Core", Tier.WORKING: "Working"}

# limits of what is read for one answer: about a second on an idle machine
MOST_DOCUMENTS = 500
MOST_BYTES = 2 * 1024 * 1024


class TierCount(Frozen):
    tier: Tier
    name: str
    files: int
    entries: int
    bytes: int


class MemoryStatus(Frozen):
    """`elsewhere` counts entries without a tier: those about people, and the quarantine. `read` counts changed documents that were read,
    `uncounted` those that were too many to read: their known entries are counted. `huge` are documents that writes do not search."""

    tiers: tuple[TierCount, ...]
    entries: int
    elsewhere: int
    closed: int
    stale: int
    unvouched: int
    quarantined: int
    read: int
    uncounted: int
    huge: tuple[str, ...]


def count_tiers(
    memory: Memory, rows: EntryRows, *, whole: bool = False, progress: Progress | None = None
) -> MemoryStatus:
    """Count all entries. `whole`: read all changed documents first; otherwise many or huge ones are skipped and reported."""
    waiting = memory.catalog.waiting()
    bounded = waiting.documents <= MOST_DOCUMENTS and waiting.bytes <= MOST_BYTES
    read = uncounted = 0
    # what `waiting` found to be as it was read is not compared once more
    if (whole or bounded) and (waiting.documents or waiting.huge):
        read = memory.catalog.refresh(huge=whole, progress=progress)
    if not whole:
        uncounted = waiting.huge + (0 if bounded else waiting.documents)
    listed = [one for one in memory.workspace.list() if one.kind == "file"]
    here = {one.path for one in listed}
    # a removed document is not counted, even if its rows still exist
    entries = {path: count for path, count in rows.counts().items() if path in here}
    files = dict.fromkeys(NAMES, 0)
    sizes, counted = dict(files), dict(files)
    for one in listed:
        tier = place(one.path).tier
        if tier in files:
            files[tier] += 1
            sizes[tier] += one.size
            counted[tier] += entries.get(one.path, 0)
    total = sum(entries.values())
    return MemoryStatus(
        tiers=tuple(TierCount(tier, name, files[tier], counted[tier], sizes[tier]) for tier, name in NAMES.items()),
        entries=total,
        elsewhere=total - sum(counted.values()),
        closed=len(closed := set(rows.closed())),
        stale=_count_stale(memory, rows, closed),
        unvouched=rows.unvouched(),
        quarantined=sum(count for path, count in entries.items() if is_quarantined(path)),
        read=read,
        uncounted=uncounted,
        huge=tuple(one.path for one in listed if one.size > HUGE and holds_memory(one.path)),
    )


def _count_stale(memory: Memory, rows: EntryRows, closed: set[str]) -> int:
    """Like `Memory.stale`, using only the rows that matter."""
    derived = [
        Entry(identity, "", "", source=source, lineage=lineage, struck=identity in closed)
        for identity, source, lineage in rows.derived()
    ]
    known = {one.id for one in derived}
    return len(memory.stale([*derived, *(Entry(one, "", "", struck=True) for one in closed - known)]))
