"""The keyboard during a conversation: keys pressed while nothing reads them wait unchanged for the next reader.

By default a terminal turns Enter into a line feed while no editor runs. The editor takes that for Ctrl-J, which begins a new line, and the
next message is appended to the one before. Knows termios, and no editor.
"""

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

_MOST: Final = 65_536
_IFLAG, _LFLAG = 0, 3
# marks pasted text, so that its line ends are not taken for Enter
_MARK_PASTES: Final = "\x1b[?2004h"


@contextmanager
def held_keys(put: Callable[[str], None]) -> Iterator[None]:
    """Hold keys for a whole conversation. `put` receives what was typed before it began. Ctrl-C still works."""
    import termios

    try:
        keys = sys.stdin.fileno()
        before = termios.tcgetattr(keys)
    except (OSError, ValueError, termios.error):
        yield
        return
    raw = [*before]
    raw[_IFLAG] = before[_IFLAG] & ~(termios.ICRNL | termios.INLCR | termios.IGNCR)
    raw[_LFLAG] = before[_LFLAG] & ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(keys, termios.TCSANOW, raw)
    try:
        # the terminal has already turned Enter into line feeds in these
        put(_pending(keys).replace("\n", "\r"))
        yield
    finally:
        termios.tcsetattr(keys, termios.TCSANOW, before)


def mark_pastes(out: TextIO) -> None:
    """Turn on paste marks while a reply is shown. The editor turns them on itself, and off when it has read a line."""
    if out.isatty():
        out.write(_MARK_PASTES)
        out.flush()


def _pending(keys: int) -> str:
    found = b""
    while len(found) < _MOST and select.select([keys], [], [], 0)[0]:
        read = os.read(keys, _MOST)
        if not read:
            break
        found += read
    return found.decode("utf-8", "replace")
