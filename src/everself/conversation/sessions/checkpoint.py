"""The checkpoint: before compaction, the owner's statements become entries. It needs no model.

Deterministic and idempotent: keyed by session and message, so that running it twice changes nothing. Words already stored from a message
are neither stored twice nor counted as a mention, even if a model noted them in other words; what was forgotten since stays forgotten. If a
model answers, less is stored: a message that triage does not consider worth keeping stays in the message store only. Asks no model and does
not judge truth.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Final, Literal

from everself.classify.coverage import (
    gives_otherwise,
    is_chatter,
    is_made_of,
    is_worth,
    left_out,
    tells,
    untold,
    words_in_common,
    words_of_substance,
)
from everself.classify.sentence_kinds import Reading, Sentence, SentenceKind
from everself.clock import Clock
from everself.conversation.sessions.client_sessions import CLIENTS
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.session import Message, Session
from everself.conversation.sessions.taken_back import TakenBack
from everself.errors import RefusedByRule
from everself.frozen import Frozen
from everself.memory.corrections import PATH as CORRECTIONS
from everself.memory.corrections import TRIGGER
from everself.memory.memory import Memory
from everself.memory.provenance import AGENT, CORRECTION, rank, stated_by, stated_by_owner
from everself.memory.remaining_text import apart_from, says_again
from everself.memory.writing import CORE, NewEntry, is_quarantined, log_in, scope_of
from everself.search.scopes import SessionKind
from everself.text.normalise import fold
from everself.text.note_quotes import without_quote
from everself.values import Entry, Origin

# new: to be written as an entry; mention: an entry that says the same exists; kept: already written from this very message; noted: written
# from another message of the conversation, and this one becomes evidence of it; quoted: a note of this message omits part of it, and the
# words are added to the note; forgotten: forgotten since; undone: written before, then undone or deleted
Fate = Literal["new", "mention", "kept", "noted", "quoted", "forgotten", "undone"]
_KEPT: Final = (SentenceKind.STATEMENT, SentenceKind.REMEMBER)
_ACTS: Final = ("fact", "wish", "decision", "plan", "correction")


class PlannedStatement(Frozen):
    """What happens to one statement. `entry` is the id of the entry that already says it, or to which the words `quoted` are added."""

    new_entry: NewEntry
    message: Message
    fate: Fate
    entry: str = ""
    quoted: str = ""


class CheckpointReport(Frozen):
    """The ids of entries that a checkpoint wrote or counted as mentioned again, and the number of statements that were known or must not
    come back."""

    entries: tuple[str, ...] = ()
    skipped: int = 0


class Checkpoint:
    """`has_model`: a model answers in these conversations and may have stored what matters."""

    def __init__(
        self,
        memory: Memory,
        log: SessionLog,
        read: Callable[[str], Reading] | None = None,
        *,
        has_model: Callable[[], bool] = lambda: False,
    ) -> None:
        self._memory = memory
        self._log = log
        self._read = read
        self._has_model = has_model

    def plan(self, session: Session) -> tuple[PlannedStatement, ...]:
        """What `make` would do with the messages since the last checkpoint. Changes nothing."""
        now = self._log.fresh(session)
        notes = _Notes(self._memory, now)
        messages = self._log.messages(now, now.checkpoint)
        notes.said.update(f"msg:{one.id}" for one in messages)
        return tuple(one for message in messages for one in self._planned(now, message, notes))

    def make(self, session: Session, before: str = "") -> CheckpointReport:
        """Store the statements since the last checkpoint. After a crash the rest is stored the next time.

        `before` is the id of the first message not to process yet, because something else has to be done with it first.
        """
        now = self._log.fresh(session)
        entries: list[str] = []
        skipped = 0
        seen = 0
        messages = self._log.messages(now, now.checkpoint)
        notes = _Notes(self._memory, now)
        notes.said.update(f"msg:{one.id}" for one in messages)
        for message in messages:
            if message.id == before:
                break
            seen = message.seq
            for one in self._planned(now, message, notes):
                written = self._write(one) if one.fate in ("new", "mention") else ""
                if one.fate == "quoted" and not self._memory.quote(one.entry, one.quoted, one.new_entry.origin):
                    written = self._write(one)
                if one.fate == "noted":
                    self._memory.add_evidence(one.entry, f"msg:{message.id}")
                skipped += not written
                entries += [written] if written else []
        if seen:
            self._log.mark(now, checkpoint=seen)
        return CheckpointReport(tuple(dict.fromkeys(entries)), skipped)

    def recover(self) -> CheckpointReport:
        """Make the missing checkpoint of every session whose process was killed or lost power."""
        made = [self.make(session) for session in self._log.unchecked()]
        entries = tuple(entry for one in made for entry in one.entries)
        return CheckpointReport(entries, sum(one.skipped for one in made))

    def _planned(self, session: Session, message: Message, notes: "_Notes") -> Iterator[PlannedStatement]:
        origin = _origin(session, message)
        if origin is None:
            return
        # in a coding agent's session its own model answers, and most messages are tasks
        picky = self._has_model() or session.channel in CLIENTS
        for number, sentence in enumerate(self._sentences(message, picky=picky)):
            new_entry = _new_entry(session, message, sentence, number, origin)
            found = notes.of(self._memory.clock.day_of(message.at))
            for one in self._judged(new_entry, message, found):
                yield from self._without_undone(one, notes.taken_back) if one.fate == "new" else (one,)

    def _judged(self, new_entry: NewEntry, message: Message, found: list[Entry]) -> Iterator[PlannedStatement]:
        reference = f"msg:{message.id}"
        same = self._memory.catalog.with_words(new_entry.text)
        kept = next((one for one in (*same, *found) if _says(one, message, new_entry.text)), None)
        known = next((one for one in same if not one.closed), None)
        if kept is not None:
            yield PlannedStatement(new_entry, message, "kept", kept.id)
        elif self._is_logged(new_entry.text):
            yield PlannedStatement(new_entry, message, "kept")
        elif self._is_forgotten(new_entry, message):
            yield PlannedStatement(new_entry, message, "forgotten")
        elif known is not None:
            yield PlannedStatement(new_entry, message, "mention", known.id)
        elif notes := [one for one in found if reference in one.lineage]:
            left_over = untold(new_entry.text, [one.text for one in notes])
            if not left_over:
                yield PlannedStatement(new_entry, message, "kept", notes[0].id)
            for number, words in enumerate(left_over):
                # each remaining part of a statement is a statement of its own
                key = new_entry.key if words == new_entry.text else f"{new_entry.key} {number}"
                left = replace(new_entry, text=words, key=key)
                note = None if new_entry.explicit else _made_of(words, notes)
                if note is None:
                    yield PlannedStatement(left, message, "new")
                elif note.closed:
                    # text corrected since must not come back with the sentence it was said in
                    rest = apart_from(words, without_quote(note.text))
                    fate: Fate = "new" if rest and not is_chatter(rest) else "kept"
                    yield PlannedStatement(replace(left, text=rest or words), message, fate, note.id)
                else:
                    for one, quoted in _quotes(words, notes, note):
                        yield PlannedStatement(left, message, "quoted", one.id, quoted)
        elif noted := next((one for one in found if _tells(one, new_entry.text)), None):
            yield PlannedStatement(new_entry, message, "noted", noted.id)
        elif again := next((one for one in found if _is_said_again(one, new_entry.text)), None):
            yield PlannedStatement(replace(new_entry, text=again.text), message, "mention", again.id)
        else:
            yield PlannedStatement(new_entry, message, "new")

    def _without_undone(self, planned: PlannedStatement, taken_back: TakenBack) -> Iterator[PlannedStatement]:
        new_entry, reference = planned.new_entry, f"msg:{planned.message.id}"
        dated = self._dated(new_entry, planned.message).text
        rest = taken_back.rest(new_entry.text, reference) if taken_back.rest(dated, reference) else ()
        if not rest:
            yield replace(planned, fate="undone")
        for number, words in enumerate(rest):
            key = new_entry.key if words == new_entry.text else f"{new_entry.key} {number}"
            yield replace(planned, new_entry=replace(new_entry, text=words, key=key))

    def _dated(self, new_entry: NewEntry, message: Message) -> NewEntry:
        """The entry as it would be written, with the dates that its words meant on that day."""
        return self._memory.at(Clock(self._memory.clock.zone, lambda: message.at)).dated(new_entry)

    def _is_forgotten(self, new_entry: NewEntry, message: Message) -> bool:
        dated = self._dated(new_entry, message)
        return any(self._memory.catalog.is_buried(one.text) for one in (new_entry, dated))

    def _sentences(self, message: Message, *, picky: bool) -> Iterator[Sentence]:
        from everself.classify.statements import read
        from everself.memory.forgetting.forgotten_words import FORGOTTEN

        for sentence in (self._read or read)(message.content).of(*_KEPT):
            words = sentence.what if sentence.kind is SentenceKind.REMEMBER and sentence.what else sentence.text
            # a sentence with a forgotten part has no meaning left
            if not words.strip() or FORGOTTEN in words:
                continue
            if not picky or sentence.kind is SentenceKind.REMEMBER or _is_worth(words):
                yield sentence

    def _is_logged(self, text: str) -> bool:
        """Whether these words are a correction that was acted on. The right value is then in memory, and the words add nothing."""
        found = self._memory.workspace.find(CORRECTIONS)
        lines = found.data.decode("utf-8", "replace").splitlines() if found is not None else ()
        # only the trigger, not the wrong text next to it, which may be said again and be meant
        return any(_bare(fold(text)) in fold(line) for line in lines if line.startswith(TRIGGER))

    def _write(self, planned: PlannedStatement) -> str:
        at = planned.message.at
        # dated to the day it was said, which after a crash may be long ago
        memory = self._memory.at(Clock(self._memory.clock.zone, lambda: at))
        try:
            return memory.remember(planned.new_entry).entry
        except RefusedByRule:
            # a rule overrides the statement, and there is nobody to ask
            return ""


class _Notes:
    """The entries written from the messages in `said`, open or closed, by day. Entries that rest on words from outside do not count, so the
    owner's own words are stored as well."""

    def __init__(self, memory: Memory, session: Session) -> None:
        self._memory = memory
        self._scope = scope_of(session.scope.person or "", session.scope.project or "")
        self._of: dict[date, list[Entry]] = {}
        self.said: set[str] = set()
        self.taken_back = TakenBack(memory)

    def of(self, day: date) -> list[Entry]:
        if day not in self._of:
            # a turn may end after midnight
            days = [log_in(self._scope, day), log_in(self._scope, day + timedelta(days=1))]
            found = [one for path in (*days, f"{self._scope}{CORE}") for one in self._memory.catalog.of(path)]
            self._of[day] = [one for one in found if not self.said.isdisjoint(one.lineage) and self._counts(one)]
        return self._of[day]

    def _counts(self, entry: Entry) -> bool:
        return not is_quarantined(entry.path) and rank(self._memory.trust(entry)) >= rank(AGENT)


