"""What entries rest on: a message that says the same becomes evidence of an entry, and entries made of one message are told apart.

Decides nothing about trust: an entry keeps its source whatever is added to its lineage.
"""

from collections.abc import Iterable

from everself.classify.coverage import tells
from everself.classify.pairs import say_same
from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, evidenced
from everself.memory.provenance_undo import trace
from everself.memory.writing import restamp
from everself.values import Applied, Author, Change, Entry
from everself.workspace.layout import place

MESSAGE = "msg:"


def add_evidence(memory: Memory, identity: str, reference: str) -> str:
    """Name one more message that an entry of the agent rests on; the change, empty where it is named already. Its source stays."""

    def plan() -> Change | None:
        entry = memory.catalog.get(identity)
        # a comment that nobody vouches for would be vouched for with this
        if reference in entry.lineage or entry.source != AGENT or not entry.vouched:
            return None
        draft = memory.draft()
        record = restamp(draft, entry, evidenced(entry, reference))
        return Change(Author.AGENT, "evidence", draft.edits(), (reference, trace(entry)), provenance=(record,))

    outcome = memory.apply(plan)
    return outcome.id if isinstance(outcome, Applied) else ""


def same_statement(one: str, other: str) -> bool:
    """Whether two texts of one message tell the same: each all that the other does, or as the learned head says."""
    return (tells(one, other) and tells(other, one)) or say_same(one, other)


def copies_of(entry: Entry, entries: Iterable[Entry]) -> list[Entry]:
    """The open entries among these that were made of the same message and tell the same, in the same scope."""
    messages = {one for one in entry.lineage if one.startswith(MESSAGE)}
    where = place(entry.path)
    return [
        one
        for one in entries
        if one.id != entry.id
        and not one.closed
        and not messages.isdisjoint(one.lineage)
        and (place(one.path).person, place(one.path).project) == (where.person, where.project)
        and same_statement(entry.text, one.text)
    ]
