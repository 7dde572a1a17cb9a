"""Opens the transcripts of an agent, next to its state database."""

from typing import Final

from everself.conversation.sessions.transcripts import Transcripts
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem

LOCK: Final = "sessions.lock"


def open_transcripts(folder: str) -> Transcripts:
    """`folder` is where the agent's state lies."""
    return Transcripts(RealFileSystem(folder), FileLock(f"{folder}/{LOCK}"))
