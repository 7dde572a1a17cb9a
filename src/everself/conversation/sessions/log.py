"""The log of sessions. When a call returns, the message is durable in the database; a line in the transcript follows.

Text that must never be stored (private passages, secrets) is removed before anything reaches the disk. Knows no model and no memory.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, Unpack

from everself.clock import Clock
from everself.conversation.sessions.heard import Heard, heard_in, may_go_on_from, strange_to
from everself.conversation.sessions.session import (
    Message,
    Role,
    Session,
    SessionUpdate,
    header,
    line,
    marked,
    message_of,
    row_of,
    session_of,
    written,
)
from everself.conversation.sessions.transcripts import Transcripts
from everself.errors import EverselfError, NotFound, WrongUse
from everself.models.chat.protocol import JsonObject
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import speaker_of
from everself.storage.state.messages import Messages, StoredMessage
from everself.text.normalise import fold, without_surrogates
from everself.text.redaction import redact, strip_private
from everself.text.search import TermKind, read_query
from everself.values import new_id

LAST: Final = "last"
OWNER: Final = Scope(SessionKind.MAIN)
# keys whose values come from the wire and are not prose: if they were changed, they would not be found again. (The recalled and left-out
# parts of a receipt are many places and numbers: searching them for secrets took longer than the rest of a turn.)
_NAMES: Final = frozenset(
    {"before", "call", "client", "instead", "results", "model", "name", "stamp", "why", "recalled", "left_out"}
)
_SHOWN: Final = 10
_STRANGE: Final = "(Shown by the program that passes on the next message; it was not said here.)"
# how many characters of an earlier conversation are shown, counted from its end
_MOST_STRANGE: Final = 64_000
_PROGRAMS: Final = ("<", "[")
# within this time the same unanswered text is the same message
_AGAIN: Final = timedelta(minutes=10)
# number of sessions, newest first, among which a program's earlier conversation is looked for
_CONTINUED: Final = 100
# number of messages, newest first, that a search for words reads
MOST_LOOKED_AT: Final = 50_000
_SPEAKERS: Final = ("user", "assistant")
_MOST: Final = 1_000_000


class SessionLog:
    def __init__(self, messages: Messages, transcripts: Transcripts, clock: Clock) -> None:
        self._messages = messages
        self._transcripts = transcripts
        self._clock = clock

    def begin(self, scope: Scope = OWNER, channel: str = "cli") -> Session:
        """A new session. It is stored with its first message, so a session without messages leaves no trace."""
        return Session(new_id(), scope, _plain(channel), self._clock.now(), taint=speaker_of(scope))

    def resume(self, name: str = LAST, scope: Scope = OWNER, channel: str = "") -> Session:
        """A session by its id, by a unique prefix of its id, or the last one of that scope and channel that was not ended."""
        if name != LAST:
            found = self.find(name)
            if found.scope != scope:
                raise NotFound(f'session "{name[:40]}".', mend="everself sessions list")
            return found
        for row in self._messages.list(scope.kind.value, channel, 1_000):
            session = session_of(row)
            if session.scope == scope and not session.ended and session.said:
                return session
        raise NotFound("earlier session to continue.")

    def continued(
        self, earlier: Sequence[Heard], scope: Scope, channel: str, said: str = "", skip: Container[str] = ()
    ) -> tuple[Session, str] | None:
        """The newest session that contains exactly these messages by the same speakers in the same order. Messages said elsewhere before
        its first message count too.

        The second value is the id of the message `said` itself, if it was the last one, recent and unanswered, and the session is not in
        `skip`; otherwise it is empty.
        """
        wanted = [replace(one, text=clean(one.text).strip()) for one in earlier]
        again = [*wanted, Heard("user", clean(said).strip())] if said.strip() else []
        openings = frozenset(one.text for one in again or wanted)
        for row in self._messages.list(scope.kind.value, channel, _CONTINUED) if again or wanted else ():
            session = session_of(row)
            # the first message rules out most sessions without reading the rest; a program's own messages are not among those compared
            opening = row.opening.strip()
            if session.scope != scope or session.ended or not (opening in openings or opening.startswith(_PROGRAMS)):
                continue
            # the last message rules out most of the others
            if not may_go_on_from(self.messages(session, row.said - 1), wanted):
                continue
            messages = self.messages(session)
            last = next((one for one in reversed(messages) if one.role == "user" and not one.meta.get("system")), None)
            fresh = last is not None and session.id not in skip and self._clock.now() - last.at <= _AGAIN
            if fresh and last is not None and self._holds(messages, again, earlier):
                return session, last.id
            if self._holds(messages, wanted, earlier):
                return session, ""
        return None

    def find(self, name: str) -> Session:
        """A session of any scope, by its id, a prefix of its id, or `last`."""
        wanted = without_surrogates(name).upper()
        rows = self._messages.list(limit=1) if name == LAST else self._messages.named(wanted, _SHOWN + 1)
        if not rows:
            raise NotFound(f'session "{name[:40]}".', mend="everself sessions list")
        if len(rows) > 1 and rows[0].id != wanted:
            shown = ", ".join(row.id for row in rows[:_SHOWN])
            raise WrongUse(f'"{name[:40]}" is ambiguous: {shown}.', mend="Give more characters of the id.")
        return session_of(rows[0])

    def fresh(self, session: Session) -> Session:
        """The session as currently stored; the given session if nothing is stored."""
        rows = self._messages.named(session.id, 1)
        return session_of(rows[0]) if rows else session

    def add(
        self,
        session: Session,
        role: Role,
        content: str,
        *,
        person: str = "",
        meta: JsonObject | None = None,
        identity: str = "",
        at: datetime | None = None,
    ) -> Message:
        """Store a message; it is durable when this returns. A message with an `identity` is stored once, however often this is called. `at`
        is the time it was said, if not now."""
        cleaned = clean(content)
        kept = written(_clean_meta(meta or {}))
        when = (at or self._clock.now()).isoformat()
        said = StoredMessage(identity or new_id(), session.id, 0, when, role, _plain(person), cleaned, kept)
        message = message_of(self._messages.add(row_of(session), said))
        # the message is durable; its transcript line is added with the next message if this fails
        with suppress(EverselfError):
            self._follow(message)
        return message

    def messages(self, session: Session | str, after: int = 0) -> tuple[Message, ...]:
        """The messages after that number, in order."""
        name = session if isinstance(session, str) else session.id
        return tuple(message_of(said) for said in self._messages.of(name, after))

    def message(self, name: str) -> Message | None:
        found = self._messages.find(name)
        return None if found is None else message_of(found)

    def weight(self, session: Session) -> int:
        """The bytes of all messages since the session was last compacted."""
        return self._messages.weight(session.id, session.compacted)

    def disown(self, name: str) -> bool:
        """Mark a message as not said by a person, because a program sent it in a person's place. Returns whether it counted as said until
        now."""
        found = self._messages.find(name)
        if found is None or not self._messages.disown(name):
            return False
        # the database is authoritative; if this fails, the line is rewritten with the next change
        with suppress(EverselfError):
            self.mend(found.session)
        return True

    def keep(self, session: Session) -> Session:
        """Store a session without messages. If it is stored already, return it as stored."""
        self._messages.begin(row_of(session))
        return self.fresh(session)

    def mark(self, session: Session, **changes: Unpack[SessionUpdate]) -> Session:
        """Update a session's marks. Does nothing for a session that is not stored."""
        if self._messages.named(session.id, 1):
            self._messages.change(session.id, lambda meta: marked(meta, changes))
        return self.fresh(session)

    def list(self, limit: int = 100) -> tuple[Session, ...]:
        """Sessions, most recently used first."""
        return tuple(session_of(row) for row in self._messages.list(limit=limit))

    def unchecked(self) -> tuple[Session, ...]:
        """Sessions with messages after the last checkpoint: their process was killed, or is still running."""
        return tuple(self.find(name) for name in self._messages.unchecked())

    def search(self, words: str, limit: int = 20) -> tuple[Message, ...]:
        """Messages that contain all of these words, newest first."""
        wanted = fold(without_surrogates(words)).split()
        if not wanted:
            raise WrongUse("The search text is empty.")
        found: list[Message] = []
        for said in self._messages.newest():
            text = fold(said.content)
            if all(word in text for word in wanted):
                found.append(message_of(said))
                if len(found) >= limit:
                    break
        return tuple(found)

    def nearest(self, words: str, limit: int) -> tuple[Message, ...]:
        """Messages of private conversations that contain at least half of these words, best match first, then newest first."""
        kinds = (TermKind.STOP, TermKind.CHARACTER, TermKind.WHOLE)
        wanted = [term.alternatives for term in read_query(words).terms if term.kind not in kinds]
        found: list[tuple[int, int, Message]] = []
        for at, said in enumerate(islice(self._messages.newest(), MOST_LOOKED_AT)):
            if said.role not in _SPEAKERS or not said.content.strip():
                continue
            text = fold(said.content)
            held = sum(any(form in text for form in forms) for forms in wanted)
            if held and 2 * held >= len(wanted):
                found.append((-held, at, message_of(said)))
        return tuple(message for *_, message in sorted(found, key=lambda one: one[:2])[:limit])

    def export(self, session: Session | str) -> bytes:
        """The transcript, built from the database."""
        return b"".join(self._lines(session if isinstance(session, str) else session.id, None))

    def delete(self, session: Session) -> int:
        """Remove a session, its messages and its transcript. Returns the number of messages."""
        count = self._messages.delete(session.id)
        self._transcripts.rewrite(session.id, lambda after: self._lines(session.id, after))
        return count

    def mend(self, session: Session | str) -> None:
        """Rewrite the transcript from the database, or remove it if the session is gone."""
        name = session if isinstance(session, str) else session.id
        self._transcripts.rewrite(name, lambda after: self._lines(name, after))

    def catch_up(self) -> int:
        """Write missing transcripts, for example of sessions restored from a backup. Returns their number."""
        known = frozenset(self._transcripts.names())
        missing = [row.id for row in self._messages.list(limit=_MOST) if row.id not in known]
        for name in missing:
            self.mend(name)
        return len(missing)

    def digest_of_earlier(self, text: str) -> str:
        """The digest by which a session recognises what was said before its first message; empty if nothing was."""
        return self._messages.digest(text) if text else ""

    def _holds(self, messages: Sequence[Message], wanted: Sequence[Heard], earlier: Sequence[Heard]) -> bool:
        """Whether a session contains all that is wanted, except what it knows was said elsewhere before it."""
        heard = heard_in(messages)
        strange = strange_to(wanted, heard) if heard and wanted else None
        if strange is None or strange > len(earlier):
            return False
        # the summary is not compared, because compaction may have replaced it
        before = self.digest_of_earlier(said_elsewhere(earlier[:strange]))
        return bool(messages[0].meta.get("before", "") == before)

    def _follow(self, message: Message) -> None:
        def lines(after: int | None) -> Iterator[bytes]:
            """The missing line is usually that of the message just added."""
            return iter((line(message),)) if after == message.seq - 1 else self._lines(message.session, after)

        self._transcripts.follow(message.session, lines)

    def _lines(self, session: str, after: int | None) -> Iterator[bytes]:
        rows = self._messages.named(session, 1)
        if rows and after is None:
            yield header(session_of(rows[0]))
        for said in self._messages.of(session, after or 0):
            yield line(message_of(said))