def _origin(session: Session, message: Message) -> Origin | None:
    """Whose statement it is; None if nothing is stored, because sub-agents and groups have no memory of their own."""
    if message.role != "user" or message.meta.get("system") or message.content.startswith("/"):
        return None
    if session.scope.kind is SessionKind.MAIN and session.scope.person is None and not message.person:
        return stated_by_owner("chat", f"msg:{message.id}")
    private = session.scope.kind in (SessionKind.MAIN, SessionKind.GUEST)
    return stated_by(session.scope.person, f"msg:{message.id}") if private and session.scope.person else None


def _new_entry(session: Session, message: Message, sentence: Sentence, number: int, origin: Origin) -> NewEntry:
    asked = sentence.kind is SentenceKind.REMEMBER
    return NewEntry(
        (sentence.what or sentence.text) if asked else sentence.text,
        origin,
        tag=sentence.tag,
        explicit=asked,
        person=session.scope.person or "",
        project=session.scope.project or "",
        key=f"checkpoint {message.session} {message.id} {number}",
    )


def _tells(entry: Entry, statement: str) -> bool:
    """Whether an agent's note of another message says the same. The statement is then counted as a mention."""
    return entry.source == AGENT and not entry.closed and tells(entry.text, statement)


def _is_said_again(entry: Entry, statement: str) -> bool:
    """Whether the statement repeats an earlier correction in other words; it then counts as a mention of it."""
    return entry.source == CORRECTION and not entry.closed and says_again(entry.text, statement)


