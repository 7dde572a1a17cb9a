"""What was said, in `state.db`: sessions and their messages, each durable when its call returns.

Numbers a session's messages in one transaction, so that two processes in one session neither lose nor double any. Knows no scope, no
transcript and no meaning of `meta`, which is JSON text here; stores text as given: the caller has redacted it.
"""

import hmac
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from everself.errors import NotFound
from everself.frozen import Frozen
from everself.storage.engine import Engine, Row, Writer
from everself.storage.state._queries import load_queries

_SQL = load_queries("messages")
_PAGE: Final = 500
_DIGEST: Final = 32
_LARGEST: Final = 2**63 - 1


class SessionRow(Frozen):
    """`said` counts its messages, `last_at` is when the last one came, `opening` the first thing that was said in it."""

    id: str
    kind: str
    person: str
    channel: str
    started_at: str
    meta: str
    said: int = 0
    last_at: str = ""
    opening: str = ""


class StoredMessage(Frozen):
    id: str
    session: str
    seq: int
    at: str
    role: str
    person: str
    content: str
    meta: str


class Messages:
    def __init__(self, engine: Engine, key: bytes) -> None:
        self._engine = engine
        self._key = key

    def digest(self, text: str) -> str:
        """By which a text is known again that is not stored here: without the key nobody can guess what it was."""
        return hmac.digest(self._key, f"heard {text}".encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGEST]

    def add(self, session: SessionRow, said: StoredMessage) -> StoredMessage:
        """The next message of a session; its number is given here. One of that id that is there already stays as it is."""

        def work(writer: Writer) -> StoredMessage:
            known = writer.row(_SQL["message"], (said.id,))
            if known is not None:
                return StoredMessage(*known)
            # the session may have been deleted meanwhile; the new message is stored anyway
            _begin(writer, session)
            found = writer.row(_SQL["last_seq"], (session.id,))
            seq = (int(found[0]) if found else 0) + 1
            values = (said.id, session.id, seq, said.at, said.role, said.person, said.content, said.meta)
            writer.run(_SQL["add_message"], values)
            return StoredMessage(*values)

        return self._engine.write(work)

    def begin(self, session: SessionRow) -> None:
        """Store a session without a message. One of that id that is there already stays as it is."""
        self._engine.write(lambda writer: _begin(writer, session))

    def find(self, message: str) -> StoredMessage | None:
        found = self._engine.read(_SQL["message"], (message,))
        return StoredMessage(*found[0]) if found else None

    def is_told(self, message: str) -> bool:
        """Whether a person said it in a conversation of theirs: no reply, no tool, no job, no group, and no text of the system."""
        return bool(self._engine.read(_SQL["is_told"], (message,)))

    def disown(self, message: str) -> bool:
        """Note that a message of a user is a text of the system. False where it is known as one, or is none."""
        return bool(self._engine.write(lambda writer: writer.run(_SQL["disown"], (message,))))

    def of(self, session: str, after: int = 0) -> Iterator[StoredMessage]:
        """The messages of a session beyond that number, in order."""
        while page := self._engine.read(_SQL["messages_after"], (session, after, _PAGE)):
            for row in page:
                yield StoredMessage(*row)
            after = page[-1][2]

    def weight(self, session: str, after: int = 0) -> int:
        """Bytes of what was said beyond that number."""
        return int(self._engine.read(_SQL["weight"], (session, after))[0][0])

    def newest(self) -> Iterator[StoredMessage]:
        """All messages, the newest first."""
        before = _LARGEST
        while page := self._engine.read(_SQL["newest_page"], (before, _PAGE)):
            for _, *row in page:
                yield StoredMessage(*row)
            before = page[-1][0]

    def change(self, session: str, change: Callable[[str], str]) -> str:
        """Give a session another `meta`, from what it is at this moment. What it is then."""

        def work(writer: Writer) -> str:
            found = writer.row(_SQL["session_meta"], (session,))
            if found is None:
                raise NotFound(f'session "{session}".', mend="everself sessions list")
            made = change(str(found[0]))
            writer.run(_SQL["set_session_meta"], (session, made))
            return made

        return self._engine.write(work)

    def list(self, kind: str = "", channel: str = "", limit: int = 100) -> Sequence[SessionRow]:
        """The one that was spoken in last first."""
        return [_session(row) for row in self._engine.read(_SQL["sessions"], (kind, channel, limit))]

    def named(self, name: str, limit: int = 10) -> Sequence[SessionRow]:
        """Those whose id begins so."""
        return [_session(row) for row in self._engine.read(_SQL["sessions_named"], (name, limit))] if name else []

    def unchecked(self) -> Sequence[str]:
        """Sessions in which something was said that no checkpoint has seen."""
        return [str(row[0]) for row in self._engine.read(_SQL["unchecked"])]

    def delete(self, session: str) -> int:
        """Remove a session with what was said in it; how many messages that was."""

        def work(writer: Writer) -> int:
            count = writer.run(_SQL["drop_messages_of"], (session,))
            writer.run(_SQL["drop_session"], (session,))
            return count

        return self._engine.write(work)


def _begin(writer: Writer, session: SessionRow) -> None:
    values = (session.id, session.kind, session.person, session.channel, session.started_at, session.meta)
    writer.run(_SQL["add_session"], values)


def _session(row: Row) -> SessionRow:
    return SessionRow(*row)
