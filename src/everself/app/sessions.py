"""Opens what keeps the conversations of an agent: the log with its transcripts beside the agent's state, and what makes room in them."""

from typing import TYPE_CHECKING, Final

from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.conversation.compaction import Compactor, RoomMade
    from everself.conversation.sessions.checkpoint import Checked
    from everself.conversation.sessions.forgetting import TranscriptTraces
    from everself.conversation.sessions.log import Log
    from everself.conversation.sessions.session import Session
    from everself.conversation.sessions.transcripts import Transcripts

LOCK: Final = "sessions.lock"


def open_log(app: "App") -> "Log":
    from everself.conversation.sessions.log import Log

    return Log(app.state.messages, _transcripts(app), app.clock)


def open_transcript_traces(app: "App") -> "TranscriptTraces":
    """The transcripts as forgetting reaches them."""
    from everself.conversation.sessions.forgetting import TranscriptTraces

    return TranscriptTraces(app.log, _transcripts(app))


def _transcripts(app: "App") -> "Transcripts":
    from everself.conversation.sessions.transcripts import Transcripts

    return Transcripts(RealFileSystem(app.agent.state), FileLock(f"{app.agent.state}/{LOCK}"))


def open_compactor(app: "App") -> "Compactor":
    from everself.conversation.compaction import Compactor
    from everself.conversation.flush import Flushing
    from everself.conversation.sessions.notes import Notes

    hooks, desk = app.loaded.config.hooks, app.chat.desk
    most = hooks.session_messages if hooks.enabled and hooks.session_notes else 0
    notes = Notes(app.memory, app.log, app.agent.id, most)
    return Compactor(desk, app.checkpoint, notes, app.agent.compaction, Flushing(desk))


class Room:
    """What a conversation asks for when it grows long or ends. Nothing is opened before it is asked."""

    def __init__(self, app: "App") -> None:
        self._app = app

    def near(self, used: int, window: int) -> bool:
        return self._app.compactor.is_near(used, window)

    def heavy(self, session: "Session") -> bool:
        return self._app.compactor.is_heavy(session)

    async def compact(self, session: "Session", why: str) -> "RoomMade":
        return await self._app.compactor.compact(session, why)

    def checkpoint(self, session: "Session") -> "Checked":
        return self._app.checkpoint.make(session)

    def recover(self) -> "Checked":
        self._app.log.catch_up()
        return self._app.checkpoint.recover()

    async def note(self, session: "Session") -> str:
        return await self._app.compactor.note(session)
