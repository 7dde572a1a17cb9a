"""Sessions and their messages in `state.db`. Each write is durable when its call returns.

Messages are numbered in the transaction that stores them, so that two processes in one session neither lose nor
duplicate any. Independent of scopes and transcripts; `meta` is opaque JSON text. Stores text as given: the caller has
redacted it.
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
    """`said`: the number of messages; `last_at`: the time of the last one; `opening`: the text of the first user message."""

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
        """A keyed hash by which an unstored text is recognised later; without the key nobody can guess the text."""
        return hmac.digest(self._key, f"heard {text}".encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGEST]

    def add(self, session: SessionRow, said: StoredMessage) -> StoredMessage:
        """Store the next message of a session and number it. If its id is already stored, return the stored message."""

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
        """Store a session without a message. An existing session stays unchanged."""
        self._engine.write(lambda writer: _begin(writer, session))

    def find(self, message: str) -> StoredMessage | None:
        found = self._engine.read(_SQL["message"], (message,))
        return StoredMessage(*found[0]) if found else None

    def is_told(self, message: str) -> bool:
        """Whether a person wrote the message in a one-to-one session: not a reply, tool, job, group or system text."""
        return bool(self._engine.read(_SQL["is_told"], (message,)))

    def disown(self, message: str) -> bool:
        """Mark a user message as text of the system. Returns False if it is already marked or is not a user message."""
        return bool(self._engine.write(lambda writer: writer.run(_SQL["disown"], (message,))))

    def of(self, session: str, after: int = 0) -> Iterator[StoredMessage]:
        """Yield the messages of a session after that number, in order."""
        while page := self._engine.read(_SQL["messages_after"], (session, after, _PAGE)):
            for row in page:
                yield StoredMessage(*row)
            after = page[-1][2]

    def weight(self, session: str, after: int = 0) -> int:
        """Bytes of content and meta after that message number."""
        return int(self._engine.read(_SQL["weight"], (session, after))[0][0])

    def newest(self) -> Iterator[StoredMessage]:
        """Yield all messages, newest first."""
        before = _LARGEST
        while page := self._engine.read(_SQL["newest_page"], (before, _PAGE)):
            for _, *row in page:
                yield StoredMessage(*row)
            before = page[-1][0]

    def change(self, session: str, change: Callable[[str], str]) -> str:
        """Replace a session's `meta` by `change` of its current value, in one transaction. Returns the new value."""

        def work(writer: Writer) -> str:
            found = writer.row(_SQL["session_meta"], (session,))
            if found is None:
                raise NotFound(f'session "{session}".', mend="everself sessions list")
            made = change(str(found[0]))
            writer.run(_SQL["set_session_meta"], (session, made))
            return made

        return self._engine.write(work)

    def list(self, kind: str = "", channel: str = "", limit: int = 100) -> Sequence[SessionRow]:
        """The sessions, the most recently used first."""
        return [_session(row) for row in self._engine.read(_SQL["sessions"], (kind, channel, limit))]

    def named(self, name: str, limit: int = 10) -> Sequence[SessionRow]:
        """The sessions whose id begins with `name`."""
        return [_session(row) for row in self._engine.read(_SQL["sessions_named"], (name, limit))] if name else []

    def unchecked(self) -> Sequence[str]:
        """Ids of sessions with user messages after their last checkpoint."""
        return [str(row[0]) for row in self._engine.read(_SQL["unchecked"])]

    def delete(self, session: str) -> int:
        """Delete a session and its messages. Returns the number of messages."""

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
