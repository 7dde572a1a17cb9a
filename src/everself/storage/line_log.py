"""A log of lines in a file that only its owner reads; a full one is set aside and the oldest is dropped. Knows nothing of what it holds."""

import os
from collections import deque
from threading import Lock
from typing import Final

LARGEST: Final = 5 * 2**20
KEPT: Final = 3


class LineLog:
    """Whoever writes a line is never stopped by it: one that cannot be written is counted in `lost`. Any thread may write."""

    def __init__(self, path: str, *, largest: int = LARGEST, kept: int = KEPT) -> None:
        """`kept`: how many full files are kept beside the one that is written."""
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
    """The newest lines, the oldest of them first, from the files that were set aside too where the newest has too few."""
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
