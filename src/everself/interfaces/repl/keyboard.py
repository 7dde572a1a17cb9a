"""The keyboard of a sitting: keys that are pressed while nobody reads wait, as they were pressed, for whoever reads next.

Left to itself, a terminal turns Enter into a line feed while nobody edits. The editor takes that for Ctrl-J, which begins a new line, and
the next message is glued to the one before. Knows termios, and no editor.
"""

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

_MOST: Final = 65_536
_IFLAG, _LFLAG = 0, 3
# bracketed paste: line breaks in pasted text do not act as Enter
_MARK_PASTES: Final = "\x1b[?2004h"


@contextmanager
def held_keys(put: Callable[[str], None]) -> Iterator[None]:
    """For a whole sitting. `put` is given what was typed before it began; Ctrl-C still stops what runs."""
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
        # the terminal made line feeds of these already
        put(_pending(keys).replace("\n", "\r"))
        yield
    finally:
        termios.tcsetattr(keys, termios.TCSANOW, before)


def mark_pastes(out: TextIO) -> None:
    """While a reply comes; the editor asks for it itself, and takes it back when it has read a line."""
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
