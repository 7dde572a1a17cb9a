"""Archives faded lines of MEMORY.md: not said by a person, not mentioned for long, with low confidence.

Search finds them in the archive; they are only no longer part of every prompt. The owner's own words are never moved.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from everself.errors import RefusedByRule
from everself.memory.archive import log as record
from everself.memory.drafts import Draft
from everself.memory.entries import read_document
from everself.memory.memory import Memory
from everself.memory.provenance import CORRECTION, HAND, OWNER, is_human
from everself.memory.writing import close_entry, count_mention
from everself.text.markdown.comment import with_fields
from everself.text.markdown.edit import append_item
from everself.values import Author, Change, Entry, Tag, Tier, digest
from everself.workspace.layout import Kind, place

FADED: Final = 0.3
UNMENTIONED: Final = timedelta(days=60)
_OWN: Final = frozenset({OWNER, CORRECTION, HAND})


def is_faded(memory: Memory, entry: Entry) -> bool:
    """Whether an entry of the curated core is old, unmentioned and no longer sure."""
    if entry.tier is not Tier.CORE or entry.closed or entry.source in _OWN or entry.tag is Tag.CORRECTION:
        return False
    long_ago = entry.seen is not None and memory.clock.today() - entry.seen >= UNMENTIONED
    return long_ago and memory.confidence(entry) < FADED


def find_faded(memory: Memory, entries: Iterable[Entry]) -> list[Entry]:
    """The lines of MEMORY.md that can be archived."""
    return [one for one in entries if place(one.path).kind is Kind.CORE_MEMORY and is_faded(memory, one)]


def archive_lines(memory: Memory, identities: Sequence[str]) -> str:
    """Move these lines in one change, and return its id. A line that is not faded any more stays."""

    def plan() -> Change | None:
        found = [one for name in identities if (one := memory.catalog.find(name)) is not None]
        faded = find_faded(memory, found)
        if not faded:
            return None
        today = memory.clock.today()
        to = f"Archive/Memory/{today.year}-Q{(today.month + 2) // 3}.md"
        draft = memory.draft()
        for entry in faded:
            _move(draft, entry, to)
        sure = [f"entry:{one.id} (confidence {memory.confidence(one):.2f}, last seen {one.seen})" for one in faded]
        lines = [f"`{one.path}` → `{to}`, {words}" for one, words in zip(faded, sure, strict=True)]
        record.note(draft, memory.clock.now(), "lines archived", lines)
        key = f"archive {digest(repr([(one.id, str(one.seen)) for one in faded]).encode())[:32]}"
        evidence = tuple(f"entry:{one.id}" for one in faded)
        return Change(Author.KEEPER, "lines archived", draft.edits(), evidence, key=key)

    change = memory.change(plan)
    memory.catalog.refresh()
    return change


def merge_lines(memory: Memory, keep: str, drop: str) -> str:
    """Merge two lines with the same meaning: close `drop` in favour of `keep`, and count a mention if a person said it.

    Returns the id of the change.
    """

    def plan() -> Change | None:
        kept, dropped = memory.catalog.find(keep), memory.catalog.find(drop)
        if kept is None or dropped is None or kept.closed or dropped.closed:
            return None
        draft = memory.draft()
        if is_human(dropped.source):
            count_mention(draft, kept, max(filter(None, (kept.seen, dropped.seen)), default=memory.clock.today()))
        close_entry(draft, dropped, memory.clock.today(), kept.id)
        line = f"`{dropped.path}`: entry:{dropped.id} closed in favour of entry:{kept.id}, which says the same"
        record.note(draft, memory.clock.now(), "lines merged", [line])
        evidence = (f"entry:{kept.id}", f"entry:{dropped.id}")
        return Change(Author.KEEPER, "lines merged", draft.edits(), evidence, key=f"merge {kept.id} {dropped.id}")

    return memory.change(plan)


def _move(draft: Draft, entry: Entry, to: str) -> None:
    known = draft.take_out(entry)
    seen = None if known.get("seen") or entry.seen is None else entry.seen.isoformat()
    comment = with_fields(known, seen=seen) if seen else known
    words = entry.text.encode("utf-8", "replace")
    draft.splice(to, lambda document: append_item(document, "Out of MEMORY.md", words, comment), b"# Put away\n")
    there = [one.text for one in read_document(draft.find(to) or b"") if one.claim("id") == entry.id]
    if there != [entry.text]:
        raise RefusedByRule(f"{entry.id} would read differently in {to}.")
