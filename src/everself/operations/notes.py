"""What becomes of a model's note: one fact has one entry.

Where an entry tells it already, that one stands, and the message becomes evidence of it: of the same message whatever tells it in other
words, of another one only what tells the same. Nothing of a person's is closed for a model's words. In a conversation that holds text from
outside, the owner's own sentence is kept instead of a note of it, which would be worth no more than that text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from everself.classify.corrections import find_change
from everself.classify.coverage import adds_nothing, is_made_of, picks_up, same_fact, shares_words, tells, untold
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.statements import read_each
from everself.memory.copies import same_statement
from everself.memory.evidence import add_evidence
from everself.memory.memory import Corrected, Memory, Remembered
from everself.memory.provenance import AGENT, is_outside, rank
from everself.memory.statements import said
from everself.memory.writing import NewEntry, core_path, is_quarantined, log_path
from everself.operations.caller import Caller
from everself.operations.origins import origin_of
from everself.runtime import Runtime
from everself.search.recall import RecallRequest
from everself.values import Entry, Tier
from everself.workspace.layout import place

_LOOKED_AT: Final = 8


def write_note(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> Remembered:
    """Write down what a model words, once."""
    memory = runtime.memory
    if is_outside(new_entry.source) and caller.by_owner:
        own = list(_in_own_words(new_entry, caller))
        made = [memory.remember(one) for one in own]
        if made and not picks_up(new_entry.text, caller.said, [one.text for one in own]):
            return made[0]
        # what the owner said of it is not told from what they show: better the model's word for it than none
        return memory.remember(new_entry)
    known = _find_known(runtime, new_entry, caller)
    if known is None:
        return memory.remember(new_entry)
    # before compaction a model looks back, and the newest message is not what it writes from
    return _settle(memory, new_entry, known, (f"msg:{caller.message}",) if caller.said else ())


def is_put_right(words: str, wrong: Sequence[str], caller: Caller) -> bool:
    """Whether the owner says in this message what a model puts right: the message corrects something, and is about the wrong entry; no name
    and no number is new that the owner did not name."""
    statements = [one.text for one in read_each(caller.said).of(*KEPT)]
    if find_change(said(caller.said)) is None or not statements:
        return False
    stands = "\n".join(statements)
    return shares_words(stands, wrong) and adds_nothing(words, (stands, *wrong))


def put_right(runtime: Runtime, wrong: Sequence[Entry], new_entry: NewEntry, caller: Caller) -> Corrected:
    """Close the wrong entry for what a model words, or for what was kept of this message already and tells the same."""
    memory = runtime.memory
    known = _of_message(memory, new_entry, caller)
    if known is None:
        return memory.revise(wrong[0].id, new_entry.text, new_entry.origin, trigger=caller.said)
    changes = [memory.supersede(one.id, known.id) for one in wrong]
    return Corrected(known.id, tuple(one.id for one in wrong), changes[-1])


def _in_own_words(new_entry: NewEntry, caller: Caller) -> Iterator[NewEntry]:
    """The sentences that the owner states in this message and the note was made of."""
    for sentence in read_each(caller.said).of(*KEPT):
        asked = sentence.kind is SentenceKind.REMEMBER
        words = (sentence.what or sentence.text) if asked else sentence.text
        if is_made_of(new_entry.text, words):
            yield replace(new_entry, text=words, origin=origin_of(words, caller), explicit=asked)


def _find_known(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> Entry | None:
    """The open entry that tells what a model words; None for a person's own words, and where it may tell something else."""
    if new_entry.source != AGENT:
        return None
    memory = runtime.memory
    made = _of_message(memory, new_entry, caller)
    if made is not None:
        return made
    found = (one for one in _alike(runtime, new_entry, caller) if rank(memory.trust(one)) >= rank(AGENT))
    return next((one for one in found if same_fact(one.text, new_entry.text)), None)


def _of_message(memory: Memory, new_entry: NewEntry, caller: Caller) -> Entry | None:
    """What was made of this message and tells the same."""
    reference = f"msg:{caller.message}"
    for path in (log_path(new_entry, memory.clock.today()), core_path(new_entry)):
        for entry in memory.catalog.of(path):
            if not entry.closed and reference in entry.lineage and _tells(entry, new_entry.text, caller.said):
                return entry
    return None


def _settle(memory: Memory, new_entry: NewEntry, known: Entry, evidence: Sequence[str]) -> Remembered:
    """Write nothing twice. What the person now asks to be remembered moves from the agent's log to the core, in the new words."""
    if new_entry.explicit and known.source == AGENT and known.tier is not Tier.CORE:
        made = memory.remember(new_entry)
        if made.entry != known.id:
            memory.supersede(known.id, made.entry)
        return made
    for reference in evidence:
        add_evidence(memory, known.id, reference)
    return Remembered(known.id, known.path, mention=True)


def _tells(entry: Entry, words: str, message: str) -> bool:
    """Of one message. Where the own words of a person stand, a note that says more is not needed unless it tells more of the message."""
    if tells(entry.text, words) or same_statement(entry.text, words):
        return True
    own = entry.source != AGENT
    return own and not untold(entry.text, (words,)) and not picks_up(words, message, (entry.text,))


def _alike(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> Iterator[Entry]:
    if not runtime.agent.search.enabled:
        return
    asked = RecallRequest(new_entry.text, _LOOKED_AT, 0.0, scope=caller.scope, recorded=False, counted=False)
    home = place(core_path(new_entry) if not new_entry.project else log_path(new_entry, runtime.clock.today()))
    for name in dict.fromkeys(hit.entry for hit in runtime.recall.search(asked).hits if hit.entry):
        entry = runtime.memory.catalog.find(name)
        if entry is None or entry.closed or is_quarantined(entry.path) or place(entry.path).humans_only:
            continue
        if (place(entry.path).person, place(entry.path).project) == (home.person, home.project):
            yield entry
