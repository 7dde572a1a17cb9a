"""Transcripts: one `.jsonl` file for each session, with a header line and one line for each message.

Written from the database, which is the truth: lines missing after a crash are added with the next message, and a wrong file is rewritten.
So a transcript is not synced to the disk and can be deleted at any time.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from everself.storage.filesystem import TEMPORARY_PREFIX, FileSystem, disk_errors
from everself.storage.lock import FileLock, Lock
from everself.storage.real_disk import RealFileSystem
from everself.storage.writes import discard, find, make_directories, write_all, write_new

FOLDER: Final = "sessions"
ENDING: Final = ".jsonl"
_TAIL: Final = 1 << 16

# Returns the lines of a session after a message number; with None also the header line. Empty for a session that does not exist.
Lines = Callable[[int | None], Iterator[bytes]]


class Transcripts:
    """The transcripts of one agent. `files` is its state folder."""

    def __init__(self, files: FileSystem, lock: Lock) -> None:
        self._files = files
        self._lock = lock
        # inode, size and last number as this process left them, so that the end of the file need not be read again
        self._known: dict[str, tuple[int, int, int]] = {}

    def follow(self, session: str, lines: Lines) -> None:
        """Append the lines that the transcript lacks."""
        path = path_of(session)
        with disk_errors(path), self._lock.hold():
            last = self._last(session, path)
            if last is None:
                self._write(session, path, lines)
                return
            added = list(lines(last))
            if not added:
                return
            handle = self._files.open_append(path)
            try:
                write_all(handle, b"".join(added))
                left = handle.stat()
            finally:
                handle.close()
            self._known[session] = (left.inode, left.size, _number(added[-1]) or 0)

    def rewrite(self, session: str, lines: Lines) -> None:
        """Rewrite the transcript, or remove it if there are no lines."""
        path = path_of(session)
        with disk_errors(path), self._lock.hold():
            self._write(session, path, lines)

    def read(self, session: str) -> bytes:
        with disk_errors(path_of(session)):
            return find(self._files, path_of(session)) or b""

    def names(self) -> tuple[str, ...]:
        """The ids of sessions with a transcript."""
        with disk_errors(FOLDER):
            if self._files.stat(FOLDER) is None:
                return ()
            found = [one.path.rpartition("/")[2] for one in self._files.list(FOLDER) if one.kind == "file"]
        return tuple(name.removesuffix(ENDING) for name in found if name.endswith(ENDING))

    def sweep(self) -> int:
        """Remove temporary files of processes that were killed while writing. Returns their number."""
        with disk_errors(FOLDER), self._lock.hold():
            if self._files.stat(FOLDER) is None:
                return 0
            left = [one.path for one in self._files.list(FOLDER) if f"/{TEMPORARY_PREFIX}" in one.path]
            discard(self._files, left)
            # a removal that was not synced is undone by a power cut, and the file's content returns with it
            self._files.sync_directory(FOLDER)
        return len(left)

    def _write(self, session: str, path: str, lines: Lines) -> None:
        self._known.pop(session, None)
        made = list(lines(None))
        if not made:
            discard(self._files, [path])
            if self._files.stat(FOLDER) is not None:
                self._files.sync_directory(FOLDER)
            return
        make_directories(self._files, path)
        temporary = f"{FOLDER}/{TEMPORARY_PREFIX}{session}{ENDING}"
        data = b"".join(made)
        try:
            write_new(self._files, temporary, data)
            self._files.rename(temporary, path)
        finally:
            with suppress(OSError):
                discard(self._files, [temporary])
        self._files.sync_directory(FOLDER)

    def _last(self, session: str, path: str) -> int | None:
        """The number of the last message in the transcript; None if it is missing or does not end with a complete line."""
        found = self._files.stat(path)
        if found is None or found.kind != "file" or not found.size:
            return None
        inode, size, last = self._known.get(session, (-1, -1, 0))
        if (inode, size) == (found.inode, found.size):
            return last
        reach = _TAIL
        while True:
            start = max(0, found.size - reach)
            tail = self._files.read(path, start, found.size - start)
            cut = tail.rfind(b"\n", 0, -1)
            if cut >= 0 or not start:
                return _number(tail[cut + 1 :]) if tail.endswith(b"\n") else None
            reach *= 8


def path_of(session: str) -> str:
    return f"{FOLDER}/{session}{ENDING}"


def _number(line: bytes) -> int | None:
    try:
        read = json.loads(line)
    except ValueError:
        return None
    found = read.get("seq") if isinstance(read, dict) else None
    return found if isinstance(found, int) else None


LOCK: Final = "sessions.lock"


def open_transcripts(folder: str) -> Transcripts:
    """`folder` is the folder of the agent's state."""
    return Transcripts(RealFileSystem(folder), FileLock(f"{folder}/{LOCK}"))
