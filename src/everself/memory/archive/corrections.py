"""Moves old records from CORRECTIONS.md to the archive of their month, verbatim. Search still finds them.

The correction itself is an entry of the core and is not touched; only its record is moved.
"""

from collections import defaultdict
from datetime import date, timedelta
from typing import Final

from everself.errors import Damaged
from everself.memory.archive import log as record
from everself.memory.corrections import PATH
from everself.memory.drafts import Draft
from everself.memory.memory import Memory
from everself.text.markdown.blocks import scan
from everself.text.markdown.edit import apply_splice, lead_in, remove_entry
from everself.text.markdown.entries import EntryKind, EntrySpan, entries
from everself.values import Author, Change, digest
from everself.workspace.layout.dates import find_day

FOLDER: Final = "Archive/Corrections"


def find_old_corrections(memory: Memory, days: int) -> int:
    """The number of records older than `days`."""
    found = memory.workspace.find(PATH)
    return 0 if found is None else len(_old(found.data, memory.clock.today() - timedelta(days=days)))


def archive_corrections(memory: Memory, days: int) -> str:
    """Archive these records in one change. Returns its id, empty if there was nothing to do."""

    def plan() -> Change | None:
        draft = memory.draft()
        data = draft.find(PATH)
        old = _old(data or b"", memory.clock.today() - timedelta(days=days))
        if data is None or not old:
            return None
        moved = _move(draft, data, old)
        lines = [
            f"`{PATH}` → `{path}`, {'1 record' if count == 1 else f'{count} records'}"
            for path, count in sorted(moved.items())
        ]
        record.note(draft, memory.clock.now(), "corrections archived", lines)
        key = f"archive {digest(data)[:32]}"
        return Change(Author.KEEPER, "corrections archived", draft.edits(), (f"file:{PATH}",), key=key)

    return memory.change(plan)


def _old(data: bytes, last: date) -> list[tuple[EntrySpan, date]]:
    """Records that have a day and are old enough, in order. Text without a day stays."""
    found = []
    for span in entries(data):
        day = find_day(span.category) if span.kind is EntryKind.LOG else None
        if day is not None and day <= last:
            found.append((span, day))
    return found


def _move(draft: Draft, data: bytes, old: list[tuple[EntrySpan, date]]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    every = [data[span.start : span.end] for span in entries(data)]
    for span, day in old:
        path = f"{FOLDER}/{day.year}-{day.month:02}.md"
        title = f"# Corrections of {day.year}-{day.month:02}\n".encode()
        found = draft.find(path)
        document = scan(title if found is None else found)
        text = data[span.start : span.end]
        draft.put(path, document.data + lead_in(document) + text + (b"" if text.endswith(b"\n") else b"\n"))
        every.remove(text)
        counts[path] += 1
    left = data
    for span, _ in reversed(old):
        left = apply_splice(left, remove_entry(scan(left), span))
    draft.put(PATH, left)
    kept = [left[span.start : span.end].strip() for span in entries(left)]
    added = sum(len(entries(draft.find(path) or b"")) for path in counts)
    before = sum(len(entries(draft.before(path) or b"")) for path in counts)
    if kept != [one.strip() for one in every] or added != before + len(old):
        raise Damaged(f"{PATH} would read differently, so nothing was moved.")
    return dict(counts)
