"""Closes an entry in favour of a newer one, and keeps its other facts. Works on a draft.

A note quotes the part of a person's sentence that it omits. If the note is corrected, the quotation may be the only record of another
fact: it is kept as an entry with the trust of the note.
"""

from collections.abc import Callable
from datetime import datetime

from everself.memory.drafts import Draft
from everself.memory.provenance import AGENT, evidenced
from everself.memory.writing import NewEntry, add_entry, close_entry
from everself.values import Entry, Origin, ProvenanceRecord, Tier, new_id
from everself.workspace.layout import place


def close_for(
    draft: Draft, entry: Entry, newer: tuple[str, str], now: datetime, is_known: Callable[[NewEntry], bool]
) -> tuple[ProvenanceRecord, ...]:
    """Close an entry in favour of a newer one, given by id and text. Returns the records of what is kept. `is_known`: whether an open
    entry has this text, or it was forgotten."""
    from everself.memory.remainders import remainder

    by, words = newer
    close_entry(draft, entry, now.date(), by)
    if entry.closed or entry.source != AGENT or not entry.vouched:
        return ()
    rest = remainder(entry.text, words)
    kept = part_of(entry, rest, evidenced(entry))
    return (add_entry(draft, kept, new_id(), now),) if rest and not is_known(kept) else ()


def part_of(entry: Entry, words: str, origin: Origin) -> NewEntry:
    """A part of an entry as a separate entry in the same place."""
    where = place(entry.path)
    core = entry.tier is Tier.CORE
    return NewEntry(
        words,
        origin,
        tag=entry.tag,
        explicit=core,
        who=entry.who,
        person=where.person or "",
        project=where.project or "",
    )
