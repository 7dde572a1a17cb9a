"""What a keeper can read: entries, messages, corrections, similar entries, and a model if there is one. Read-only.

Knows no keeper and writes nothing. It blocks: beside a conversation, a keeper runs in a thread.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Final

from everself.classify.coverage import adds_nothing, touches
from everself.classify.triage import Verdict
from everself.clock import Clock
from everself.conversation.sessions.session import Message, Session, message_of
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.keepers._model_answers import ModelAnswer, ask
from everself.keepers.sources import KeeperSources
from everself.memory.entries import TRANSCRIPT
from everself.memory.provenance import (
    AGENT,
    CORRECTION,
    IMPORT,
    OWNER,
    PERSON,
    concluded,
    is_correction,
    source_of_reference,
    weaker,
)
from everself.memory.statements import is_stated, said, shown, stated
from everself.memory.writing import is_quarantined
from everself.models.chat.protocol import JsonObject, Usage
from everself.search.scopes import SessionKind
from everself.storage.state.reviews import KeeperRun
from everself.text.normalise import fold
from everself.values import Entry, Tier
from everself.workspace.layout import place

# forms of one word usually share this much of their beginning
_BEGINNING: Final = 5
_LONGEST: Final = 2_000
# more frequent words say little about a text
_COMMON: Final = 0.1
_FEW: Final = 50


class RareWordIndex:
    def __init__(self, texts: Sequence[str]) -> None:
        self._places: dict[str, list[int]] = {}
        for at, text in enumerate(texts):
            for mark in set(marks_of(text)):
                self._places.setdefault(mark, []).append(at)
        self._most = max(_FEW, int(_COMMON * len(texts)))

    def nearest(self, text: str, limit: int) -> list[int]:
        """The texts that share most words with this one, best first; rare words count more."""
        found = [self._places[mark] for mark in set(marks_of(text)) if mark in self._places]
        rare = [places for places in found if len(places) <= self._most]
        # if all words are common, the least common ones are used
        chosen = rare or sorted(found, key=len)[:2]
        shared = Counter[int]()
        for places in chosen:
            weight = 1_000 // (1 + len(places).bit_length())
            for at in places:
                shared[at] += weight
        return [at for at, _ in shared.most_common(limit)]


def marks_of(text: str) -> Iterator[str]:
    word = ""
    for char in fold(text[:_LONGEST]):
        if char.isalnum() and char < "\u3040":
            word += char
            continue
        if word:
            yield word[:_BEGINNING]
        word = ""
        if char >= "\u3040" and char.isalnum():
            yield char
    if word:
        yield word[:_BEGINNING]


LOOKED_AT: Final = 12
# instructions and replies of jobs
_UNASKED: Final = frozenset({"heartbeat", "cron"})


class SimilarEntry(Frozen):
    """An entry and its similarity from 0 to 1."""

    entry: Entry
    score: float


class KeeperContext:
    """The context of one run of one keeper."""

    def __init__(self, sources: KeeperSources, keeper: str) -> None:
        self.sources = sources
        self.keeper = keeper
        self.memory = sources.memory
        self.state = sources.state
        self.log = sources.log
        self.tunables = sources.tunables
        self.usage = Usage()
        self._entries: list[Entry] | None = None
        self._rare_words: RareWordIndex | None = None
        self._asked = False
        self._related: dict[tuple[str, int], list[Entry]] = {}
        self._sessions: dict[str, Session] = {}
        self._shown: dict[str, int] = {}

    @property
    def clock(self) -> Clock:
        return self.memory.clock

    @property
    def now(self) -> datetime:
        return self.clock.now()

    @property
    def today(self) -> date:
        return self.clock.today()

    def last_run(self) -> KeeperRun | None:
        """The newest completed run of this keeper."""
        found = self.state.reviews.runs(self.keeper, 1)
        return found[0] if found else None

    def upto(self) -> str:
        """How far this keeper has read, in its own format."""
        return next((run.upto for run in self.state.reviews.runs(self.keeper, 50) if run.upto), "")

    def entries(self) -> list[Entry]:
        """All entries, open or closed, except raw transcripts, quarantine, and documents that only humans write. Read once per run."""
        if self._entries is None:
            self._entries = [one for one in self.memory.catalog.all() if is_memory(one)]
        return self._entries

    def open_entries(self) -> list[Entry]:
        return [one for one in self.entries() if not one.closed]

    def find(self, identity: str) -> Entry | None:
        return self.memory.catalog.find(identity)

    def trust(self, entry: Entry) -> str:
        return self.memory.trust(entry)

    def backed(self, entry: Entry) -> str:
        """Like `trust`, but an agent's note counts as the owner's if their messages state it with all names."""
        found = self.trust(entry)
        if found != AGENT or not entry.vouched:
            return found
        made: list[str] = []
        for reference in entry.lineage:
            kind, _, name = reference.partition(":")
            message = self.log.message(name) if kind == "msg" else None
            if message is None or self.source_of(message) != OWNER:
                return found
            made += [one for one in stated(message.content) if touches(entry.text, one)]
        return OWNER if made and adds_nothing(entry.text, made) else found

    def corrections(self) -> list[Entry]:
        """The owner's corrections."""
        return list(filter(is_correction, self.entries()))

    def alike(self, one: str, other: str) -> float:
        """Calibrated similarity of two texts: .9 says the same, .8 is about the same."""
        return self.sources.search.likeness.of(one, [other])[0]

    def similar(self, text: str, at_least: float, *, closed: bool = False) -> list[SimilarEntry]:
        """Entries with at least this similarity, best first. Found by recall, or among all entries if recall is off."""
        candidates = [one for one in self.related(text) if closed or not one.closed]
        if not candidates:
            return []
        scores = self.sources.search.likeness.of(text, [one.text for one in candidates])
        found = [SimilarEntry(one, score) for one, score in zip(candidates, scores, strict=True) if score >= at_least]
        return sorted(found, key=lambda one: -one.score)

    def related(self, text: str, limit: int = LOOKED_AT) -> list[Entry]:
        """Entries that recall finds for a text, unrecorded; without recall, those sharing most words with it."""
        from everself.search.recall import RecallRequest

        recall = self.sources.search.recall()
        if recall is None or not text.strip():
            return self.sharing(text, limit)
        if (text, limit) in self._related:
            return self._related[text, limit]
        # checking every file takes longer than the search; changes during a run are seen by the next run
        request = RecallRequest(text, limit, 0.0, recorded=False, counted=False, fresh=not self._asked)
        self._asked = True
        try:
            hits = recall.search(request).hits
        except EverselfError:
            return self.sharing(text, limit)
        found = [self.find(one) for one in dict.fromkeys(hit.entry for hit in hits if hit.entry)]
        # callers of `alike` often call `related` as well
        self._related = {(text, limit): [one for one in found if one is not None and is_memory(one)]}
        return self._related[text, limit]

    def sharing(self, text: str, limit: int = LOOKED_AT) -> list[Entry]:
        """Entries that share most of the rarer words with a text: a fast search for equal statements."""
        if self._rare_words is None:
            self._rare_words = RareWordIndex([one.text for one in self.entries()])
        return [self.entries()[at] for at in self._rare_words.nearest(text, limit)]

    def messages(self, upto: str = "") -> Iterator[Message]:
        """All messages after a mark made by `mark`, in order, of all speakers and sessions."""
        at, _, name = upto.partition(" ")
        known = self.state.messages.find(name) if name else None
        since = datetime.fromisoformat(at) if at else None
        found: list[Message] = []
        for row in self.state.messages.newest():
            message = message_of(row)
            # if that message was forgotten, its time is used
            if (message.id == name) if known is not None else (since is not None and message.at <= since):
                break
            found.append(message)
        yield from reversed(found)

    def session(self, name: str) -> Session:
        if name not in self._sessions:
            self._sessions[name] = self.log.find(name)
        return self._sessions[name]

    def source_of(self, message: Message, words: str | None = None) -> str:
        """The source of words based on this message: the person if they state them, otherwise the agent, or the taint of the conversation.
        In a message that quotes text, only the person's own words count as theirs."""
        own = _is_all_said(message.content) if words is None else is_stated(words, message.content)
        return (self.speaker(message) if own else "") or self.concluded_from(message)

    def speaker(self, message: Message) -> str:
        """The speaker of a private message, ignoring quoted text; empty if it only quotes, or in a group."""
        session = self.session(message.session)
        private = session.scope.kind in (SessionKind.MAIN, SessionKind.GUEST)
        if message.role != "user" or message.meta.get("system") or not private or not said(message.content).strip():
            return ""
        person = message.person or session.scope.person
        return f"{PERSON}{person}" if person else OWNER

    def concluded_from(self, message: Message) -> str:
        """The highest trust of a model's own words based on this message. After quoted text, they may come from it."""
        session = self.session(message.session)
        taint = concluded(session.taint)
        return weaker(taint, IMPORT) if message.seq >= self._shown_from(session) else taint

    def _shown_from(self, session: Session) -> int:
        """The number of the first message with quoted text: later conclusions may come from it."""
        if session.id not in self._shown:
            numbers = (
                one.seq for one in self.log.messages(session) if one.role == "user" and shown(one.content).strip()
            )
            self._shown[session.id] = next(numbers, sys.maxsize)
        return self._shown[session.id]

    def bears(self, evidence: Sequence[str], words: str | None = None) -> str:
        """The highest source that this evidence supports for these words: the minimum over all evidence."""
        found = CORRECTION if evidence else AGENT
        for reference in evidence:
            kind, _, name = reference.partition(":")
            if kind == "entry":
                entry = self.memory.catalog.find_even_gone(name)
                found = weaker(found, self.trust(entry) if entry is not None else source_of_reference(kind))
            elif kind == "msg":
                message = self.log.message(name)
                found = weaker(found, AGENT if message is None else self.source_of(message, words))
            else:
                found = weaker(found, source_of_reference(kind))
        return found

    def embed(self) -> bool:
        """Whether all current entries can be found by meaning."""
        try:
            return self.sources.search.embed()
        except EverselfError:
            return False

    def triage(self, text: str) -> Verdict:
        return self.sources.triage.read(text)

    async def answer(self, words: str, schema: JsonObject) -> ModelAnswer:
        """The model's answer to a keeper's prompt and these words; no value without a model, budget or usable answer."""
        try:
            model = self.sources.model.found
        except EverselfError as error:
            return ModelAnswer(why=str(error))
        if model is None:
            return ModelAnswer()
        prompt, meter = self.sources.model.prompt(self.keeper), self.sources.model.spend_meter
        answered = await ask(model, meter, self.keeper, prompt, words, schema)
        self.usage += answered.usage
        return answered

    def has_model(self) -> bool:
        try:
            return self.sources.model.found is not None
        except EverselfError:
            return False


def _is_all_said(text: str) -> bool:
    return bool(said(text).strip()) and not shown(text).strip()


def mark(message: Message) -> str:
    """The reading position in the format of `upto`."""
    return f"{message.at.isoformat()} {message.id}"


def is_memory(entry: Entry) -> bool:
    """Whether keepers may work with this entry."""
    if entry.kind == TRANSCRIPT or entry.tier is Tier.SOUL or is_quarantined(entry.path):
        return False
    return entry.category not in _UNASKED and not place(entry.path).humans_only