def said_elsewhere(earlier: Sequence[Heard]) -> str:
    """A program's earlier messages as text that precedes the first message of a session."""
    if not earlier:
        return ""
    told = "\n\n".join(_line_of(one) for one in earlier)
    return f"{_STRANGE}\n\n{clean(told).strip()[-_MOST_STRANGE:]}"


def _line_of(one: Heard) -> str:
    called = [f"[called {call.name} with {call.arguments}]" for call in one.calls]
    return f"{one.role}: {' '.join(filter(None, (one.text, *called)))}"


def clean(text: str) -> str:
    """The text without what must never be stored. Unpaired surrogates cannot be written and are replaced."""
    return redact(strip_private(without_surrogates(text))).text


def _clean_meta(meta: JsonObject) -> dict[str, object]:
    return {
        str(key): value if key in _NAMES else _cleaned_calls(value) if key == "calls" else _cleaned(value)
        for key, value in meta.items()
    }


def _cleaned_calls(calls: object) -> object:
    """Clean only the arguments of each call. A random id can look like a secret, and without it the result of the call would not be found
    again."""
    if not isinstance(calls, list | tuple):
        return _cleaned(calls)
    return [[*one[:2], *map(_cleaned, one[2:])] if isinstance(one, list | tuple) else _cleaned(one) for one in calls]


def _cleaned(value: object) -> object:
    match value:
        case str():
            return clean(value)
        case list() | tuple():
            return [_cleaned(one) for one in value]
        case Mapping():
            return {str(key): one if key in _NAMES else _cleaned(one) for key, one in value.items()}
    return value


def _plain(text: str) -> str:
    return " ".join(without_surrogates(text).split())
