"""Applies a correction immediately: closes the wrong entry and writes the right one, before any model sees the message.

Changes only what is unambiguous: one entry that contains the wrong words, or one that the message gives another value. Copies of that entry
are closed with it. If it is ambiguous, nothing is closed: the message is stored, and the owner is asked. Does not decide whether a message
is a correction; triage does.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from everself.classify.corrections import Correction, hint_of_correction
from everself.classify.coverage import (
    count_words,
    is_chatter,
    words_in_common,
    words_of_substance,
)
from everself.classify.openers import bare
from everself.classify.sentence_kinds import SentenceKind
from everself.classify.sentences import KEPT
from everself.classify.shown import said as spoken
from everself.classify.statements import is_command, read, read_each
from everself.classify.triage import Triage, Verdict
from everself.conversation import correction_replies as replies
from everself.conversation.judged_entries import find_judged
from everself.conversation.reflex.replies import reply
from everself.conversation.replacements import Replaced, find_replaced
from everself.conversation.resources import Acted
from everself.conversation.suspects import Suspect, find_suspects
from everself.conversation.tools.protocol import ToolContext, Written
from everself.conversation.wrong_entries import (
    Copies,
    changed,
    copies_of,
    differ,
    find_wrong,
    put_in_place,
    terms_of,
)
from everself.errors import NotFound, RefusedByRule
from everself.memory.closing import part_of
from everself.memory.contrasts import denied_word, names_other_value
from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, CORRECTION, HAND, evidenced, is_human, kept, rank, stated_by_owner
from everself.memory.remaining_text import apart_from, says_again
from everself.memory.writing import NewEntry
from everself.search.recall import Recall, RecallRequest
from everself.search.scopes import SessionKind
from everself.search.similarity import TextSimilarity
from everself.text.choices import read_choice
from everself.text.note_quotes import parts_of
from everself.text.quantities import read_quantities
from everself.text.sentences import Language, language_of, split
from everself.text.yes_no import read_answer
from everself.values import Entry, Origin, Tier
from everself.workspace.layout import place

_LOOKED_AT: Final = 12
_NAMED: Final = 3
# a message up to this length has one subject, so one of its sentences may complete another
_WHOLE: Final = 300
# a longer message has many subjects
_LONGEST: Final = 600
# words that a sentence needs to be worth storing
_TELLING: Final = 2


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question to the owner: which of the older entries, each with its copies, no longer holds beside the newer one that was stored. If
    nothing was stored, `told` says what is right."""

    older: tuple[tuple[str, ...], ...]
    newer: str
    told: Correction
    language: Language

    def read(self, text: str) -> tuple[str, ...] | None:
        """The ids to close after an answer; None if the text is not an answer. For one entry the question is whether it still holds, so
        "no" closes it. For several the question is which one is wrong, so "no" closes none."""
        answer = read_answer(text) if text.strip() else None
        if len(self.older) == 1 and answer is not None:
            return () if answer else self.older[0]
        number = read_choice(text, len(self.older))
        if number:
            return self.older[number - 1]
        return () if answer is False else None


class OwnersQuestions(Protocol):
    """Stores questions until the owner says which of two statements holds, in this conversation or in review."""

    def ask_which_holds(self, older: str, newer: str) -> object: ...

    def settle_which_holds(self, older: str, newer: str, *, replaced: bool) -> object: ...


