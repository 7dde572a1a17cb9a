"""Session and message as values, and their conversion to rows and transcript lines. Pure."""

import json
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Final, Literal, TypedDict

from everself.errors import Damaged
from everself.frozen import Frozen
from everself.memory.provenance import OWN, known_source, taint_of
from everself.models.chat.protocol import JsonObject, ToolCall
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import speaker_of
from everself.storage.state.messages import SessionRow, StoredMessage

Role = Literal["user", "assistant", "tool"]
# the least trusted source in a conversation; `own` if it contains nothing from outside
Taint = str

LONGEST_TITLE: Final = 60


class Session(Frozen):
    """A conversation as stored. `checkpoint` is the number of the last message that a checkpoint has processed. `compacted` is the number
    of the last message that `summary` covers; the summary rests on `summary_source`. `flushed` is the value of `compacted` when a model was
    last asked to store what should last, so that it is asked once between two compactions. `ended`: it was closed with /new. `title` is the
    beginning of its first message and is not stored.

    For a session of another program, `transcript` is the path of that program's own file, `noted` is the size of the file at the last
    report, and `mined` is how many bytes of it have been read.
    """

    id: str
    scope: Scope
    channel: str
    started_at: datetime
    title: str = ""
    taint: Taint = OWN
    checkpoint: int = 0
    compacted: int = 0
    summary: str = ""
    summary_source: Taint = OWN
    ended: bool = False
    flushed: int = -1
    said: int = 0
    last_at: datetime | None = None
    transcript: str = ""
    noted: int = 0
    mined: int = 0


class Message(Frozen):
    """One message. `person` is its author, empty for the owner."""

    id: str
    session: str
    seq: int
    at: datetime
    role: Role
    person: str
    content: str
    meta: JsonObject = field(default_factory=dict)


class SessionUpdate(TypedDict, total=False):
    taint: Taint
    checkpoint: int
    compacted: int
    summary: str
    summary_source: Taint
    ended: bool
    flushed: int
    transcript: str
    noted: int
    mined: int


def marked(meta: str, marks: SessionUpdate) -> str:
    """A session's meta with these marks. Numbers and taint only rise, because another process may be further."""
    known = _read(meta)
    if "taint" in marks:
        known["taint"] = taint_of((_taint(known.get("taint")), marks["taint"]))
    rising = {key: marks[key] for key in ("checkpoint", "noted", "mined") if key in marks}
    known |= {key: max(_number(known, key), number) for key, number in rising.items()}
    # a summary belongs to its message number
    if marks.get("compacted", _number(known, "compacted")) >= _number(known, "compacted"):
        known |= {key: marks[key] for key in ("compacted", "summary", "summary_source") if key in marks}
    known |= {key: marks[key] for key in ("ended", "flushed", "transcript") if key in marks}
    return written(known)


def session_of(row: SessionRow) -> Session:
    meta = _read(row.meta)
    project = meta.get("project")
    try:
        kind = SessionKind(row.kind)
        started, last = datetime.fromisoformat(row.started_at), datetime.fromisoformat(row.last_at or row.started_at)
    except ValueError as error:
        raise Damaged(f"The session {row.id} cannot be read ({error}).", mend="everself doctor") from error
    scope = Scope(kind, row.person or None, project if isinstance(project, str) and project else None)
    return Session(
        id=row.id,
        scope=scope,
        channel=row.channel,
        started_at=started,
        title=title_of(row.opening),
        taint=taint_of((_taint(meta.get("taint")), speaker_of(scope))),
        checkpoint=_number(meta, "checkpoint"),
        compacted=_number(meta, "compacted"),
        summary=str(meta.get("summary", "")),
        summary_source=_taint(meta.get("summary_source")),
        ended=bool(meta.get("ended")),
        flushed=_number(meta, "flushed") if "flushed" in meta else -1,
        said=row.said,
        last_at=last,
        transcript=str(meta.get("transcript", "")),
        noted=_number(meta, "noted"),
        mined=_number(meta, "mined"),
    )


def row_of(session: Session) -> SessionRow:
    """The row of a new session without messages."""
    scope = session.scope
    meta = {"project": scope.project} if scope.project else {}
    if session.taint != speaker_of(scope):
        # stored with the session's first message, so that after a crash its text is never found without its taint
        meta["taint"] = session.taint
    return SessionRow(
        session.id,
        scope.kind.value,
        scope.person or "",
        session.channel,
        session.started_at.isoformat(),
        written(meta),
    )


def message_of(said: StoredMessage) -> Message:
    role: Role = "user" if said.role == "user" else "tool" if said.role == "tool" else "assistant"
    at = datetime.fromisoformat(said.at)
    return Message(said.id, said.session, said.seq, at, role, said.person, said.content, _read(said.meta))


def calls_of(message: Message) -> tuple[ToolCall, ...]:
    """The tool calls of an assistant's message."""
    found = message.meta.get("calls")
    if not isinstance(found, list | tuple):
        return ()
    return tuple(ToolCall(*map(str, one)) for one in found if isinstance(one, list | tuple) and len(one) == 3)


def header(session: Session) -> bytes:
    return _line(
        {
            "seq": 0,
            "session": session.id,
            "kind": session.scope.kind.value,
            "person": session.scope.person or "",
            "channel": session.channel,
            "started_at": session.started_at.isoformat(),
        }
    )


def line(message: Message) -> bytes:
    return _line(
        {
            "seq": message.seq,
            "id": message.id,
            "at": message.at.isoformat(),
            "role": message.role,
            "person": message.person,
            "content": message.content,
            "meta": dict(message.meta),
        }
    )


def title_of(text: str) -> str:
    """The beginning of a text, on one line."""
    words = " ".join(text[: LONGEST_TITLE * 4].split())
    return words if len(words) <= LONGEST_TITLE else f"{words[: LONGEST_TITLE - 1]}…"


def written(meta: JsonObject) -> str:
    return json.dumps(dict(meta), ensure_ascii=False, separators=(",", ":"))


def _line(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _read(meta: str) -> dict[str, object]:
    read = json.loads(meta)
    return read if isinstance(read, dict) else {}


def _number(meta: JsonObject, key: str) -> int:
    found = meta.get(key)
    return found if isinstance(found, int) else 0


def _taint(found: object) -> Taint:
    # an unreadable taint counts as the least trusted one
    return OWN if found in (None, OWN) else known_source(str(found))
