"""R15: a workspace of thousands of files, of files and lines that are far too long, and of things that are no files. Search answers.

What is measured is the command itself, in a process of its own: that it ends, what memory it takes at most, and what it says.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random

from tests.trust.worlds import find_memory

from everself.agent import open_runtime
from everself.clock import monotonic
from everself.operations.setup import set_up

TOP = Path(__file__).resolve().parents[3]
MEGABYTE = 1 << 20
MOST_RSS = 512
# how long a command may take: it only says that nothing hangs, on a machine that has much else to do
PATIENCE = 1_500.0
# seconds after which a person wants to know that something goes on, or half of the time where the machine has much else to do
A_WORD_AFTER = 20.0
FULL = 10_000
VOCABULARY = 20_000
# what the command says when it found something and could not read everything
DONE, DEGRADED = 0, 6


# A process counts as its own what the one that started it had in memory: the command is started by one that has next to nothing.
_LAUNCH = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(process.pid, 0)
process.returncode = 0
with open(sys.argv[1], "w") as file:
    file.write(str(used.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status) % 256)
"""


def _rss(measured: Path) -> int:
    """Megabytes; nothing where the command was killed."""
    return int(measured.read_text()) // 1024 if measured.exists() else 0


@dataclass(frozen=True)
class Size:
    """Daily files, megabytes of MEMORY.md and words of each of its entries, megabytes of one line."""

    files: int
    core: int
    words: int
    line: int

    @property
    def full(self) -> bool:
        return self.files >= FULL


@dataclass
class Run:
    """One command: what it said, what it took."""

    code: int
    out: str
    err: str
    seconds: float
    first_word: float
    rss: int


@dataclass
class Tally:
    runs: int = 0
    rss: int = 0
    seconds: float = 0.0
    odd: set[str] = field(default_factory=set)


class Crowd:
    """A home with a workspace that is too much of everything."""

    def __init__(self, home: Path, random: Random, size: Size) -> None:
        self.home = home
        self.random = random
        self.size = size
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._words = ["".join(random.choices(letters, k=random.randrange(2, 11))) for _ in range(VOCABULARY)]
        with open_runtime(environ={"HOME": str(home)}) as app:
            set_up(app)
            self.files = Path(app.agent.workspace)

    def words(self, count: int) -> str:
        return " ".join(self.random.choices(self._words, k=count))

    def fill(self) -> set[str]:
        """Make everything; the paths of what is no plain file."""
        memory = self.files / "memory"
        memory.mkdir(exist_ok=True)
        first = date(1999, 1, 1)
        for number in range(self.size.files):
            day = first + timedelta(days=number)
            text = f"# {day}\n\n- {self.words(9)}.\n- the harbour of day{number}x was {self.words(4)}.\n"
            (memory / f"{day}.md").write_text(text)
        self.write_core("lighthouse")
        with open(memory / "line.md", "w") as file:
            file.write("windmill ")
            self._write(file, self.size.line, lambda: self.words(2_000) + " ")
        return {path for path in self._odd(memory) if path}

    def write_core(self, mark: str) -> None:
        """A MEMORY.md of so many megabytes whose first entry has a word of its own, and whose last line nobody can reach."""
        with open(self.files / "MEMORY.md", "w") as file:
            file.write(f"# Memory\n\n- The {mark} stands in the north.\n")
            self._write(
                file, self.size.core, lambda: "".join(f"- {self.words(self.size.words)}.\n" for _ in range(500))
            )
            file.write("- unreachable\n")

    def _write(self, file, megabytes: int, make) -> None:  # type: ignore[no-untyped-def] # an open file and a maker of text
        parts = [make() for _ in range(20)]
        written = 0
        # what is read at all is not repeated; beyond it nobody looks
        while written < megabytes * MEGABYTE:
            part = make() if written < 18 * MEGABYTE else self.random.choice(parts)
            written += file.write(part)

    def _odd(self, memory: Path) -> Iterator[str]:
        os.mkfifo(memory / "pipe.md")
        yield "memory/pipe.md"
        with socket.socket(socket.AF_UNIX) as listening, suppress(OSError):
            here = os.getcwd()
            os.chdir(memory)
            try:
                listening.bind("socket.md")
            finally:
                os.chdir(here)
            yield "memory/socket.md"
        (memory / "dangling.md").symlink_to("nowhere.md")
        yield "memory/dangling.md"
        (memory / "loop.md").symlink_to("loop.md")
        yield "memory/loop.md"
        (memory / "outside.md").symlink_to("/etc/hostname")
        yield "memory/outside.md"
        # endless to read, where somebody may make one at all
        with suppress(OSError):
            os.mknod(memory / "device.md", 0o20666, os.makedev(1, 5))
            yield "memory/device.md"
        (memory / "folder.md" / "inner").mkdir(parents=True)
        (memory / "folder.md" / "note.md").write_text("- The sundial is in a folder that is called like a file.\n")

    def run(self, *words: str) -> Run:
        """`everself` with these words. It is killed when it hangs, which is a failure."""
        began = monotonic()
        environ = {**os.environ, "HOME": str(self.home), "PYTHONPATH": f"{TOP / 'src'}:{TOP}"}
        for name in ("EVERSELF_HOME", "XDG_CONFIG_HOME"):
            environ.pop(name, None)
        measured = self.home / "rss"
        process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(measured), sys.executable, "-m", "everself", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env=environ,
            cwd=self.home,
            start_new_session=True,
        )
        heard: dict[str, list[bytes]] = {"out": [], "err": []}
        words_at: list[float] = []

        def listen(name: str, pipe) -> None:  # type: ignore[no-untyped-def] # a pipe
            for line in pipe:
                words_at.append(monotonic() - began)
                heard[name].append(line)

        threads = [
            threading.Thread(target=listen, args=(name, pipe), daemon=True)
            for name, pipe in (("out", process.stdout), ("err", process.stderr))
        ]
        for thread in threads:
            thread.start()
        watch = threading.Timer(PATIENCE, lambda: os.killpg(process.pid, signal.SIGKILL))
        watch.start()
        try:
            process.wait()
        finally:
            watch.cancel()
        for thread in threads:
            thread.join()
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()
        out, err = (b"".join(heard[name]).decode() for name in ("out", "err"))
        taken = monotonic() - began
        return Run(process.returncode, out, err, taken, min(words_at, default=taken), _rss(measured))