@dataclass(frozen=True, slots=True)
class CorrectionHandler:
    """`handle` passes a message to a program that asked for such messages, and returns whether it took it. `before` stores what was said
    earlier in the conversation, because the wrong statement may not be an entry yet. `alike` is calibrated similarity. `earlier` returns
    the agent's last reply and the message that it answered. `has_model`: a model reads the message too. `questions` stores questions for
    review; `asked` is the last question of each session, which only the next message may answer."""

    memory: Memory
    recall: Recall
    triage: Triage
    handle: Callable[[str, str], bool] = lambda _, __: False
    before: Callable[[ToolContext], object] = lambda _: None
    alike: Callable[[str, Sequence[str]], Sequence[float]] = TextSimilarity().of
    earlier: Callable[[ToolContext], tuple[str, ...]] = lambda _: ()
    questions: Callable[[], OwnersQuestions] | None = None
    has_model: Callable[[], bool] = lambda: False
    asked: dict[str, _Asked] = field(default_factory=dict)

    def process(self, text: str, setting: ToolContext) -> Acted:
        """Read a message and act on it."""
        asked = self.asked.pop(setting.session, None) if setting.by_owner else None
        if asked is not None and (answer := asked.read(text)) is not None:
            return self._close(answer, asked, setting)
        verdict = self.triage.read(text)
        taken = [self.handle(program, text) for program in verdict.routes] if setting.by_owner else []
        if verdict.about == "tool" and taken[:1] == [True]:
            # the handler program took the message: it is about the agent's abilities, and no memory is wrong
            return Acted()
        return self.act(text, verdict, setting)

    def act(self, text: str, verdict: Verdict, setting: ToolContext) -> Acted:
        # what others say in a group does not correct the owner's statements
        if not setting.by_owner or setting.scope.kind is not SessionKind.MAIN:
            return Acted()
        told = verdict.correction
        if told is None:
            return self._look_again(text, setting)
        if is_command(text) or read(told.trigger).of(SentenceKind.FORGET):
            # neither a request to forget nor a command is a correction
            return Acted()
        language = language_of(told.trigger, text)
        if told.sure == "low" and bare(told.trigger).casefold() != told.trigger.strip().casefold():
            # "no, …" says that something is wrong, whatever the head's score for the rest
            told = replace(told, sure="medium")
        self.before(setting)
        message = spoken(text)
        told = replace(told, trigger=_whole_sentence(told.trigger, message))
        if not told.old:
            old, new = denied_word(told.trigger)
            told = replace(told, old=old, new=new)
        found = self._found(f"{told.trigger} {told.old}", setting)
        earlier = self._earlier(setting)
        around = self._found(message, setting) if message.strip() != told.trigger and len(message) <= _WHOLE else []
        around += [one for words in earlier for one in self._found(words, setting)]
        around = [one for one in dict.fromkeys(around) if one not in found]
        replaced = find_replaced([*found, *around], told, message, earlier)
        if replaced is not None and replaced.sure:
            told = replace(told, trigger=_with_value(told.trigger, message))
            return self._put_right(replaced, told, setting, language)
        # a message that names the wrong value is not about entries without it
        found = [one for one in found if not names_other_value(message, one.text)]
        wrong, unsure = find_wrong(found, told, self.alike)
        right = put_in_place(wrong, told) if wrong else None
        if right is not None and right.sure:
            return self._put_right(right, told, setting, language)
        judged = self._judged([*found, *around], told, message, setting)
        if judged is not None:
            return self._put_right(judged, told, setting, language)
        if right is not None:
            unsure = [right.entries]
        elif replaced is not None:
            unsure = [replaced.entries]
        elif told.sure == "low":
            # a reported change leads to a question only about entries that it would change, not about similar ones
            said = bare(told.trigger)
            unsure = [one for one in unsure if differ(one[0].text, said)] or changed(copies_of(found, told), said)
        if unsure:
            return self._ask(unsure[:_NAMED], told, setting, language)
        again = next((one for one in found if _is_repeated(one, told)), None)
        if again is not None:
            # repeating a correction is a mention of it
            return self._note(replace(told, trigger=again.text), setting, language)
        # a change of something unknown is a statement, and is stored like any other
        return self._ask_suspect(text, setting) if told.sure == "low" else self._note(told, setting, language)

    def _ask(self, unsure: Sequence[Copies], told: Correction, setting: ToolContext, language: Language) -> Acted:
        """Ask once which of these is wrong. The message is stored even if the owner never answers, because it is a statement."""
        whole = _whole_statement(told, " ".join(spoken(setting.said).split()))
        noted = self._note(replace(told, trigger=whole), setting, language)
        newer = noted.written[0].entry if noted.written else ""
        older = tuple(tuple(one.id for one in copies) for copies in unsure)
        self.asked[setting.session] = _Asked(older, newer, told, language)
        kept = self.questions() if newer and self.questions is not None else None
        for name in (one for copies in older for one in copies):
            if kept is not None:
                kept.ask_which_holds(name, newer)
        listed = [f"{copies[0].text} ({copies[0].reference})" for copies in unsure]
        if len(listed) == 1:
            return replace(noted, question=replies.STILL[language].format(all=listed[0]))
        numbered = "; ".join(f"{number}. {words}" for number, words in enumerate(listed, 1))
        return replace(noted, question=replies.WHICH[language].format(all=numbered))

    def suspects(self, text: str, setting: ToolContext) -> tuple[Suspect, ...]:
        """The owner's entries that a message may make wrong, for a model to judge. Entries made from the message itself are excluded."""
        message = spoken(text).strip()
        if not message or len(message) > _LONGEST or not setting.by_owner or setting.scope.kind is not SessionKind.MAIN:
            return ()
        if not read_each(message).of(*KEPT):
            # a message with only questions makes nothing wrong
            return ()
        earlier = self._earlier(setting)
        asked = self.asked.get(setting.session)
        doubted = [one for copies in (asked.older if asked else ()) for one in map(self.memory.catalog.find, copies)]
        found = [one for words in (message, *earlier[:1]) for one in self._found(words, setting)]
        own = f"msg:{setting.message}"
        known: dict[str, Entry] = {}
        for one in (*doubted, *found):
            if one is not None and own not in one.lineage and rank(self.memory.trust(one)) >= rank(AGENT):
                known.setdefault(one.id, one)
        first = [one for one in known.values() if one in doubted]
        return find_suspects(message, earlier[0] if earlier else "", list(known.values()), first)

    def _look_again(self, text: str, setting: ToolContext) -> Acted:
        """A message that is not worded as a correction may still be one if it gives something known another value."""
        message, earlier = spoken(text).strip(), self._earlier(setting)
        if len(message) > _WHOLE or is_command(text):
            return Acted()
        states = _states(message)
        if not states and (not read_quantities(message) or not earlier or read(message).of(SentenceKind.QUESTION)):
            return Acted()
        self.before(setting)
        told = Correction("hint", _valued(message), likely=hint_of_correction(message))
        replaced = None
        if read_quantities(message):
            found = self._found(" ".join((message, *earlier[:1])), setting)
            replaced = find_replaced(found, told, message, earlier)
        if replaced is None or not replaced.sure:
            replaced = self._judged(self._found(message, setting), told, message, setting) if states else None
        if replaced is None:
            return self._ask_suspect(text, setting)
        return self._put_right(replaced, told, setting, language_of(message))

    def _judged(self, found: Sequence[Entry], told: Correction, message: str, setting: ToolContext) -> Replaced | None:
        """What the head that sees both is nearly certain of. Entries of this message, and what others wrote, are not judged."""
        own = f"msg:{setting.message}"
        known = [one for one in found if own not in one.lineage and rank(self.memory.trust(one)) >= rank(AGENT)]
        earlier = self._earlier(setting)
        return find_judged(known, told, message, earlier[0] if earlier else "")

    def _ask_suspect(self, text: str, setting: ToolContext) -> Acted:
        """Ask about the one entry that the whole message is likely to make wrong, whatever its words. Does nothing if there is none, or if
        a model answers, because the model is given the suspects and judges itself."""
        message = " ".join(spoken(text).split())
        if len(message) > _WHOLE or not _states(message) or self.has_model():
            return Acted()
        self.before(setting)
        found = [(one.entry,) for one in self.suspects(text, setting) if one.asked]
        told = Correction("hint", message)
        return self._ask(found, told, setting, language_of(message)) if found else Acted()

    def _earlier(self, setting: ToolContext) -> tuple[str, ...]:
        """What was said right before; empty if it is long, because a short answer does not refer to a long text."""
        found = self.earlier(setting)
        return found if found and all(len(one) <= _WHOLE for one in found) else ()

    def _close(self, chosen: Sequence[str], asked: _Asked, setting: ToolContext) -> Acted:
        """Apply the owner's answer that these entries no longer hold. Entries closed, changed or forgotten since the question stay as they
        are."""
        older = tuple(one for name in chosen if (one := self.memory.catalog.find(name)) is not None and not one.closed)
        newer = self.memory.catalog.find(asked.newer) if asked.newer else None
        waiting = self.questions() if asked.newer and self.questions is not None else None
        for name in (one for copies in asked.older for one in copies):
            if waiting is not None:
                waiting.settle_which_holds(name, asked.newer, replaced=name in chosen)
        if not older or (asked.newer and (newer is None or newer.closed)):
            return Acted()
        right = put_in_place(older, asked.told)
        if newer is None or right.text != right.words:
            # only one value is exchanged, and the statement stored so far says less than the result
            if newer is not None:
                left = " ".join(newer.text.replace(asked.told.trigger, " ", 1).split())
                rest = (*right.rest, (newer, left)) if left and left != newer.text else right.rest
                right = replace(right, entries=(*right.entries, newer), rest=rest)
            return self._put_right(right, asked.told, setting, asked.language)
        change = self.memory.supersede(older[0].id, newer.id, copies=[one.id for one in older[1:]], wider=True)
        done = replies.DONE[asked.language].format(old=older[0].text, new=newer.text, where=newer.reference)
        return Acted((Written("corrected", newer.text, newer.reference, newer.id, change),), (done,))

    def _found(self, query: str, setting: ToolContext) -> list[Entry]:
        request = RecallRequest(
            query, limit=_LOOKED_AT, min_score=0.0, scope=setting.scope, recorded=False, counted=False
        )
        ids = dict.fromkeys(hit.entry for hit in self.recall.search(request).hits if hit.entry)
        entries = [entry for one in ids if (entry := self.memory.catalog.find(one)) is not None]
        known = [one for one in entries if not one.closed and one.tier is not Tier.SOUL]
        return [part for one in known if not place(one.path).humans_only for part in _parts(one, query)]

    def _put_right(self, replaced: Replaced, told: Correction, setting: ToolContext, language: Language) -> Acted:
        wrong, right = replaced.entries, replaced.text
        first = wrong[0]
        # other people's text does not become the owner's, so nothing of their entry is kept
        theirs = any(rank(self.memory.trust(one)) < rank(HAND) for one in wrong)
        if theirs and not _tells(replaced.words):
            return self._revise(replaced, told, setting, language)
        if theirs:
            right = replaced.words
        rest = () if theirs else replaced.rest
        # what an agent's note quotes stays as an entry of its own
        left = [part_of(one, words, kept(one)) for one, words in rest if is_human(one.source) and not is_chatter(words)]
        copies = tuple(one.id for one in wrong[1:])
        trigger, sure = told.trigger, _confidence(told)
        try:
            made = self.memory.correct(
                first.id, right, _origin(setting), said=first.text, trigger=trigger, sure=sure, copies=copies, kept=left
            )
        except (RefusedByRule, NotFound):
            return Acted(question=replies.WHAT[language])
        entry = self.memory.catalog.get(made.entry)
        done = replies.DONE[language].format(old=first.text, new=entry.text, where=entry.reference)
        written = Written("corrected", entry.text, entry.reference, made.entry, made.change, made.redacted)
        return Acted((written,), (done, *_left_out(made.redacted, language)))

    def _revise(self, replaced: Replaced, told: Correction, setting: ToolContext, language: Language) -> Acted:
        """Revise an agent's note with the value that the owner gives. It stays the agent's, and rests on this message too. Text from
        outside is not reworded; only the owner's own words can replace it."""
        first, *copies = replaced.entries
        if copies or replaced.text == replaced.words or self.memory.trust(first) != AGENT:
            return Acted(question=replies.WHAT[language])
        origin = evidenced(first, f"msg:{setting.message}")
        made = self.memory.revise(first.id, replaced.text, origin, trigger=told.trigger)
        entry = self.memory.catalog.get(made.entry)
        done = replies.DONE[language].format(old=first.text, new=entry.text, where=entry.reference)
        return Acted((Written("corrected", entry.text, entry.reference, made.entry, made.change),), (done,))

    def _note(self, told: Correction, setting: ToolContext, language: Language) -> Acted:
        """Store the message verbatim if it contains a statement, because no entry is known that could be wrong."""
        said = bare(told.trigger)
        # "its 9:45" does not say what it is about
        if not _tells(said) or not words_of_substance(said):
            return Acted(question=replies.WHAT[language])
        key = f"correcting:{setting.message}"
        try:
            made = self.memory.remember(NewEntry(told.trigger, _origin(setting), "correction", key=key))
        except RefusedByRule:
            return Acted()
        entry = self.memory.catalog.find(made.entry)
        where, words = (entry.reference, entry.text) if entry is not None else (made.path, told.trigger)
        done = replies.KEPT[language].format(new=words, where=where)
        written = Written("remembered", words, where, made.entry, made.change, made.redacted)
        return Acted((written,), (done, *_left_out(made.redacted, language)))


