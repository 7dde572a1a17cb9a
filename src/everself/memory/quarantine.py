"""The quarantine: the runtime writes suspicious entries here, and only the owner can release them."""

from everself.errors import RefusedByRule
from everself.frozen import Frozen
from everself.memory.memory import Memory, Remembered
from everself.memory.suspicion import set_apart
from everself.memory.writing import NewEntry, is_quarantined, log_in
from everself.text.markdown.comment import with_fields
from everself.values import Author, Change

CATEGORY = "released"


class Released(Frozen):
    """A released entry, with its old trust, its new location and the change."""

    entry: str
    path: str
    source: str
    change: str


def quarantine(memory: Memory, new_entry: NewEntry, reason: str) -> Remembered:
    """Quarantine an entry, with the reason as its category. A known or released one is not quarantined again."""
    return memory.remember(set_apart(new_entry, reason, memory.clock.today()))


def release(memory: Memory, identity: str) -> Released:
    """Move an entry to today's log. Its source and lineage stay: a release does not make it more trusted.

    The same text is not quarantined again, whatever its source.
    """
    found = memory.catalog.get(identity)
    if not is_quarantined(found.path):
        raise RefusedByRule(
            f"{found.id} is in {found.path}, not in quarantine.", mend="everself memory list --path quarantine"
        )

    def plan() -> Change:
        entry = memory.catalog.get(found.id)
        now = memory.clock.now()
        draft = memory.draft()
        day = now.date().isoformat()
        comment = with_fields(draft.take_out(entry), released=day)
        draft.log(log_in("", now.date()), now, CATEGORY, entry.text, comment, f"# Memory Log: {day}\n")
        return Change(Author.OWNER, "release", draft.edits(), (f"entry:{entry.id}",))

    change = memory.change(plan)
    if memory.releases is not None:
        memory.releases.note(found.text, memory.clock.now())
    # refresh both documents together, or the id would briefly belong to the old place
    memory.catalog.refresh()
    released = memory.catalog.get(found.id)
    return Released(released.id, released.path, released.source, change)
