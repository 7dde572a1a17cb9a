"""Sessions of other programs, such as coding agents: stores each prompt that a person typed there once, and reads their transcripts.

Such a program puts files and pages into its conversations all the time, so text that is not a person's prompt is trusted like tool output.
Parsing is pure; the caller provides access to transcript files.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Literal

from everself.conversation.sessions.log import SessionLog, clean
from everself.conversation.sessions.session import Message, Session
from everself.frozen import Frozen
from everself.memory.provenance import TOOL
from everself.search.scopes import Scope, SessionKind
from everself.values import new_id

ClientName = Literal["claude-code", "codex", "cursor", "gemini"]
CLIENTS: Final[tuple[ClientName, ...]] = ("claude-code", "codex", "cursor", "gemini")
# how much of a transcript is read at once, and how much of one answer of the model is stored
_PAGE: Final = 4 * 2**20
_LONGEST_ANSWER: Final = 2_000
# pages in which a prompt is searched for; the time limit of a hook ends sooner
_MOST_PAGES: Final = 32
# transcripts read in one run, the newest
_SESSIONS: Final = 200
# values by which Claude Code marks a prompt that a person sent; it has others for its own prompts and for what its model proposed
_TYPED: Final = ("typed", "queued", "sdk")

# reads whole lines of a file from a byte offset on; returns them and the next offset
ReadLines = Callable[[str, int, int], tuple[bytes, int]]
Json = Mapping[str, Any]
Speaker = Literal["person", "model", "program"]


class TranscriptMessage(Frozen):
    """The text of one transcript line, and its author. The program itself writes a message in a person's place when one of its tasks ends
    or a prompt was scheduled by its model. `name` is the program's own id of the prompt or answer."""

    text: str
    name: str
    by: Speaker
    at: datetime | None = None


def begin_session(log: SessionLog, client: str, name: str, project: str) -> Session:
    """The session for a program's own session name: the stored one, or a new one that is not stored yet."""
    scope = Scope(SessionKind.MAIN, project=project or None)
    begun = replace(log.begin(scope, client), id=_hashed("session", client, name), taint=TOOL)
    return log.fresh(begun)


def keep_prompt(log: SessionLog, session: Session, text: str, name: str, at: datetime | None = None) -> Message:
    """Store a prompt that a person typed. It is stored once however often it is reported, identified by the program's own id and its
    text."""
    meta = {"system": True} if is_element(text) else None
    return log.add(session, "user", text, meta=meta, identity=_identity(session, name, text), at=at)


def is_element(text: str) -> bool:
    """Whether the whole text is one element, as in `<task-notification>…</task-notification>`. Programs wrap what they send in a person's
    place like this."""
    bare = text.strip()
    name = bare[1:].partition(">")[0].split(" ")[0].split("\n")[0] if bare.startswith("<") else ""
    return bool(name) and bare.endswith(f"</{name}>")


def disown_prompts(log: SessionLog, read: ReadLines, session: Session, size: int) -> int:
    """Mark the prompts since the last checkpoint that no person typed, and return their number. A hook is also called for prompts that the
    program sends itself, and only the end of the program's transcript tells the two apart."""
    now = log.fresh(session)
    kept = {one.id for one in log.messages(now, now.checkpoint) if one.role == "user" and not one.meta.get("system")}
    if not kept or not now.transcript:
        return 0
    typed: set[str] = set()
    sent: set[str] = set()
    for data in _pages_from_end(read, now.transcript, size):
        for one in (said for line in data.splitlines() for said in parse_line(now.channel, line)):
            if one.by != "model":
                (typed if one.by == "person" else sent).add(_identity(now, one.name, one.text))
        if kept <= typed | sent:
            break
    return sum(map(log.disown, sorted(kept & sent - typed)))


def _pages_from_end(read: ReadLines, path: str, end: int) -> Iterator[bytes]:
    """Read a file in pages of whole lines, the last page first, because a tool result of any size may follow a prompt."""
    for _ in range(_MOST_PAGES):
        start = max(0, end - _PAGE)
        data, _ = read(path, start, end - start)
        yield data
        if start == 0:
            return
        # a line cut by the start of the page belongs to the page before it
        whole = start + data.find(b"\n") + 1
        end = whole if whole < end else start


