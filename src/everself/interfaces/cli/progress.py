"""How far a long step is: a bar at a terminal, a line now and then elsewhere, nothing beside JSON. Always on stderr."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

import click

from everself.clock import monotonic
from everself.interfaces.cli.call import show_lines, this_call

Tell = Callable[[int, int], None]
# a log wants to know that it goes on, not how
_LINES = 10
# and nobody sits before it and wonders: it can wait so many times longer for the first word
_UNWATCHED = 5
# characters of the bar itself
_WIDTH: Final = 24
# of a terminal that does not say
_COLUMNS: Final = 80


@contextmanager
def progress(label: str, after: float = 0.0) -> Iterator[Tell | None]:
    """A function that is told how much is done, of how much. What takes fewer than `after` seconds is not worth a word, and in a log
    not worth a line for longer: on a slow machine a quick step is slow as well."""
    if this_call().json:
        yield None
        return
    # one that is too plain for colours cannot draw over a line either
    watched = sys.stderr.isatty() and click.get_current_context().color is not False
    shown = _bar(label) if watched else nullcontext(_lines(label, at_once=after > 0))
    after = after if watched else after * _UNWATCHED
    with shown as tell, _patient(tell, after) if after else nullcontext(tell) as told:
        yield told


@contextmanager
def _patient(tell: Tell, seconds: float) -> Iterator[Tell]:
    """Holds back what it is told for so long; then it is told even where one step goes on and on."""
    import threading

    lock = threading.Lock()
    latest: tuple[int, int] | None = None
    waiting = True

    def begin() -> None:
        nonlocal waiting
        with lock:
            waiting = False
            if latest is not None and latest[0] < latest[1]:
                tell(*latest)

    def told(done: int, total: int) -> None:
        nonlocal latest
        with lock:
            latest = done, total
            if not waiting:
                tell(done, total)

    timer = threading.Timer(seconds, begin)
    timer.daemon = True
    timer.start()
    try:
        yield told
    finally:
        timer.cancel()
        timer.join()


@contextmanager
def _bar(label: str) -> Iterator[Tell]:
    # there only while something goes on, so that a question or another bar has the terminal for itself
    began: float | None = None

    def tell(done: int, total: int) -> None:
        nonlocal began
        if done < total:
            began = monotonic() if began is None else began
            _draw(_bar_line(label, done, total, monotonic() - began))
        elif began is not None:
            began = None
            _draw("")

    try:
        yield tell
    finally:
        if began is not None:
            _draw("")


def _bar_line(label: str, done: int, total: int, seconds: float) -> str:
    """How far it is, and how long the rest will take if it goes on like this."""
    filled = _WIDTH * done // total
    left = f"  {_duration(seconds / done * (total - done))} left" if done and seconds >= 1 else ""
    return f"{label} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done:,} of {total:,}{left}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _draw(line: str) -> None:
    """In the place of what was drawn before; cut, because a line that wraps could not be drawn over."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    except (OSError, ValueError):
        columns = _COLUMNS
    sys.stderr.write(f"\r\x1b[K{line[: columns - 1]}")
    sys.stderr.flush()


def _lines(label: str, *, at_once: bool) -> Tell:
    """A line for every tenth; where it took a while until anything is told, one for the beginning as well."""
    said = -1 if at_once else 0

    def tell(done: int, total: int) -> None:
        nonlocal said
        step = done * _LINES // max(total, 1)
        # what is done at once needs no line
        if step > said and (said or done < total) and (at_once or total > 2 * _LINES):
            show_lines([f"{label}: {done:,} of {total:,}"], err=True)
        said = max(said, step)

    return tell
