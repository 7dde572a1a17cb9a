"""How much is remembered, tier by tier. Asks names, sizes and rows; reads no document that did not change."""

from dataclasses import dataclass

from everself.layout import place
from everself.memory.memory import Memory
from everself.memory.writing import is_quarantined
from everself.store.entry_rows import EntryRows
from everself.values import Entry, Tier

NAMES = {Tier.SOUL: "Soul", Tier.CORE: "Core", Tier.WORKING: "Working"}


@dataclass(frozen=True, slots=True)
class TierCount:
    tier: Tier
    name: str
    files: int
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class MemoryStatus:
    """`elsewhere` counts entries of no tier: what is known of people, and what stands in quarantine. `read` says how many documents
    had changed and were read again."""

    tiers: tuple[TierCount, ...]
    entries: int
    elsewhere: int
    closed: int
    stale: int
    unvouched: int
    quarantined: int
    read: int


def count_tiers(memory: Memory, rows: EntryRows) -> MemoryStatus:
    read = memory.book.refresh()
    entries = rows.counts()
    files = dict.fromkeys(NAMES, 0)
    sizes, counted = dict(files), dict(files)
    for one in memory.workspace.list():
        tier = place(one.path).tier
        if one.kind == "file" and tier in files:
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
    )


def _count_stale(memory: Memory, rows: EntryRows, closed: set[str]) -> int:
    """As `Memory.stale` decides, over nothing but the entries that can matter."""
    derived = [
        Entry(identity, "", "", source=source, lineage=lineage, struck=identity in closed)
        for identity, source, lineage in rows.derived()
    ]
    known = {one.id for one in derived}
    return len(memory.stale([*derived, *(Entry(one, "", "", struck=True) for one in closed - known)]))
