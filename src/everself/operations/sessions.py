"""The verbs over conversations: list, show, search, export and delete sessions, and what would survive if one were compacted now.

Knows the opened agent. Shows everything to whoever calls: these verbs are the owner's own.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from everself.conversation.sessions.session import Message, Session
from everself.errors import WrongUse

if TYPE_CHECKING:
    from everself.conversation.sessions.checkpoint import Fate
    from everself.runtime import Runtime


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session. `taint` is the least trusted stamp of what it holds; `ended`: it was closed with /new."""

    id: str
    kind: str
    person: str
    channel: str
    started_at: datetime
    last_at: datetime
    messages: int
    title: str
    ended: bool
    taint: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message. `calls` are the names of tools that were called with it."""

    id: str
    session: str
    seq: int
    at: datetime
    role: str
    person: str
    text: str
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionView:
    session: SessionLine
    summary: str
    summarised: int
    messages: tuple[Spoken, ...]


@dataclass(frozen=True, slots=True)
class Deletion:
    """What deleting a session removes, and how many entries that came of it stay."""

    session: SessionLine
    messages: int
    searches: int
    entries: int


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    message: str
    fate: "Fate"
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What survives if the conversation is made shorter now: `statements` become or are entries, `dropped` messages a summary, which a
    model may word otherwise; `stands` are documents that are read anew at every turn and lose nothing."""

    session: SessionLine
    statements: tuple[Statement, ...]
    dropped: int
    kept: int
    summary: str
    stands: tuple[str, ...]


def list_sessions(app: "Runtime", limit: int = 50) -> tuple[SessionLine, ...]:
    """The one that was spoken in last first."""
    return tuple(_line(one) for one in app.log.list(limit))


def show_session(app: "Runtime", name: str = "last", limit: int = 0) -> SessionView:
    """A session by its id, the beginning of its id, or `last`; with a limit its last messages alone."""
    session = app.log.find(name)
    messages = app.log.messages(session)
    shown = messages[-limit:] if limit else messages
    summarised = sum(one.seq <= session.compacted for one in messages)
    return SessionView(_line(session), session.summary, summarised, tuple(_spoken(one) for one in shown))


def search_messages(app: "Runtime", words: str, limit: int = 20) -> tuple[Spoken, ...]:
    """Messages with all of these words, the newest first."""
    return tuple(_spoken(one) for one in app.log.search(words, limit))


def export_session(app: "Runtime", name: str) -> str:
    """The transcript: JSON Lines, one about the session and one for each message."""
    return app.log.export(app.log.find(name)).decode("utf-8")


def plan_deletion(app: "Runtime", name: str) -> Deletion:
    """Exactly what would go; changes nothing."""
    session = app.log.find(name)
    ids = {f"msg:{one.id}" for one in app.log.messages(session)}
    came = sum(not ids.isdisjoint(entry.lineage) for entry in app.memory.catalog.all()) if ids else 0
    return Deletion(_line(session), len(ids), len(_searches(app, session)), came)


def delete_session(app: "Runtime", name: str) -> Deletion:
    """Remove a session: its messages, its transcript and what was searched for in it. Entries that came of it stay."""
    plan = plan_deletion(app, name)
    session = app.log.find(plan.session.id)
    app.state.scrub.drop_searches(_searches(app, session))
    app.log.delete(session)
    # out of the write-ahead log as well; pages themselves are overwritten as rows go
    app.state.scrub.settle()
    return plan


def simulate_compaction(app: "Runtime", name: str = "last") -> Simulation:
    """What would survive if this conversation were compacted now. Asks no model and changes nothing."""
    from everself.conversation.compaction import cut_at, stays
    from everself.conversation.sessions.excerpts import digest_of

    session = app.log.find(name)
    messages = app.log.messages(session, session.compacted)
    if not messages:
        raise WrongUse("Nothing was said in this session since it was last compacted.")
    cut = cut_at(messages, stays("asked", app.compactor.window()))
    planned = [
        Statement(one.new_entry.text, one.message.id, one.fate, one.entry) for one in app.checkpoint.plan(session)
    ]
    summary = digest_of(messages[:cut], session.summary, app.compactor.most_of_a_summary()) if cut else session.summary
    names = ("SOUL.md", "IDENTITY.md", "USER.md", "CORRECTIONS.md", "MEMORY.md")
    stands = tuple(name for name in names if app.workspace.stat(name) is not None)
    return Simulation(_line(session), tuple(planned), cut, len(messages) - cut, summary, stands)


def _searches(app: "Runtime", session: Session) -> list[str]:
    return [one.id for one in app.state.scrub.searches() if one.session == session.id]


def _line(session: Session) -> SessionLine:
    scope = session.scope
    return SessionLine(
        session.id,
        scope.kind.value,
        scope.person or "",
        session.channel,
        session.started_at,
        session.last_at or session.started_at,
        session.said,
        session.title,
        session.ended,
        session.taint,
    )


def _spoken(message: Message) -> Spoken:
    from everself.conversation.sessions.history import calls_of

    calls = tuple(call.name for call in calls_of(message))
    return Spoken(
        message.id, message.session, message.seq, message.at, message.role, message.person, message.content, calls
    )
