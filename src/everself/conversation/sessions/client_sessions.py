"""Sessions of other programs, such as coding agents: what a person typed there, kept once, and what their own transcripts say of it.

A conversation with such a program holds files and pages all the time: whatever is not a prompt of the person's is worth what a tool says.
Parsing is pure; the lines of a transcript come from whoever may read files.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Literal

from everself.conversation.sessions.log import SessionLog, clean
from everself.conversation.sessions.session import Message, Session
from everself.memory.provenance import TOOL
from everself.search.scopes import Scope, SessionKind
from everself.values import new_id

ClientName = Literal["claude-code", "codex", "cursor", "gemini"]
CLIENTS: Final[tuple[ClientName, ...]] = ("claude-code", "codex", "cursor", "gemini")
# how much of a transcript is read at once, and of one answer of the model kept
_PAGE: Final = 4 * 2**20
_LONGEST_ANSWER: Final = 2_000
# transcripts that one run takes in, the newest
_SESSIONS: Final = 200

# whole lines of a file from a byte on, and where to go on
ReadLines = Callable[[str, int, int], tuple[bytes, int]]
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """What one line says. `typed`: by the person; else it is the model's. `name` is the program's own id of the prompt or answer."""

    text: str
    name: str
    typed: bool
    at: datetime | None = None


def begin_session(log: SessionLog, client: str, name: str, project: str) -> Session:
    """The session that a program calls so, as it stands or as it begins. Nothing is stored yet."""
    scope = Scope(SessionKind.MAIN, project=project or None)
    begun = replace(log.begin(scope, client), id=_hashed("session", client, name), taint=TOOL)
    return log.fresh(begun)


def keep_prompt(log: SessionLog, session: Session, text: str, name: str, at: datetime | None = None) -> Message:
    """Keep what a person typed, once however often it is told: by the program's own name for it, and by its words."""
    return log.add(session, "user", text, identity=_hashed("prompt", session.id, name, text.strip()), at=at)


class TranscriptReader:
    """Takes in what the transcripts of other programs hold beyond what was read of them."""

    def __init__(self, log: SessionLog, read: ReadLines) -> None:
        self._log = log
        self._read = read

    def take_in_all(self) -> int:
        """Of every session whose transcript was noted; how many messages came in."""
        sessions = [one for one in self._log.list(_SESSIONS) if one.transcript and one.noted > one.mined]
        return sum(self.take_in(one) for one in sessions)

    def take_in(self, session: Session) -> int:
        """How many messages came in. A crash in between leaves some of them, and they are known the next time."""
        before = session.said
        # a hook that told a prompt may have known no name for it
        known = {one.content for one in self._log.messages(session) if one.role == "user"}
        at = session.mined
        while True:
            data, after = self._read(session.transcript, at, _PAGE)
            if after == at:
                return self._log.fresh(session).said - before
            for line in data.splitlines():
                for one in parse_line(session.channel, line):
                    self._take(session, one, known)
            at = after
            self._log.mark(session, mined=at)

    def _take(self, session: Session, one: TranscriptMessage, known: set[str]) -> None:
        if not one.typed:
            named = _hashed("answer", session.id, one.name)
            self._log.add(session, "assistant", one.text, meta={"stamp": TOOL}, identity=named, at=one.at)
        elif (text := clean(one.text)) not in known:
            known.add(text)
            keep_prompt(self._log, session, one.text, one.name, one.at)


def parse_line(client: str, line: bytes) -> Iterator[TranscriptMessage]:
    """What a line of a transcript says; nothing for what nobody said, and for what cannot be read."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return
    if not isinstance(read, dict):
        return
    if client == "claude-code":
        yield from _claude(read)
    elif client == "codex":
        yield from _codex(read)


def _claude(line: Json) -> Iterator[TranscriptMessage]:
    message = line.get("message")
    # a side chain is another agent's, and a summary or a note of the program's stands there as if a person had typed it
    if not isinstance(message, dict) or any(line.get(name) for name in ("isSidechain", "isMeta", "isCompactSummary")):
        return
    content, at = message.get("content"), _time(line.get("timestamp"))
    if line.get("type") == "user" and line.get("promptSource") and isinstance(content, str):
        yield from _said(content, _text(line.get("promptId")) or _text(line.get("uuid")), True, at)
    elif line.get("type") == "assistant" and isinstance(content, list):
        yield from _said(_joined(content, "text"), _text(line.get("uuid")), False, at)


def _codex(line: Json) -> Iterator[TranscriptMessage]:
    payload = line.get("payload")
    if line.get("type") != "response_item" or not isinstance(payload, dict) or payload.get("type") != "message":
        return
    passed = payload.get("internal_chat_message_metadata_passthrough")
    about: Json = passed if isinstance(passed, dict) else {}
    content, at = payload.get("content"), _time(line.get("timestamp"))
    if not isinstance(content, list):
        return
    if payload.get("role") == "user":
        kinds = about.get("content_item_kinds", payload.get("content_item_kinds"))
        if isinstance(kinds, list) and kinds and all(kind == "user.text" for kind in kinds):
            yield from _said(_joined(content, "input_text"), _text(about.get("turn_id")), True, at)
    elif payload.get("role") == "assistant":
        name = f"{_text(about.get('turn_id'))} {_text(payload.get('id'))} {line.get('ordinal', '')}"
        yield from _said(_joined(content, "output_text"), name, False, at)


def _said(text: str, name: str, typed: bool, at: datetime | None) -> Iterator[TranscriptMessage]:
    if text.strip() and (name or typed):
        yield TranscriptMessage(text if typed else text[:_LONGEST_ANSWER], name, typed, at)


def _joined(content: list[Any], kind: str) -> str:
    parts = [one.get("text") for one in content if isinstance(one, dict) and one.get("type") == kind]
    return "\n\n".join(part for part in parts if isinstance(part, str))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def _hashed(*parts: str) -> str:
    hashed = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return new_id(lambda size: hashed[:size])
