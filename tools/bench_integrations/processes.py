"""The descendants of this process as the system reports them: processor time and memory."""

import ctypes
import os
import resource
from contextlib import suppress
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_BECOME_REAPER: Final = 36


def below(parent: int | None = None) -> list[int]:
    """The descendants of a process."""
    found: list[int] = []
    left = [parent or os.getpid()]
    while left:
        for task in Path("/proc", str(left.pop()), "task").glob("*/children"):
            try:
                children = [int(one) for one in task.read_text("utf-8").split()]
            except OSError:
                continue
            found += children
            left += children
    return found


def processor_seconds() -> float:
    """Processor time of all running descendants."""
    return sum(_seconds(one) for one in below())


def resident_megabytes(process: int) -> float:
    return int(Path("/proc", str(process), "statm").read_text("utf-8").split()[1]) * _PAGE / 2**20


def _seconds(process: int) -> float:
    try:
        fields = Path("/proc", str(process), "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process: a hook exits without waiting for the process that works for it."""
    ctypes.CDLL(None).prctl(_BECOME_REAPER, 1, 0, 0, 0)


def ended_seconds() -> float:
    """Processor time of all descendants that have ended, including adopted ones."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
