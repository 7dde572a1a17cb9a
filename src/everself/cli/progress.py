"""How far a long step is: a bar at a terminal, a line now and then elsewhere, nothing beside JSON. Always on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from everself.cli.call import show_lines, this_call

Tell = Callable[[int, int], None]
# a log wants to know that it goes on, not how
_LINES = 10


@contextmanager
def progress(label: str) -> Iterator[Tell | None]:
    """A function that is told how much is done, of how much."""
    if this_call().json:
        yield None
    elif sys.stderr.isatty():
        with _bar(label) as tell:
            yield tell
    else:
        yield _lines(label)


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


def _lines(label: str) -> Tell:
    said = 0

    def tell(done: int, total: int) -> None:
        nonlocal said
        step = done * _LINES // max(total, 1)
        # what is done at once needs no line
        if step > said and (said or done < total) and total > 2 * _LINES:
            show_lines([f"{label}: {done:,} of {total:,}"], err=True)
        said = max(said, step)

    return tell
