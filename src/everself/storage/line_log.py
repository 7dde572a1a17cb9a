"""A log file of lines, rotated by size: a full file is renamed and the oldest is dropped. Private to its owner; ignores the content."""

import os
from collections import deque
from threading import Lock
from typing import Final

LARGEST: Final = 5 * 2**20
KEPT: Final = 3


class LineLog:
    """A rotating log that never stops its writer: lines that cannot be written are counted in `lost`. Safe to use from any thread."""

    def __init__(self, path: str, *, largest: int = LARGEST, kept: int = KEPT) -> None:
        """`kept`: the number of full files kept beside the current one."""
        self.path = path
        self.lost = 0
        self._largest = largest
        self._kept = kept
        self._lock = Lock()
        self._descriptor = -1
        self._size = 0

    def write(self, line: str) -> None:
        data = line.encode("utf-8", "replace").replace(b"\n", b" ") + b"\n"
        with self._lock:
            try:
                if self._descriptor >= 0 and self._size + len(data) > self._largest:
                    self._set_aside()
                if self._descriptor < 0:
                    self._open()
                if self._size and self._size + len(data) > self._largest:
                    self._set_aside()
                    self._open()
                self._size += os.write(self._descriptor, data)
            except OSError:
                self.lost += 1

    def close(self) -> None:
        with self._lock:
            self._close()

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(self.path, flags, 0o600)
        os.fchmod(self._descriptor, 0o600)
        self._size = os.fstat(self._descriptor).st_size

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _set_aside(self) -> None:
        self._close()
        for number in range(self._kept, 0, -1):
            older = self.path if number == 1 else f"{self.path}.{number - 1}"
            if os.path.lexists(older):
                os.replace(older, f"{self.path}.{number}")


def last_lines(path: str, count: int, *, kept: int = KEPT) -> list[str]:
    """The newest lines, oldest first; reads the rotated files too if the current one has too few."""
    found: deque[str] = deque()
    for name in (path, *(f"{path}.{number}" for number in range(1, kept + 1))):
        if len(found) >= count:
            break
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                lines = deque(file, maxlen=count - len(found))
        except FileNotFoundError:
            continue
        found.extendleft(line.rstrip("\n") for line in reversed(lines))
    return list(found)
