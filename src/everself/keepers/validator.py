"""The Recall Validator: embeds corrections, checks that they still hold, and asks about those that could not be applied.

Corrections act at once in the conversation. This keeper checks the results: whether search finds the correction by meaning, whether the
wrong text came back, and which corrections had nothing to correct. Proposes only.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from everself.classify.contradiction import contradicts
from everself.classify.corrections import Correction
from everself.classify.difference import differ_in_one_word
from everself.classify.openers import bare
from everself.conversation.sessions.session import Message
from everself.keepers.keeper import (
    Ask,
    Choice,
    CloseEntry,
    Confirm,
    KeeperProposal,
    Planned,
    Progress,
    Tell,
    referenced,
)
from everself.keepers.keeper_context import KeeperContext, is_memory, mark
from everself.memory.corrections import PATH, not_embedded
from everself.memory.provenance import CORRECTION, OWNER, is_human
from everself.search.similarity import words_of
from everself.text.normalise import fold, one_line
from everself.values import Entry, Tag
from everself.workspace.layout import Kind, place

NAME: Final = "recall-validator"
MATCH: Final = 0.85
# older searches are no longer relevant
RECENT: Final = timedelta(days=14)
# corrections checked in one run, the newest first
MOST: Final = 200
_NAMED: Final = 3
_SHOWN: Final = 120


class Validator:
    name = NAME
    title = "Recall Validator"
    # it does not run at a fixed time
    schedule = ""

    async def propose(self, context: KeeperContext, tell: Tell) -> KeeperProposal:
        upto = context.upto()
        heard = list(context.messages(upto))
        notes: list[str] = []
        planned = [*_embedded(context, notes), *_held(context, notes, tell), *_retried(context, heard)]
        return KeeperProposal(tuple(planned), tuple(notes), mark(heard[-1]) if heard else upto)


def _embedded(context: KeeperContext, notes: list[str]) -> Iterator[Planned]:
    """Read first: corrections made during embedding wait for the next run."""
    waiting = not_embedded(_records(context))
    if not waiting:
        return
    if context.embed():
        yield Planned(Confirm(waiting), referenced(waiting), "embedded again")
    else:
        notes.append(f"Corrections not embedded yet: {len(waiting)}; search finds them by keywords.")


def _held(context: KeeperContext, notes: list[str], tell: Tell) -> Iterator[Planned]:
    """Wrong texts that are present again, from before the correction or not from a human; and hits ranked above their correction."""
    corrections = [one for one in context.corrections() if not one.closed and one.source == CORRECTION]
    corrections = sorted(corrections, key=lambda one: one.day or date.min, reverse=True)[:MOST]
    by_id = {one.id: one for one in corrections}
    wrong = [(one, by_id[one.closed_by]) for one in context.entries() if one.closed and one.closed_by in by_id]
    for number, (gone, right) in enumerate(wrong, 1):
        tell(Progress(number, len(wrong), "corrections"))
        for again in context.memory.catalog.with_words(gone.text):
            if is_memory(again) and _is_overruled(again, right):
                reason = f"It was corrected: {one_line(right.text, _SHOWN)}"
                yield Planned(CloseEntry(again.id, right.id), referenced((right.id,)), reason)
        if context.sources.search.recall() is None:
            continue
        found = [one.id for one in context.related(gone.text)]
        if gone.id in found and right.id not in found[: found.index(gone.id)]:
            notes.append(f"{gone.id} is found before its correction {right.id}: everself memory rebuild")


def _is_overruled(again: Entry, right: Entry) -> bool:
    """If a human repeats it after the correction, that is a conflict, which this keeper does not handle."""
    if (
        again.closed
        or again.tag is Tag.CORRECTION
        or place(again.path).scope != place(right.path).scope
        or _is_record(again)
    ):
        return False
    older = again.day is not None and right.day is not None and again.day < right.day
    return older or not is_human(again.source)


def _retried(context: KeeperContext, heard: Sequence[Message]) -> Iterator[Planned]:
    """Corrections that found nothing to correct."""
    records = _records(context).decode("utf-8", "replace")
    for message in heard:
        if message.at < context.now - RECENT or context.speaker(message) != OWNER:
            continue
        verdict = context.triage(message.content)
        told = verdict.correction
        if told is None or verdict.about == "tool" or " ".join(told.trigger.split()) in records:
            continue
        yield from _asked(context, message, told)


def _asked(context: KeeperContext, message: Message, told: Correction) -> Iterator[Planned]:
    reference = f"msg:{message.id}"
    noted = next((one for one in context.open_entries() if reference in one.lineage), None)
    said_on = context.clock.day_of(message.at)
    others = [
        one
        for one in _candidates(context, told)
        if reference not in one.lineage and not _is_record(one) and (one.day is None or one.day <= said_on)
    ]
    if not others:
        return
    evidence = (reference, *referenced([one.id for one in others]))
    right = noted.id if noted is not None else ""
    if len(others) == 1 and noted is not None and told.sure == "high" and _matches(others[0], told):
        yield Planned(
            CloseEntry(others[0].id, noted.id),
            (reference,),
            f"Corrected: {one_line(told.trigger, _SHOWN)}",
            words=told.trigger,
        )
        return
    listed = " or ".join(f"“{one_line(one.text, _SHOWN)}”" for one in others[:_NAMED])
    words = f"You said “{one_line(told.trigger, _SHOWN)}”. Is this what was wrong: {listed}?"
    choices = [Choice(one_line(one.text, _SHOWN), (CloseEntry(one.id, right),)) for one in others[:_NAMED]]
    ask = Ask("question", reference, words, (*choices, Choice("None of these")))
    yield Planned(ask, evidence, "It could not be told what was wrong.")


def _candidates(context: KeeperContext, told: Correction) -> list[Entry]:
    """Entries that the correction may mean: similar and contradicted, explicitly denied, or about the same with the wrong words."""
    right = bare(told.trigger)
    old, new = words_of(told.old), words_of(told.new)
    alike = [one.entry for one in context.similar(right, MATCH)]
    found = [one for one in alike if contradicts(one.text, right) or (told.sure == "high" and not _says(one, told.new))]
    topic = words_of(told.trigger) - old - new
    for one in context.related(told.trigger) if old and topic else ():
        known = words_of(one.text)
        if not one.closed and old <= known and not new <= known and topic & known:
            found.append(one)
    return list({one.id: one for one in found}.values())


def _says(entry: Entry, new: str) -> bool:
    """Whether it already contains the wrong text of another entry."""
    return bool(new) and fold(new) in fold(entry.text)


def _matches(entry: Entry, told: Correction) -> bool:
    """Whether it differs in one word. Similar entries may both hold, so the owner is asked."""
    return differ_in_one_word(entry.text, bare(told.trigger))


def _records(context: KeeperContext) -> bytes:
    found = context.memory.workspace.find(PATH)
    return b"" if found is None else found.data


def _is_record(entry: Entry) -> bool:
    return place(entry.path).kind is Kind.CORRECTIONS
