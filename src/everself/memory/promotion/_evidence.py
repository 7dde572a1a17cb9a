"""Whether an entry rests on the owner's words. Only such entries can be promoted. Reads only.

A note of a session, the agent's replies and what a job told it are its own words; promoted, they would be believed for having been said.
"""

from typing import Final

from everself.memory.entries import TRANSCRIPT, quotes_a_talk
from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, PERSON, is_human
from everself.storage.state.messages import Messages
from everself.values import Entry
from everself.workspace.layout import place

# categories that the runtime uses for notes about sessions, jobs and heartbeats
_RUNTIME: Final = frozenset({"session", "cron", "heartbeat"})


def is_told(memory: Memory, messages: Messages, entry: Entry) -> bool:
    """Whether the owner said it (in a person's own memory: that person), or it names what they said as its evidence."""
    if entry.kind == TRANSCRIPT or quotes_a_talk(entry.text):
        return False
    if entry.category in _RUNTIME and not is_human(entry.source):
        return False
    trust = memory.trust(entry)
    if trust.startswith(PERSON):
        return trust == f"{PERSON}{place(entry.path).person}"
    return is_human(trust) or (trust == AGENT and _has_evidence(memory, messages, entry))


def _has_evidence(memory: Memory, messages: Messages, entry: Entry) -> bool:
    """Each thing that it names was said by a person in a conversation, or is an entry of which the same holds."""
    left, seen = [entry], {entry.id}
    while left:
        one = left.pop()
        if is_human(one.source):
            continue
        if not one.lineage:
            return False
        for reference in one.lineage:
            kind, _, name = reference.partition(":")
            if kind == "entry":
                found = memory.catalog.find_even_gone(name)
                if found is None:
                    return False
                left += [found] if found.id not in seen else []
                seen.add(found.id)
            elif kind != "msg" or not messages.is_told(name):
                return False
    return True
