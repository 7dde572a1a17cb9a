"""The log of sessions: a message is durable in the database when the call returns, then a line in the transcript.

What must never be stored (private passages, secrets) is taken out before a byte reaches the disk. Knows no model and no memory.
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
# names that the wire gives, which are no words: changed, they would not be found again
# (what a receipt recalled and left out is places and numbers, and many: looking for secrets there took longer than the rest of a turn)
_NAMES: Final = frozenset(
    {"before", "call", "client", "instead", "results", "model", "name", "stamp", "why", "recalled", "left_out"}
)
_SHOWN: Final = 10
_STRANGE: Final = "(Shown by the program that passes on the next message; it was not said here.)"
# how many characters of an earlier conversation are shown, counted from its end
_MOST_STRANGE: Final = 64_000
_PROGRAMS: Final = ("<", "[")
# within this the same words are the same message, where nobody answered it
_AGAIN: Final = timedelta(minutes=10)
# sessions among which the one is looked for that a program goes on with, the newest
_CONTINUED: Final = 100
# messages that a search for words looks through, the newest
MOST_LOOKED_AT: Final = 50_000
_SPEAKERS: Final = ("user", "assistant")
_MOST: Final = 1_000_000


class SessionLog:
    def __init__(self, messages: Messages, transcripts: Transcripts, clock: Clock) -> None:
        self._messages = messages
        self._transcripts = transcripts
        self._clock = clock

    def begin(self, scope: Scope = OWNER, channel: str = "cli") -> Session:
        """A new session. It is stored with its first message: one in which nothing is said leaves no trace."""
        return Session(new_id(), scope, _plain(channel), self._clock.now(), taint=speaker_of(scope))

    def resume(self, name: str = LAST, scope: Scope = OWNER, channel: str = "") -> Session:
        """A session by its id, by the only id that begins so, or the last one of that scope and channel that was not ended."""
        if name != LAST:
            found = self.find(name)
            if found.scope != scope:
                raise NotFound(f'session "{name[:40]}".', mend="everself sessions list shows them.")
            return found
        for row in self._messages.list(scope.kind.value, channel, 1_000):
            session = session_of(row)
            if session.scope == scope and not session.ended and session.said:
                return session
        raise NotFound("no earlier session to continue.")

    def continued(
        self, earlier: Sequence[Heard], scope: Scope, channel: str, said: str = "", skip: Container[str] = ()
    ) -> tuple[Session, str] | None:
        """The session in which exactly this was said, by whom and in which order; of several the newest. What was said elsewhere before
        its first message counts too.

        With the id of the message where `said` itself was said last, not long ago, and nobody answered it; not in those to `skip`.
        """
        wanted = [replace(one, text=clean(one.text).strip()) for one in earlier]
        again = [*wanted, Heard("user", clean(said).strip())] if said.strip() else []
        openings = frozenset(one.text for one in again or wanted)
        for row in self._messages.list(scope.kind.value, channel, _CONTINUED) if again or wanted else ():
            session = session_of(row)
            # the first words tell most of them apart, without reading the rest; those of a program itself are not among what was said
            opening = row.opening.strip()
            if session.scope != scope or session.ended or not (opening in openings or opening.startswith(_PROGRAMS)):
                continue
            # what was said last tells most of the others apart
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
        """A session of any scope, by id, beginning of an id, or the last."""
        wanted = without_surrogates(name).upper()
        rows = self._messages.list(limit=1) if name == LAST else self._messages.named(wanted, _SHOWN + 1)
        if not rows:
            raise NotFound(f'session "{name[:40]}".', mend="everself sessions list")
        if len(rows) > 1 and rows[0].id != wanted:
            shown = ", ".join(row.id for row in rows[:_SHOWN])
            raise WrongUse(f'"{name[:40]}" is ambiguous: {shown}.', mend="Give more characters of the id.")
        return session_of(rows[0])

    def fresh(self, session: Session) -> Session:
        """The session as it stands now; as it was given where nothing of it is stored."""
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
        """Keep a message. When this returns it is durable. With an `identity` it is kept once, however often it is asked for. `at` is when
        it was said, where that is not now."""
        cleaned = clean(content)
        kept = written(_clean_meta(meta or {}))
        when = (at or self._clock.now()).isoformat()
        said = StoredMessage(identity or new_id(), session.id, 0, when, role, _plain(person), cleaned, kept)
        message = message_of(self._messages.add(row_of(session), said))
        # the message is safe; its line is caught up with at the next one
        with suppress(EverselfError):
            self._follow(message)
        return message

    def messages(self, session: Session | str, after: int = 0) -> tuple[Message, ...]:
        """What was said beyond that number, in order."""
        name = session if isinstance(session, str) else session.id
        return tuple(message_of(said) for said in self._messages.of(name, after))

    def message(self, name: str) -> Message | None:
        found = self._messages.find(name)
        return None if found is None else message_of(found)

    def weight(self, session: Session) -> int:
        """Bytes of what was said since the session was last compacted."""
        return self._messages.weight(session.id, session.compacted)

    def disown(self, name: str) -> bool:
        """Note that no person said a message: a program sent it in a person's place. Whether it counted as said until now."""
        found = self._messages.find(name)
        if found is None or not self._messages.disown(name):
            return False
        # the database counts; its line is made anew with the next change where this fails
        with suppress(EverselfError):
            self.mend(found.session)
        return True

    def keep(self, session: Session) -> Session:
        """Store a session in which nothing was said yet; as it stands where it is stored already."""
        self._messages.begin(row_of(session))
        return self.fresh(session)

    def mark(self, session: Session, **changes: Unpack[SessionUpdate]) -> Session:
        """Note how far things are. A session in which nothing was said yet has nothing to note."""
        if self._messages.named(session.id, 1):
            self._messages.change(session.id, lambda meta: marked(meta, changes))
        return self.fresh(session)

    def list(self, limit: int = 100) -> tuple[Session, ...]:
        """The one that was spoken in last first."""
        return tuple(session_of(row) for row in self._messages.list(limit=limit))

    def unchecked(self) -> tuple[Session, ...]:
        """Sessions in which something was said that no checkpoint has seen: a process was killed, or still speaks."""
        return tuple(self.find(name) for name in self._messages.unchecked())

    def search(self, words: str, limit: int = 20) -> tuple[Message, ...]:
        """Messages that hold all of these words, the newest first."""
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
        """What was said in private that holds most of these words, at least half of them; of equals the newest first."""
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
        """The transcript, made from the store."""
        return b"".join(self._lines(session if isinstance(session, str) else session.id, None))

    def delete(self, session: Session) -> int:
        """Remove a session, its messages and its transcript; how many messages that was."""
        count = self._messages.delete(session.id)
        self._transcripts.rewrite(session.id, lambda after: self._lines(session.id, after))
        return count

    def mend(self, session: Session | str) -> None:
        """Rewrite the transcript from the database; remove it where the session is gone."""
        name = session if isinstance(session, str) else session.id
        self._transcripts.rewrite(name, lambda after: self._lines(name, after))

    def catch_up(self) -> int:
        """Make the transcripts that are missing: of sessions that came back with a backup. How many that was."""
        known = frozenset(self._transcripts.names())
        missing = [row.id for row in self._messages.list(limit=_MOST) if row.id not in known]
        for name in missing:
            self.mend(name)
        return len(missing)

    def digest_of_earlier(self, text: str) -> str:
        """By which a session knows again what was said before its first message; empty where nothing was."""
        return self._messages.digest(text) if text else ""

    def _holds(self, messages: Sequence[Message], wanted: Sequence[Heard], earlier: Sequence[Heard]) -> bool:
        """Whether a session holds all that is wanted, but for what it knows to have been said elsewhere before it."""
        heard = heard_in(messages)
        strange = strange_to(wanted, heard) if heard and wanted else None
        if strange is None or strange > len(earlier):
            return False
        # not the summary, which may have become another one since
        before = self.digest_of_earlier(said_elsewhere(earlier[:strange]))
        return bool(messages[0].meta.get("before", "") == before)

    def _follow(self, message: Message) -> None:
        def lines(after: int | None) -> Iterator[bytes]:
            """The one that lacks is mostly the one that was just said."""
            return iter((line(message),)) if after == message.seq - 1 else self._lines(message.session, after)

        self._transcripts.follow(message.session, lines)

    def _lines(self, session: str, after: int | None) -> Iterator[bytes]:
        rows = self._messages.named(session, 1)
        if rows and after is None:
            yield header(session_of(rows[0]))
        for said in self._messages.of(session, after or 0):
            yield line(message_of(said))


def said_elsewhere(earlier: Sequence[Heard]) -> str:
    """What a program says was said before, as it stands before the first message of a session."""
    if not earlier:
        return ""
    told = "\n\n".join(_line_of(one) for one in earlier)
    return f"{_STRANGE}\n\n{clean(told).strip()[-_MOST_STRANGE:]}"


def _line_of(one: Heard) -> str:
    called = [f"[called {call.name} with {call.arguments}]" for call in one.calls]
    return f"{one.role}: {' '.join(filter(None, (one.text, *called)))}"


def clean(text: str) -> str:
    """Without what must never be stored. Half a character cannot be written, and is shown as such."""
    return redact(strip_private(without_surrogates(text))).text


def _clean_meta(meta: JsonObject) -> dict[str, object]:
    return {
        str(key): value if key in _NAMES else _cleaned_calls(value) if key == "calls" else _cleaned(value)
        for key, value in meta.items()
    }


def _cleaned_calls(calls: object) -> object:
    """Of each call the arguments. A random id looks like a secret; taken out, the result of the call would not be found again."""
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
