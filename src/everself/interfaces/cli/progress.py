"""How far a long step is: a bar at a terminal, a line now and then elsewhere, nothing beside JSON. Always on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from everself.interfaces.cli.call import show_lines, this_call

Tell = Callable[[int, int], None]
# a log wants to know that it goes on, not how
_LINES = 10
# and nobody sits before it and wonders: it can wait so many times longer for the first word
_UNWATCHED = 5


@contextmanager
def progress(label: str, after: float = 0.0) -> Iterator[Tell | None]:
    """A function that is told how much is done, of how much. What takes fewer than `after` seconds is not worth a word, and in a log
    not worth a line for longer: on a slow machine a quick step is slow as well."""
    if this_call().json:
        yield None
        return
    watched = sys.stderr.isatty()
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
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
    task = bar.add_task(label)

    # there only while something goes on, so that a question or another bar has the terminal for itself
    def tell(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)
        if done < total:
            bar.start()
        else:
            bar.stop()

    try:
        yield tell
    finally:
        bar.stop()


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
