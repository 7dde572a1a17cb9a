"""Shows progress: a bar at a terminal, occasional lines elsewhere, nothing with JSON. Always on stderr."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

import click

from everself.clock import monotonic
from everself.interfaces.cli.call import show_lines, this_call

Tell = Callable[[int, int], None]
# a log needs only signs of life
_LINES = 10
# nobody waits in front of a log, so the first line may come this much later
_UNWATCHED = 5
# width of the bar itself
_WIDTH: Final = 24
# default width if the terminal does not report one
_COLUMNS: Final = 80


@contextmanager
def progress(label: str, after: float = 0.0) -> Iterator[Tell | None]:
    """A callback that receives the number of finished steps and the total. Nothing is shown for work shorter than `after` seconds, and in
    logs for several times as long, because quick steps are slow on a slow machine."""
    if this_call().json:
        yield None
        return
    # a terminal without colours cannot redraw a line either
    watched = sys.stderr.isatty() and click.get_current_context().color is not False
    shown = _bar(label) if watched else nullcontext(_lines(label, at_once=after > 0))
    after = after if watched else after * _UNWATCHED
    with shown as tell, _patient(tell, after) if after else nullcontext(tell) as told:
        yield told


@contextmanager
def _patient(tell: Tell, seconds: float) -> Iterator[Tell]:
    """Delays the first display; after that it is shown even if one step takes long."""
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
    # shown only during the work, so that questions and other bars have the terminal
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
    """The bar with an estimate of the remaining time."""
    filled = _WIDTH * done // total
    left = f"  {_duration(seconds / done * (total - done))} left" if done and seconds >= 1 else ""
    return f"{label} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done:,} of {total:,}{left}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _draw(line: str) -> None:
    """Redraw the line, truncated, because a wrapped line cannot be redrawn."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    except (OSError, ValueError):
        columns = _COLUMNS
    sys.stderr.write(f"\r\x1b[K{line[: columns - 1]}")
    sys.stderr.flush()


def _lines(label: str, *, at_once: bool) -> Tell:
    """A line for every tenth, and one for the start if that comes late."""
    said = -1 if at_once else 0

    def tell(done: int, total: int) -> None:
        nonlocal said
        step = done * _LINES // max(total, 1)
        # finished at once, so nothing is shown
        if step > said and (said or done < total) and (at_once or total > 2 * _LINES):
            show_lines([f"{label}: {done:,} of {total:,}"], err=True)
        said = max(said, step)

    return tell
