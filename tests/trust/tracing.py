"""Children under strace: which calls change the disk, and death before any one of them.

strace counts the calls of each thread by itself, so a child must work on one thread; see `work_on_one_thread`. Knows nothing of what the
child does.
"""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tests.trust.workers import PATIENCE, Nursery, Report, is_traced, reported

from everself.clock import monotonic, pause
from everself.storage._writer_thread import Worker
from everself.workspace.recorder import Recorder

# Every call that can change what a disk holds; opening counts where it creates.
CHANGING = (
    *("write", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range", "sendfile"),
    *("fsync", "fdatasync", "sync_file_range", "msync"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat", "symlink", "symlinkat"),
    *("mkdir", "mkdirat", "rmdir", "ftruncate", "truncate", "fallocate"),
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "fchownat", "utimensat"),
)
OPENING = ("open", "creat", "openat", "openat2")
MARKING = ("access", "faccessat", "faccessat2")
BEGIN = "/everself-begin"
ACKNOWLEDGED = "acknowledged"
REPORT = "report"

# how often a child is started again because strace missed its beginning
TRIES = 5


@dataclass(frozen=True, slots=True)
class Point:
    """The n-th call of a name, with what strace said of it."""

    call: str
    number: int
    line: str

    def __str__(self) -> str:
        return f"{self.call} {self.number}: {self.line}"


@dataclass(frozen=True, slots=True)
class Act:
    """What a child is to do: a function of that module and name, which gets `top` and these arguments."""

    function: str
    arguments: Mapping[str, object]


def work_on_one_thread() -> None:
    """In a child: files, database and history in the order in which they follow each other anyway."""
    # a Worker that cannot start a thread does the work where it is asked for; the history then waits for `close`
    Worker._start = lambda _: False  # type: ignore[method-assign, assignment]
    Recorder.wake = lambda _: None  # type: ignore[method-assign, assignment]


def begin(top: str) -> Report:
    """In a child: points are counted from here. Where to acknowledge."""
    said = Report(f"{top}/{REPORT}")
    os.access(BEGIN, os.F_OK)
    return said


def was_acknowledged(top: str) -> bool:
    return ACKNOWLEDGED in reported(f"{top}/{REPORT}")


class Stage:
    """One folder in which every play takes place, because some files name the folder that they lie in."""

    def __init__(self, nursery: Nursery) -> None:
        assert shutil.which("strace"), "strace is missing; install it (apt-get install strace)"
        self._nursery = nursery
        self.top = f"{nursery.folder}/stage"

    def set(self, source: str) -> None:
        """Make it a copy of a folder."""
        self.clear()
        shutil.copytree(source, self.top, symlinks=True)

    def clear(self) -> None:
        shutil.rmtree(self.top, ignore_errors=True)

    def run(self, act: Act) -> None:
        self._nursery.run(act.function, top=self.top, **act.arguments)

    def learn(self, source: str, *acts: Act) -> None:
        """Have the nursery import whatever these need: a file opened for an import would be counted."""
        self.set(source)
        for act in acts:
            self._nursery.learn(act.function, top=self.top, **act.arguments)

    def record(self, source: str, act: Act) -> list[Point]:
        """Let a child do it on a copy: every call that changes the disk after the child began."""
        for _ in range(TRIES):
            self.set(source)
            code, points = self._trace([], act)
            assert code == 0, f"{act.function} ended with {code}:\n{self._nursery.complaints()}"
            if points is not None:
                return points
        raise AssertionError("strace attaches too late")

    def kill(self, source: str, act: Act, points: Sequence[Point], at: int) -> None:
        """Let a child do it on a copy and kill it before that very call.

        Up to there it must have done what was recorded; if it did not, the machine was too busy for strace, and it is done again.
        """
        point = points[at]
        inject = ["-e", f"inject={point.call}:signal=SIGKILL:when={point.number}"]
        for _ in range(TRIES):
            self.set(source)
            code, seen = self._trace(inject, act)
            odd = _find_difference(points[: at + 1], seen or [])
            if code == -9 and not odd:
                return
        raise AssertionError(f"does not repeat itself ({code}): {odd}\n{self._nursery.complaints()}")

    def keep(self, name: str) -> str:
        """Move what the play left to another folder, to be copied from."""
        kept = f"{self._nursery.folder}/{name}"
        shutil.rmtree(kept, ignore_errors=True)
        os.rename(self.top, kept)
        return kept

    def _trace(self, inject: list[str], act: Act) -> tuple[int, list[Point] | None]:
        output = f"{self._nursery.folder}/trace"
        pid = self._nursery.start_gated(act.function, top=self.top, **act.arguments)
        names = ",".join(f"?{name}" for name in (*CHANGING, *OPENING, *MARKING))
        command = ["strace", "-qq", "-s", "200", "-o", output, "-e", f"trace={names}", *inject, "-p", str(pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
            end = monotonic() + PATIENCE
            while not is_traced(pid):
                assert strace.poll() is None, f"strace cannot trace: {strace.communicate()[1]}"
                assert monotonic() < end, "strace does not attach"
                pause(0.0005)
            # it has seized the child, but needs a moment more to see its calls; a missing mark shows when this was too short
            pause(0.002)
            self._nursery.release(pid)
            code = self._nursery.wait(pid)
            strace.communicate(timeout=PATIENCE)
        with open(output, encoding="utf-8", errors="replace") as file:
            return code, parse_trace(file.read().splitlines())


def parse_trace(lines: Sequence[str]) -> list[Point] | None:
    """The changing calls after the mark, numbered as strace numbers them: by name, from where it attached. None without a mark."""
    seen = Counter[str]()
    points = []
    began = False
    for line in lines:
        call, bracket, rest = line.partition("(")
        if not bracket or call.startswith(("+", "-")):
            continue
        seen[call] += 1
        if call in MARKING:
            began = began or BEGIN in rest
        elif began and f'"{ACKNOWLEDGED}' not in rest and (call in CHANGING or "O_CREAT" in rest):
            points.append(Point(call, seen[call], line))
    return points if began else None


def _find_difference(recorded: Sequence[Point], seen: Sequence[Point]) -> str:
    for wanted, got in zip_longest(recorded, seen):
        if not wanted or not got or (wanted.call, wanted.number) != (got.call, got.number):
            return f"{wanted} became {got}"
    return ""