def _made_of(words: str, notes: list[Entry]) -> Entry | None:
    """The agent's note with the most of these words and no contradicting ones: an open one, or one that was corrected since."""
    own = [one for one in notes if one.source == AGENT and one.vouched and "\n" not in one.text]
    made = [one for one in own if is_made_of(one.text, words) and not gives_otherwise(without_quote(one.text), words)]
    return max(made, key=lambda one: (len(words_in_common(words, one.text)), not one.closed), default=None)


def _quotes(words: str, notes: list[Entry], main: Entry) -> Iterator[tuple[Entry, str]]:
    """What the notes leave out of a sentence, each part with the note that it belongs to: the one that shares its words, else the one of
    the part before, else `main`."""
    own = [one for one in notes if one.source == AGENT and one.vouched and not one.closed]
    parts: list[tuple[Entry, int, int]] = []
    for first, until in left_out(words, [one.text for one in own]) or ((0, len(words)),):
        before = parts[-1][0] if parts else main
        at = max((before, *own), key=lambda one: len(words_in_common(words[first:until], one.text)))
        begin = parts.pop()[1] if parts and at is before else first
        parts.append((at, begin, until))
    yield from ((one, words[first:until].strip()) for one, first, until in parts)


def _is_worth(statement: str) -> bool:
    """Whether triage considers any sentence of it worth keeping. A sentence with one word of substance ("doing the rota.") must also be a
    fact or the like by itself, as "I'm vegetarian" is."""
    from everself.classify.model import score
    from everself.text.sentences import split

    sentences = [statement[start:end] for start, end in split(statement)]
    worth = [one for one in sentences if is_worth(one)]
    return any(len(words_of_substance(one)) > 1 or any(map(score(one).says, _ACTS)) for one in worth)


def _says(entry: Entry, message: Message, text: str) -> bool:
    """Whether an entry contains these words from this message: alone, or within a longer text."""
    if f"msg:{message.id}" not in entry.lineage:
        return False
    one, other = fold(entry.text), fold(text)
    return one == other or _bare(other) in one


def _bare(folded: str) -> str:
    return folded.strip(" .!?。！？…")
