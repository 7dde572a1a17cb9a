"""Adopts a workspace that was created elsewhere, or cloned: all of it can be used, and no byte is changed.

The sources that its comments name are claims until the owner vouches for them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date

from everself.frozen import Frozen
from everself.memory.entries import text_hash
from everself.memory.memory import Memory
from everself.memory.provenance import (
    CORRECTION,
    HAND,
    IMPORT,
    OWNER,
    known_source,
    owned,
    provenance_of,
    rank,
    restored,
    weaker,
)
from everself.storage.state.database import State
from everself.values import Entry, ProvenanceRecord, Tag
from everself.workspace.disk_workspace import DiskWorkspace

META = "adopted"
# used instead of a text hash, so that it matches no entry
_NO_TEXT = "withdrawn"
# returns the day of each line of the given documents
DaysOfLines = Callable[[Mapping[str, bytes]], Mapping[str, Sequence[date | None]]]


class AdoptionReport(Frozen):
    files: int
    entries: int
    unvouched: int
    notes: tuple[str, ...] = ()


def needs_adoption(workspace: DiskWorkspace, state: State) -> bool:
    """Whether the workspace has documents, but neither a change nor an adoption is recorded."""
    if state.get_meta(META) is not None or state.list_changes(1):
        return False
    return any(one.kind == "file" and one.path.endswith(".md") for one in workspace.list())


def adopt(workspace: DiskWorkspace, state: State, memory: Memory, lines: DaysOfLines = lambda _: {}) -> AdoptionReport:
    """Record the current workspace in the history, and read its entries. Calling it again changes nothing.

    `lines` returns when each line was written, if known. Without it, undated text gets no day: the day of adoption would make it newer
    than everything the owner said before.
    """
    recorded = workspace.note_outside()
    if state.get_meta(META) is None:
        paths = sorted({entry.path for entry in memory.catalog.all()})
        found = {path: document.data for path in paths if (document := workspace.find(path)) is not None}
        memory.catalog.date_lines(_past(lines(found), memory.clock.today()))
    entries = memory.catalog.all()
    unvouched = sum(not entry.vouched for entry in entries)
    if state.get_meta(META) is None:
        state.set_meta(META, memory.clock.now().isoformat())
    claims = sorted({entry.claimed for entry in entries if entry.claimed and not entry.vouched})
    notes = (f"Sources named in their comments: {', '.join(claims)}.",) if claims else ()
    return AdoptionReport(len(recorded), len(entries), unvouched, notes)


def _past(days: Mapping[str, Sequence[date | None]], today: date) -> dict[str, list[date | None]]:
    """The days without future ones, which come from a wrong clock."""
    return {path: [day if day is not None and day <= today else None for day in found] for path, found in days.items()}


def vouch_for(state: State, memory: Memory, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Record that the owner vouches for entries: with the source they claim, else as the owner's own. Returns their ids.

    Imported entries become the owner's. Entries that name the web, a tool, another person or the agent as their source keep it.
    """
    provenance = [_provenance_record(entry) for entry in entries if not entry.vouched or _is_imported(memory, entry)]
    if provenance:
        state.provenance.put(provenance, memory.clock.now().isoformat())
    return tuple(one.entry for one in provenance)


def withdraw_vouchers(state: State, memory: Memory, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Withdraw the owner's voucher: the entries count as written by hand, or as less if they claim less. Returns their ids.

    This never raises trust: a record of the weaker source is stored, with a hash that matches no text.
    """
    provenance = [
        provenance_of(restored(_unowned(entry), "terminal", entry.lineage), entry.id, entry.tag.value, _NO_TEXT)
        for entry in entries
        if entry.vouched
    ]
    if provenance:
        state.provenance.put(provenance, memory.clock.now().isoformat())
    return tuple(one.entry for one in provenance)


def _unowned(entry: Entry) -> str:
    claimed = known_source(entry.claimed) if entry.claimed else HAND
    return weaker(HAND, weaker(entry.source, claimed))


def _is_imported(memory: Memory, entry: Entry) -> bool:
    """Whether an entry is imported and rests on nothing less trusted."""
    return entry.source == IMPORT and memory.trust(entry) == IMPORT


def _provenance_record(entry: Entry) -> ProvenanceRecord:
    if entry.source == IMPORT:
        return provenance_of(owned(entry), entry.id, entry.tag.value, text_hash(entry.text))
    source = known_source(entry.source) if rank(entry.source) < rank(HAND) else _claimed(entry)
    tag = Tag.CORRECTION if source == CORRECTION else entry.tag
    return provenance_of(restored(source, "terminal", entry.lineage), entry.id, tag.value, text_hash(entry.text))


def _claimed(entry: Entry) -> str:
    return entry.claimed if rank(entry.claimed) > rank(HAND) else OWNER
