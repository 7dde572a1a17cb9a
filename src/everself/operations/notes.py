"""Stores a model's note: each fact has one entry.

If an entry already states the fact, it stays and the message is added as its evidence. A model's words never close a person's entry. In a
conversation with text from outside, the owner's own sentence is stored instead of the note, because the note would be trusted no more than
that text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from everself.classify.corrections import find_change, parts_of
from everself.classify.coverage import (
    adds_nothing,
    has_more_numbers,
    is_chatter,
    is_made_of,
    picks_up,
    same_fact,
    shares_words,
    tells,
    untold,
    words_in_common,
)
from everself.classify.openers import bare
from everself.classify.pairs import replaces
from everself.classify.sentence_kinds import Sentence, SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.statements import read, read_each
from everself.conversation.outdated import find_outdated
from everself.conversation.sessions.session import Message
from everself.conversation.tools.protocol import ToolContext
from everself.memory.closing import part_of
from everself.memory.contrasts import names_other_value
from everself.memory.corrections import PATH as CORRECTIONS
from everself.memory.corrections import put_right, told_by
from everself.memory.memory import Corrected, Memory, Remembered
from everself.memory.provenance import AGENT, CORRECTION, HAND, OWN, OWNER, is_human, is_outside, kept, rank
from everself.memory.remaining_text import parted, spared, untouched
from everself.memory.replacement import beside, find_replacement
from everself.memory.same_message import copies_of, same_statement
from everself.memory.statements import said
from everself.memory.writing import NewEntry, core_path, is_quarantined, log_path
from everself.operations.caller import Caller
from everself.operations.origins import origin_of
from everself.runtime import Runtime
from everself.search.recall import RecallRequest
from everself.text.folding import without_quoted
from everself.values import Entry, Tier
from everself.workspace.layout import place

_LOOKED_AT: Final = 8
# enough for the message before this one, its reply, and the tool calls and results between them
_LOOKED_BACK: Final = 16
# words that a correction shares with the corrected entry: one for the subject, one for the statement
_IN_COMMON: Final = 2
# minimum likelihood that a statement replaces an entry, for a model's claim to be accepted
_LIKELY: Final = 0.5


def write_note(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> Remembered:
    """Write down what a model words, once. What it gives another value is closed, if the owner's message makes that wrong."""
    earlier = _said_earlier(runtime, new_entry, caller)
    if earlier is not None:
        caller = replace(caller, message=earlier.id, said=earlier.content)
        new_entry = replace(new_entry, origin=origin_of(new_entry.text, caller))
        since = _put_right_since(runtime.memory, new_entry, caller)
        if since is not None:
            return Remembered(since.id, since.path, mention=True)
    wrong, sure = _find_outdated(runtime, new_entry, caller)
    done = _close_outdated(runtime, wrong, new_entry, caller) if sure else None
    made = runtime.memory.catalog.find(done.entry) if done is not None else None
    if done is not None and made is not None:
        return Remembered(made.id, made.path, done.change, redacted=done.redacted)
    written = _write_once(runtime, new_entry, caller)
    if wrong and written.entry not in {one.id for one in wrong}:
        runtime.keepers.ask_which_holds(wrong[0].id, written.entry)
    return written


