"""Opens what keeps the conversations of an agent: the log of what was said, with the transcripts beside the agent's state."""

from typing import TYPE_CHECKING, Final

from everself.disk.lock import FileLock
from everself.disk.real import RealFileSystem

if TYPE_CHECKING:
    from everself.app.app import App
    from everself.sessions.log import Log

LOCK: Final = "sessions.lock"


def open_log(app: "App") -> "Log":
    from everself.sessions.log import Log
    from everself.sessions.transcripts import Transcripts

    transcripts = Transcripts(RealFileSystem(app.agent.state), FileLock(f"{app.agent.state}/{LOCK}"))
    return Log(app.state.messages, transcripts, app.clock)