def _whole_sentence(trigger: str, message: str) -> str:
    """The sentence that begins with these words, if a dot within it was taken for its end: "am 3. Dezember"."""
    found = (message[start:end] for start, end in split(message))
    return next((one for one in found if one.startswith(trigger) and len(one) <= _WHOLE), trigger)


def _valued(message: str) -> str:
    """The only sentence of a message that has values; the whole message if several have."""
    found = [one for one in (message[start:end] for start, end in split(message)) if read_quantities(one)]
    return found[0] if len(found) == 1 else message


def _with_value(trigger: str, message: str) -> str:
    """The sentence that tells of a change, with the one that gives the value where it gives none: both were acted on."""
    valued = _valued(message)
    return trigger if read_quantities(trigger) or valued == message else f"{trigger} {valued}"


def _whole_statement(told: Correction, message: str) -> str:
    """The consecutive statements that contain the correction, because the next sentence may say what the first one refers to."""
    rows = (" ".join(one.text.split()) for one in read(message).of(*KEPT))
    return next((one for one in rows if told.trigger in one and len(one) <= _WHOLE), told.trigger)


def _parts(entry: Entry, said: str) -> Iterator[Entry]:
    """A note and its quotation as separate entries if the quotation states something else. If both state the same, only the one nearer to
    what is said now, because the wrong value would otherwise be found twice."""
    claim, quoted = parts_of(entry.text) if entry.source == AGENT else (entry.text, "")
    other = apart_from(quoted, claim)
    same = [one for one in (claim, "" if other else quoted) if one]
    yield entry._replace(text=max(same, key=lambda one: len(words_in_common(one, said)) / max(1, count_words(one))))
    if other:
        yield entry._replace(text=other)


def _confidence(told: Correction) -> str:
    """The confidence in the record, which has only two values."""
    return "high" if told.sure == "high" else "medium"


def _left_out(secrets: tuple[str, ...], language: Language) -> tuple[str, ...]:
    return (reply("left_out", language),) if secrets else ()


def _origin(setting: ToolContext) -> Origin:
    """The owner's statement as the origin: only the owner's messages are read as corrections."""
    return stated_by_owner("chat", f"msg:{setting.message}")


def _is_repeated(entry: Entry, told: Correction) -> bool:
    """Whether a correction only repeats an earlier one."""
    return entry.source == CORRECTION and says_again(entry.text, bare(told.trigger))


def _states(message: str) -> bool:
    """Whether the whole message is a statement."""
    found = read(message)
    return bool(found.of(*KEPT)) and not found.of(SentenceKind.QUESTION, SentenceKind.FORGET)


def _tells(said: str) -> bool:
    return len(terms_of(said)) >= _TELLING and bool(read(said).of(SentenceKind.STATEMENT))