def _said_earlier(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> Message | None:
    """The message before this one, if the note has more in common with that: a model may note a fact a turn later."""
    log = runtime.chat.shared.log
    now = log.message(caller.message) if caller.by_owner and caller.said and not new_entry.explicit else None
    if now is None:
        return None
    found = log.messages(caller.session, now.seq - _LOOKED_BACK)
    before = next((one for one in reversed(found) if one.seq < now.seq and one.role == "user"), None)
    if before is None or before.person or before.meta.get("system"):
        # what somebody else or a program said is no statement of the owner's
        return None
    common = [len(words_in_common(new_entry.text, one)) for one in (before.content, caller.said)]
    return before if common[0] > common[1] else None


def _put_right_since(memory: Memory, new_entry: NewEntry, caller: Caller) -> Entry | None:
    """What took the place of an entry of this message that says the same: the note comes too late."""
    for path in (log_path(new_entry, memory.clock.today()), core_path(new_entry)):
        for entry in memory.catalog.of(path):
            ours = entry.closed and f"msg:{caller.message}" in entry.lineage
            if ours and same_statement(entry.text, new_entry.text):
                return memory.successors([entry]).get(entry.id)
    return None


def _find_outdated(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> tuple[Sequence[Entry], bool]:
    """The entries that a note gives another value, and whether they may be closed. None without a model: what the owner only states again
    with another value is asked about."""
    if not caller.by_owner or new_entry.explicit or new_entry.person or not caller.said:
        return (), False
    if not runtime.chat.shared.has_model:
        return (), False
    near = [one for one in _alike(runtime, new_entry, caller) if f"msg:{caller.message}" not in one.lineage]
    return find_outdated(near, new_entry.text, said(caller.said))


def _close_outdated(runtime: Runtime, wrong: Sequence[Entry], new_entry: NewEntry, caller: Caller) -> Corrected | None:
    """Close what a note gives another value. In a conversation that holds text from outside the owner's own sentence has to say so."""
    if caller.taint != OWN:
        return _put_right_as_said(runtime, wrong, caller)
    statements = [one.text for one in read_each(caller.said).of(*KEPT)]
    if not adds_nothing(new_entry.text, ("\n".join(statements), *(one.text for one in wrong))):
        return None
    return _close_for(runtime, wrong, new_entry, [], caller)


def close_for_note(runtime: Runtime, wrong: Sequence[Entry], words: str, caller: Caller) -> Corrected | None:
    """Close entries for what a model words, where the owner's own message says that they are wrong; None where it does not."""
    if caller.taint == OWN and _is_put_right(words, [one.text for one in wrong], caller):
        return _put_right(runtime, wrong, NewEntry(words, origin_of(words, caller)), caller)
    as_said = _put_right_as_said(runtime, wrong, caller)
    return _put_right_as_suspected(runtime, wrong, words, caller) if as_said is None else as_said


def _write_once(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> Remembered:
    """Store a model's note, without duplicates."""
    memory = runtime.memory
    if is_outside(new_entry.source) and caller.by_owner:
        own = list(_in_own_words(new_entry, caller))
        made = [_keep(memory, one, caller) for one in own]
        if made and not picks_up(new_entry.text, caller.said, [one.text for one in own]):
            return made[0]
        # without a matching owner's statement, the model's note is better than nothing
        return memory.remember(new_entry)
    known = _find_known(runtime, new_entry, caller)
    if known is None:
        return memory.remember(new_entry)
    # before compaction a model looks back, so the newest message is not the evidence
    return _settle(memory, new_entry, known, (f"msg:{caller.message}",) if caller.said else ())


def _is_put_right(words: str, wrong: Sequence[str], caller: Caller) -> bool:
    """Whether the owner's message supports the correction: it corrects something, concerns the wrong entry, and contains all new names and
    numbers."""
    statements = [one.text for one in read_each(caller.said).of(*KEPT)]
    if find_change(said(caller.said)) is None or not statements:
        return False
    stands = "\n".join(statements)
    return shares_words(stands, wrong) and adds_nothing(words, (stands, *wrong))


def is_about_another(wrong: Sequence[Entry], caller: Caller) -> bool:
    """Whether the owner's message contrasts two values and one of these entries contains neither."""
    return any(names_other_value(said(caller.said), one.text) for one in wrong)


def _put_right_as_suspected(runtime: "Runtime", wrong: Sequence[Entry], words: str, caller: Caller) -> Corrected | None:
    """Close an entry that a model names and that the owner's message may contradict; None if that is uncertain.

    The model's words are stored only if they add no name or number, otherwise the owner's own sentence is. Not in a conversation with text
    from outside, which may have chosen the entry.
    """
    statements = [one.text for one in read_each(caller.said).of(*KEPT)]
    if caller.taint != OWN or not statements or not all(_is_within_reach(one, caller) for one in wrong):
        return None
    found = _suspected(runtime, caller)
    if not all(one.id in found for one in wrong):
        return None
    own = _own_words(statements, words, caller)
    left: list[NewEntry] = []
    for one in wrong:
        rest = parted(one.text, f"{own} {words}") if is_human(one.source) else ""
        if rest is None:
            # the wrong part cannot be separated from the rest
            return None
        left += [part_of(one, rest, kept(one))] if rest and not is_chatter(rest) else []
    if adds_nothing(words, ("\n".join(statements), *(one.text for one in wrong))):
        return _close_for(runtime, wrong, NewEntry(words, origin_of(words, caller)), left, caller)
    right = next((one for one in (_stated(bare(own), caller), _stated(own, caller)) if one.source == OWNER), None)
    return _close_for(runtime, wrong, right, left, caller) if right is not None else None


def keep_beside(runtime: "Runtime", wrong: Sequence[Entry], new_entry: NewEntry, caller: Caller) -> str:
    """Store the owner's statement beside an entry that it may contradict, and ask which one holds. Returns the id of the question, empty if
    the message does not concern the entry."""
    statements = [one.text for one in read_each(caller.said).of(*KEPT)]
    if not statements or wrong[0].id not in _suspected(runtime, caller):
        return ""
    if caller.taint != OWN:
        # the wording may come from a page
        new_entry = _stated(_own_words(statements, new_entry.text, caller), caller)
        if new_entry.source != OWNER:
            return ""
    made = runtime.memory.catalog.find(_write_once(runtime, new_entry, caller).entry)
    if made is None or made.id in {one.id for one in wrong} or rank(runtime.memory.trust(made)) < rank(AGENT):
        return ""
    return runtime.keepers.ask_which_holds(wrong[0].id, made.id)


def _suspected(runtime: "Runtime", caller: Caller) -> set[str]:
    """The entries that the owner's message may contradict."""
    setting = ToolContext(caller.scope, caller.session, caller.message, caller.said, caller.by_owner, caller.taint)
    return {one.entry.id for one in runtime.chat.shared.resources.suspects(caller.said, setting)}


def _own_words(statements: Sequence[str], words: str, caller: Caller) -> str:
    """The shortest statement of the owner that shares most words with the model's note."""
    whole = " ".join(said(caller.said).split())
    sought = [(-len(words_in_common(one, words)), len(one), one) for one in (*statements, whole)]
    return min(sought)[2]


def _close_for(
    runtime: "Runtime", wrong: Sequence[Entry], right: NewEntry, left: Sequence[NewEntry], caller: Caller
) -> Corrected:
    memory = runtime.memory
    known = _of_message(memory, right, caller) or _correcting(memory, wrong, right, caller)
    if known is None or (right.source == OWNER and rank(memory.trust(known)) < rank(HAND)):
        names = [one.id for one in wrong[1:]]
        if right.source == OWNER:
            return memory.correct(wrong[0].id, right.text, right.origin, trigger=caller.said, copies=names, kept=left)
        return memory.revise(wrong[0].id, right.text, right.origin, trigger=caller.said, copies=names, kept=left)
    named = tuple(one.id for one in wrong if one.id != known.id)
    return Corrected(known.id, named, memory.supersede(named[0], known.id, copies=named[1:], kept=left, wider=True))


def _put_right(runtime: Runtime, wrong: Sequence[Entry], new_entry: NewEntry, caller: Caller) -> Corrected:
    """Close the wrong entry. It is replaced by the model's words, or by an equal entry from the same message."""
    memory = runtime.memory
    known = _of_message(memory, new_entry, caller) or _correcting(memory, wrong, new_entry, caller)
    left = list(_spared(wrong, new_entry.text, said(caller.said)))
    if known is None:
        return memory.revise(wrong[0].id, new_entry.text, new_entry.origin, trigger=caller.said, kept=left)
    names = tuple(one.id for one in wrong)
    return Corrected(known.id, names, memory.supersede(names[0], known.id, copies=names[1:], kept=left, wider=True))


def _spared(wrong: Sequence[Entry], right: str, message: str) -> Iterator[NewEntry]:
    """What a person also said in the wrong entries, without the clause of the old value, if it can be separated."""
    words = f"{right}\n{message}"
    for one in wrong:
        if not is_human(one.source):
            continue
        found = find_replacement(right, one.text)
        rest = (beside(found, one.text) if found is not None else "") or untouched(one.text, words)
        rest = rest or spared(one.text, words)
        if rest and not is_chatter(rest):
            yield part_of(one, rest, kept(one))


def _put_right_as_said(runtime: "Runtime", wrong: Sequence[Entry], caller: Caller) -> Corrected | None:
    """Close the wrong entry in favour of the owner's own statement; None if the message alone does not show that this entry is wrong.

    A page may choose neither the entry nor the words. Of all known entries, this one must be the most likely to be replaced, or share the
    most words. The rest of a person's entry is kept; if it cannot be separated, nothing is closed.
    """
    if not all(_is_within_reach(one, caller) for one in wrong):
        return None
    stated = [one.text for one in read(caller.said).of(*KEPT)]
    words = max(stated, key=lambda one: len(words_in_common(one, wrong[0].text)), default="")
    told = find_change(said(caller.said))
    if told is not None and not shares_words(without_quoted(told.trigger), (wrong[0].text,)):
        # the message corrects something else
        told = None
    heard = without_quoted(words)
    single = (heard[one.start : one.end] for one in parts_of(heard))
    nearest = max(single, key=lambda one: len(words_in_common(one, wrong[0].text)), default="")
    if told is None and replaces(nearest, wrong[0].text).likely < _LIKELY:
        return None
    copies = _copies_of_nearest(runtime, wrong[0], heard, told.old if told is not None else "", caller)
    if copies is None:
        return None
    return _close_as_said(runtime, wrong, copies, words, caller)


def _close_as_said(
    runtime: "Runtime", wrong: Sequence[Entry], copies: Sequence[Entry], words: str, caller: Caller
) -> Corrected | None:
    """Close entries in favour of the owner's statement; None if there is none, or if the rest cannot be separated."""
    memory = runtime.memory
    right = next((one for one in (_stated(bare(words), caller), _stated(words, caller)) if one.source == OWNER), None)
    if right is None:
        return None
    own = [(one, untouched(one.text, words)) for one in (*wrong, *copies) if is_human(one.source)]
    if any(rest is None for _, rest in own):
        return None
    # the rest keeps its source: another person's words do not become the owner's
    left = [part_of(one, rest, kept(one)) for one, rest in own if rest and not is_chatter(rest)]
    known = _of_message(memory, right, caller) or _acted_on(memory, right)
    names = [one.id for one in (*wrong[1:], *copies)]
    if known is None or rank(memory.trust(known)) < rank(HAND):
        return memory.correct(wrong[0].id, right.text, right.origin, trigger=words, copies=names, kept=left)
    closed = [one for first in wrong for one in (first, *copies_of(first, memory.catalog))] + [*copies]
    named = tuple(dict.fromkeys(one.id for one in closed if one.id != known.id))
    return Corrected(known.id, named, memory.supersede(named[0], known.id, copies=named[1:], kept=left, wider=True))


def _stated(words: str, caller: Caller) -> NewEntry:
    return NewEntry(words, origin_of(words, caller))


def _is_within_reach(entry: Entry, caller: Caller) -> bool:
    """Whether the entry is open and belongs to the owner, or to the project of the conversation."""
    where = place(entry.path)
    barred = entry.closed or entry.tier is Tier.SOUL or where.humans_only or is_quarantined(entry.path)
    return not barred and where.person is None and where.project in (None, caller.scope.project)


def _copies_of_nearest(runtime: "Runtime", wrong: Entry, words: str, old: str, caller: Caller) -> list[Entry] | None:
    """Entries that state the same as the wrong entry; None if another entry may be meant. `old` is the value that the owner calls wrong."""
    common = words_in_common(words, wrong.text)
    if not common or not runtime.agent.search.enabled:
        return None
    copies: list[Entry] = []
    others: list[Entry] = []
    asked = RecallRequest(words, _LOOKED_AT, 0.0, scope=caller.scope, recorded=False, counted=False)
    for name in dict.fromkeys(hit.entry for hit in runtime.recall.search(asked).hits if hit.entry):
        other = runtime.memory.catalog.find(name)
        if other is None or other.closed or name == wrong.id or f"msg:{caller.message}" in other.lineage:
            continue
        held = words_in_common(old, wrong.text) if old else set()
        again = words_in_common(words, other.text) == common and held and held == words_in_common(old, other.text)
        same = same_fact(other.text, wrong.text) or (again and set(other.lineage) & set(wrong.lineage))
        (copies if same else others).append(other)
    nearest = len(common) >= _IN_COMMON and all(len(words_in_common(words, one.text)) < len(common) for one in others)
    # a number replaces a number: "is paid 15 an hour" does not replace "is paid by cheque"
    nearest = nearest and (any(one.isdecimal() for one in wrong.text) or not has_more_numbers(words, wrong.text))
    likely = replaces(words, wrong.text).likely
    likeliest = likely >= _LIKELY and all(replaces(words, one.text).likely < likely for one in others)
    if not nearest and not likeliest:
        return None
    return [one for one in copies if rank(runtime.memory.trust(one)) >= rank(AGENT)]


def _in_own_words(new_entry: NewEntry, caller: Caller) -> Iterator[NewEntry]:
    """The owner's statements in this message from which the note was made: single sentences, or all if it uses words of several."""
    each = [one for one in read_each(caller.said).of(*KEPT) if is_made_of(new_entry.text, _wished(one))]
    whole = [one for one in read(caller.said).of(*KEPT) if _shared(new_entry, one) >= _IN_COMMON]
    most = max((_shared(new_entry, one) for one in each), default=0)
    for sentence in whole if any(_shared(new_entry, one) > most for one in whole) else each:
        words = _wished(sentence)
        asked = sentence.kind is SentenceKind.REMEMBER
        yield replace(new_entry, text=words, origin=origin_of(words, caller), explicit=asked)


def _shared(new_entry: NewEntry, sentence: Sentence) -> int:
    return len(words_in_common(_wished(sentence), new_entry.text))


def _keep(memory: "Memory", new_entry: NewEntry, caller: Caller) -> Remembered:
    """Store the owner's own words, unless an entry of this message already states them."""
    known = None if new_entry.explicit else _of_message(memory, new_entry, caller) or _acted_on(memory, new_entry)
    if known is not None and rank(memory.trust(known)) >= rank(HAND):
        return Remembered(known.id, known.path, mention=True)
    part = None if new_entry.explicit or new_entry.source != OWNER else _part_of(memory, new_entry, caller)
    if part is not None:
        # one sentence was stored for another note; this one contains it
        return memory.edit(part.id, new_entry.text, new_entry.origin, seen=part.text)
    return memory.remember(new_entry)


def _acted_on(memory: Memory, new_entry: NewEntry) -> Entry | None:
    """What was written in place of something wrong when the owner said this sentence."""
    record = memory.workspace.find(CORRECTIONS)
    name = told_by(record.data, new_entry.text) if record is not None else ""
    entry = memory.catalog.find(name) if name else None
    return entry if entry is not None and not entry.closed and set(new_entry.lineage) & set(entry.lineage) else None


def _wished(sentence: Sentence) -> str:
    return (sentence.what or sentence.text) if sentence.kind is SentenceKind.REMEMBER else sentence.text


def _find_known(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> Entry | None:
    """The open entry that states the note; None if it may state something else. Of a person's own words only a sentence that corrected
    something is known already."""
    memory = runtime.memory
    if new_entry.source != AGENT:
        return None if new_entry.explicit else _acted_on(memory, new_entry)
    made = _of_message(memory, new_entry, caller) or _asked_about(runtime, new_entry, caller)
    if made is not None:
        return made
    found = (one for one in _alike(runtime, new_entry, caller) if rank(memory.trust(one)) >= rank(AGENT))
    return next((one for one in found if same_fact(one.text, new_entry.text)), None)


def _part_of(memory: Memory, new_entry: NewEntry, caller: Caller) -> Entry | None:
    """An entry of this message whose text is part of these words."""
    reference = f"msg:{caller.message}"
    for one in memory.catalog.of(log_path(new_entry, memory.clock.today())):
        if not one.closed and one.source == OWNER and reference in one.lineage and one.text in new_entry.text:
            return one
    return None


def _of_message(memory: Memory, new_entry: NewEntry, caller: Caller) -> Entry | None:
    """An entry of this message that states the same."""
    reference = f"msg:{caller.message}"
    for path in (log_path(new_entry, memory.clock.today()), core_path(new_entry)):
        for entry in memory.catalog.of(path):
            if entry.closed or reference not in entry.lineage:
                continue
            if _tells(entry, new_entry.text, caller.said) or _is_told_with(memory, entry, new_entry.text, caller.said):
                return entry
    return None


def _is_told_with(memory: Memory, entry: Entry, words: str, message: str) -> bool:
    """Whether a correction of the owner's tells a note: all its words stand there or in what was put right, and so does what is new. A note
    of only what was put right comes too late."""
    record = memory.workspace.find(CORRECTIONS) if entry.source == CORRECTION else None
    named = put_right(record.data, entry.id) if record is not None else ()
    old = [one.text for name in named if (one := memory.catalog.find(name)) is not None]
    if any(same_statement(one, words) for one in old):
        return True
    if not old or not words_in_common(words, entry.text) - words_in_common(words, "\n".join(old)):
        return False
    return adds_nothing(words, (entry.text, *old)) and not picks_up(words, message, (entry.text, *old))


def _correcting(memory: Memory, wrong: Sequence[Entry], new_entry: NewEntry, caller: Caller) -> Entry | None:
    """The owner's own correcting sentence, if it is stored and the model's words add nothing."""
    reference, old = f"msg:{caller.message}", [one.text for one in wrong]
    for entry in memory.catalog.of(log_path(new_entry, memory.clock.today())):
        if not entry.closed and reference in entry.lineage and is_human(entry.source) and find_change(entry.text):
            return entry if adds_nothing(new_entry.text, (entry.text, *old)) else None
    return None


def _asked_about(runtime: Runtime, new_entry: NewEntry, caller: Caller) -> Entry | None:
    """The owner's sentence of this message that was kept with the question of what it makes wrong, where a note adds nothing to the two."""
    if not caller.said:
        return None
    memory, reference = runtime.memory, f"msg:{caller.message}"
    own = [one for one in memory.catalog.of(log_path(new_entry, memory.clock.today())) if reference in one.lineage]
    own = [one for one in own if not one.closed and is_human(one.source) and find_change(one.text) is not None]
    old = [one.text for name in _suspected(runtime, caller) if (one := memory.catalog.find(name))] if own else []
    for one in own if old else ():
        told = words_in_common(new_entry.text, one.text) - words_in_common(new_entry.text, "\n".join(old))
        held = (one.text, *old)
        if told and adds_nothing(new_entry.text, held) and not picks_up(new_entry.text, caller.said, held):
            return one
    return None


def _settle(memory: Memory, new_entry: NewEntry, known: Entry, evidence: Sequence[str]) -> Remembered:
    """Store nothing twice. If the person asked to keep it, the entry moves from the agent's log to the core in the new words."""
    if new_entry.explicit and known.source == AGENT and known.tier is not Tier.CORE:
        made = memory.remember(new_entry)
        if made.entry != known.id:
            memory.supersede(known.id, made.entry)
        return made
    for reference in evidence:
        memory.add_evidence(known.id, reference)
    return Remembered(known.id, known.path, mention=True)


def _tells(entry: Entry, words: str, message: str) -> bool:
    """Within one message. If a person's own words are stored, a longer note is needed only if it contains more of the message."""
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