class TranscriptReader:
    """Stores messages of other programs' transcripts that were not read yet."""

    def __init__(self, log: SessionLog, read: ReadLines) -> None:
        self._log = log
        self._read = read

    def take_in_all(self) -> int:
        """Read the transcripts of all sessions that grew. Returns the number of new messages."""
        sessions = [one for one in self._log.list(_SESSIONS) if one.transcript and one.noted > one.mined]
        return sum(self.take_in(one) for one in sessions)

    def take_in(self, session: Session) -> int:
        """Read one session's transcript. Returns the number of new messages. After a crash in between, messages already stored are
        recognised."""
        before = session.said
        # a hook may have reported the prompt without an id
        told = [one for one in self._log.messages(session) if one.role == "user" and not one.meta.get("system")]
        known = {one.content for one in told}
        typed: set[str] = set()
        at = session.mined
        while True:
            data, after = self._read(session.transcript, at, _PAGE)
            if after == at:
                return self._log.fresh(session).said - before
            said = [one for line in data.splitlines() for one in parse_line(session.channel, line)]
            typed |= {_identity(session, one.name, one.text) for one in said if one.by == "person"}
            for one in said:
                self._take(session, one, known, typed)
            at = after
            self._log.mark(session, mined=at)

    def _take(self, session: Session, one: TranscriptMessage, known: set[str], typed: set[str]) -> None:
        match one.by:
            case "model":
                named = _hashed("answer", session.id, one.name)
                self._log.add(session, "assistant", one.text, meta={"stamp": TOOL}, identity=named, at=one.at)
            case "person" if (text := clean(one.text)) not in known:
                known.add(text)
                keep_prompt(self._log, session, one.text, one.name, one.at)
            case "program" if (named := _identity(session, one.name, one.text)) not in typed:
                self._log.disown(named)


def parse_line(client: str, line: bytes) -> Iterator[TranscriptMessage]:
    """The messages of one transcript line; none if nobody said anything or the line cannot be read."""
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
    # a side chain belongs to another agent
    if not isinstance(message, dict) or line.get("isSidechain"):
        return
    content, at = message.get("content"), _time(line.get("timestamp"))
    if line.get("type") == "user" and isinstance(content, str):
        by: Speaker = "person" if _is_typed(line) else "program"
        yield from _said(content, _text(line.get("promptId")) or _text(line.get("uuid")), by, at)
    elif line.get("type") == "assistant" and isinstance(content, list):
        yield from _said(_joined(content, "text"), _text(line.get("uuid")), "model", at)


def _is_typed(line: Json) -> bool:
    """Whether a person typed the prompt. Summaries, program notes and scheduled prompts are stored the same way and must be excluded."""
    origin = line.get("origin")
    by_human = origin is None or (isinstance(origin, dict) and origin.get("kind") == "human")
    noted = any(line.get(name) for name in ("isMeta", "isCompactSummary"))
    return by_human and not noted and line.get("promptSource") in _TYPED


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
        typed = isinstance(kinds, list) and kinds and all(kind == "user.text" for kind in kinds)
        by: Speaker = "person" if typed else "program"
        yield from _said(_joined(content, "input_text"), _text(about.get("turn_id")), by, at)
    elif payload.get("role") == "assistant":
        name = f"{_text(about.get('turn_id'))} {_text(payload.get('id'))} {line.get('ordinal', '')}"
        yield from _said(_joined(content, "output_text"), name, "model", at)


def _said(text: str, name: str, by: Speaker, at: datetime | None) -> Iterator[TranscriptMessage]:
    if text.strip() and (name or by == "person"):
        yield TranscriptMessage(text[:_LONGEST_ANSWER] if by == "model" else text, name, by, at)


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


def _identity(session: Session, name: str, text: str) -> str:
    return _hashed("prompt", session.id, name, text.strip())


def _hashed(*parts: str) -> str:
    hashed = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return new_id(lambda size: hashed[:size])