def check(run: Run, tally: Tally, what: str) -> None:
    assert run.code != -9, f"{what} hung"
    assert run.code in (DONE, DEGRADED), f"{what} ended with {run.code}: {run.err[-1000:]}"
    assert run.rss <= MOST_RSS, f"{what} took {run.rss} MB"
    tally.runs += 1
    tally.rss = max(tally.rss, run.rss)
    tally.seconds = max(tally.seconds, run.seconds)


def search(crowd: Crowd, tally: Tally, query: str, path: str, *, first: bool = False) -> str:
    """Search, and see that the document is found at the top and what was not read is named. What it said beside the hits."""
    run = crowd.run("memory", "search", query, *(() if first else ("--json",)))
    check(run, tally, f"searching for {query!r}")
    if first:
        assert path in run.out.splitlines()[0], run.out[:500]
        patience = max(A_WORD_AFTER, run.seconds / 2)
        assert run.first_word < patience, f"not a word for {run.first_word:.0f} of {run.seconds:.0f} s"
        assert "Reading" in run.err, run.err
        return run.err
    told = json.loads(run.out)
    assert told["data"]["hits"][0]["hit"]["path"] == path, told["data"]["hits"][:1]
    return "\n".join(told["data"]["notices"])


def live(home: Path, random: Random, size: Size) -> Tally:
    crowd, tally = Crowd(home, random, size), Tally()
    tally.odd = crowd.fill()
    day = random.randrange(size.files)
    path = f"memory/{date(1999, 1, 1) + timedelta(days=day)}.md"
    said = search(crowd, tally, f"harbour of day{day}x", path, first=True)
    cut = {"MEMORY.md"} | ({"memory/line.md"} if size.line > 16 else set())
    for name in cut:
        assert f"{name} is too large" in said, f"nobody says that {name} was not read to its end: {said[-2000:]}"
    for name in tally.odd:
        assert f"{name} is not a readable regular file" in said, f"nobody says that {name} was skipped: {said[-2000:]}"
    search(crowd, tally, "lighthouse", "MEMORY.md")
    check(crowd.run("memory", "status"), tally, "the status")
    if size.full:
        search(crowd, tally, "windmill", "memory/line.md")
        search(crowd, tally, "sundial", "memory/folder.md/note.md")
        # all of it is another text: what was known of two hundred thousand entries is compared with it
        crowd.write_core("observatory")
        said = search(crowd, tally, "observatory", "MEMORY.md")
        assert "MEMORY.md is too large" in said, said
        check(crowd.run("memory", "status"), tally, "the status after a change")
    return tally


@contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=find_memory()) as folder:
        yield Path(folder)


def run_r15(count: int, seed: int) -> str:
    """`count` daily files; from FULL on everything beside them is of full size as well."""
    size = Size(count, 100, 8, 50) if count >= FULL else Size(count, 17, 30, 3)
    with _home() as home:
        try:
            tally = live(home, Random(f"R15 {seed}"), size)
        except AssertionError as error:
            raise AssertionError(f"R15 seed {seed}: {error}") from error
    told = (
        f"{size.files} daily files, {size.core} MB of MEMORY.md, a line of {size.line} MB, {len(tally.odd)} odd files"
    )
    taken = f"longest command {tally.seconds:.0f} s, largest RSS {tally.rss} MB"
    return f"R15 {told}, {tally.runs} commands, 0 hung, {taken}, all that was not read announced, seed {seed}"
