"""Writes the note of a finished conversation: `memory/YYYY-MM-DD-slug.md` with its title and a summary or its last lines.

Written through memory, so that its provenance record names the true source: the agent, or whoever tainted the conversation. Asks no model:
it is given a model's summary, which may be empty.
"""

from typing import Final

from everself.conversation.sessions.excerpts import lines_of, spoken
from everself.conversation.sessions.log import SessionLog
from everself.conversation.sessions.session import Message, Session
from everself.memory.memory import Memory
from everself.memory.provenance import IMPORT, concluded_in, taint_of
from everself.memory.statements import shown
from everself.memory.writing import NewEntry, PageSpot, scope_of
from everself.search.scopes import SessionKind
from everself.text.normalise import fold, one_line
from everself.values import Entry, Tag, ended_words

MOST_WORDS: Final = 2
LONGEST_NAME: Final = 40
_MOST_OF_ONE_NAME: Final = 99
_ENDS: Final = " .!?。！？…"


class Notes:
    """`agent` is the id that begins the session's key; `most` is the largest number of messages in a note, 0 for no notes."""

    def __init__(self, memory: Memory, log: SessionLog, agent: str, most: int) -> None:
        self._memory = memory
        self._log = log
        self._agent = agent
        self._most = most

    def material(self, session: Session) -> tuple[Message, ...]:
        """The messages for the note; empty if none is made, because the session has no memory or nothing was said."""
        with_memory = session.scope.kind is SessionKind.MAIN or (
            session.scope.kind is SessionKind.GUEST and session.scope.person
        )
        return spoken(self._log.messages(session))[-self._most :] if self._most and with_memory else ()

    def write(self, session: Session, messages: tuple[Message, ...], name: str = "", summary: str = "") -> str:
        """Write one note of these messages, once. Returns its path, or empty if there is nothing to note."""
        text = summary.strip() or "\n".join(self._lines(messages))
        if not messages or not text:
            return ""
        now = self._memory.clock.now()
        scope = session.scope
        folder = scope_of(scope.person or "", scope.project or "")
        path = self._free(f"{folder}memory/{now.date().isoformat()}-{_name(name) or now.strftime('%H%M')}")
        thought = NewEntry(
            text,
            concluded_in(_taint(session, messages), "chat", *(f"msg:{one.id}" for one in messages)),
            category="session",
            tag=Tag.EVENT,
            person=scope.person or "",
            project=scope.project or "",
            key=f"note {session.id} {messages[-1].id}",
            spot=PageSpot(path, self._title(session, now.isoformat(sep=" ", timespec="seconds"))),
        )
        made = self._memory.remember(thought)
        # if called again after a crash, the first note remains and no second one is written
        return made.path if self._memory.workspace.stat(made.path) is not None else ""

    def _lines(self, messages: tuple[Message, ...]) -> list[str]:
        """The messages as list items; ended statements in them are marked."""
        ended: dict[str, list[Entry]] = {}
        for entry in self._memory.catalog.all():
            for reference in entry.lineage if entry.closed else ():
                ended.setdefault(reference, []).append(entry)
        said = spoken(messages)
        marks = [[self._mark(one, message) for one in ended.get(f"msg:{message.id}", ())] for message in said]
        return [" ".join((f"- {line}", *mark)) for line, mark in zip(lines_of(said), marks, strict=True)]

    def _mark(self, ended: Entry, message: Message) -> str:
        words = ended_words(ended.until, self._memory.words_now(ended))
        whole = fold(ended.text).strip(_ENDS) == fold(message.content).strip(_ENDS)
        return f"({words})" if whole else f"(“{one_line(ended.text)}” {words})"

    def key_of(self, session: Session) -> str:
        """The session's key: agent, kind and person."""
        scope = session.scope
        return ":".join(("agent", self._agent, scope.kind.value, *((scope.person,) if scope.person else ())))

    def _title(self, session: Session, at: str) -> str:
        # everything in the title, because a line of its own would be read as a memory
        return f"Session {self.key_of(session)} · {session.id} · {session.channel} · {at}"

    def _free(self, stem: str) -> str:
        for number in range(1, _MOST_OF_ONE_NAME):
            path = f"{stem}{f'-{number}' if number > 1 else ''}.md"
            if self._memory.workspace.stat(path) is None:
                return path
        return f"{stem}-{self._memory.clock.now().strftime('%H%M%S%f')}.md"


def _taint(session: Session, messages: tuple[Message, ...]) -> str:
    """The taint of the conversation, or of quoted text that the person pasted; a note is trusted no more than that."""
    seen = [IMPORT] if any(one.role == "user" and shown(one.content) for one in messages) else []
    return taint_of((session.taint, *seen))


def _name(said: str) -> str:
    """A file name from a model's answer, in any script; empty if it is not a valid name."""
    words = ["".join(char for char in word if char.isalnum()) for word in fold(said).replace("-", " ").split()]
    kept = [word for word in words if word]
    # a sentence is not a valid name
    if not kept or len(kept) > 2 * MOST_WORDS:
        return ""
    made = "-".join(kept[:MOST_WORDS])[:LONGEST_NAME]
    return made if any(char.isalpha() for char in made) else ""
