"""A message that says what an entry says becomes evidence of it. Decides nothing about trust: an entry keeps its source whatever is added
to its lineage."""

from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, evidenced
from everself.memory.undo import trace
from everself.memory.writing import restamp
from everself.values import Author, Change


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

    return memory.change(plan)
