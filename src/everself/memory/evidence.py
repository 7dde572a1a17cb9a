"""A message that says what an entry says becomes evidence of it. Decides nothing about trust: an entry keeps its source whatever is added
to its lineage."""

from everself.errors import RefusedByRule
from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, evidenced
from everself.memory.provenance_undo import trace
from everself.memory.writing import change_words, clean, restamp
from everself.text.note_quotes import with_quote
from everself.values import Applied, Author, Change


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


def quote(memory: Memory, identity: str, words: str) -> bool:
    """Put behind a note of the agent what it leaves out of the words that it was made of; its source stays. False where it is no such note
    any more, or a rule forbids the words."""
    cleaned = clean(words).text
    stands = False

    def plan() -> Change | None:
        nonlocal stands
        entry = memory.catalog.find(identity)
        if entry is None or entry.source != AGENT or not entry.vouched or entry.closed or "\n" in entry.text:
            return None
        made = with_quote(entry.text, cleaned)
        stands = made == entry.text or cleaned in entry.text
        if stands:
            return None
        draft = memory.draft()
        record = change_words(draft, entry, made, evidenced(entry))
        return Change(Author.AGENT, "evidence", draft.edits(), (trace(entry),), provenance=(record,))

    try:
        return isinstance(memory.apply(plan), Applied) or stands
    except RefusedByRule:
        return False
