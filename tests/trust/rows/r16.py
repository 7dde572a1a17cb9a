"""R16: a backup while others write, restored elsewhere, and one flipped bit. A consistent point; every flip is found.

Each change of a writer puts the same line into two documents and names it in its reason, so that a change that is half there shows.
"""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.operations.backup.backup_ground import damage_of
from tests.operations.changes import Changes

from everself.agent import open_runtime
from everself.clock import pause
from everself.errors import Damaged
from everself.operations.backup.check import verify
from everself.operations.backup.create import make_backup
from everself.operations.backup.restore import restore_backup
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.storage.history.commits import History
from everself.storage.real_disk import RealFileSystem
from everself.values import Append, Applied, Author, Change

TOP = Path(__file__).resolve().parents[3]
LEDGER_LINE = "line "
# Writers without any pause outrun the history on a slow disk, and what is measured then is how long it takes to catch up.
PAUSE = 0.01
# What survives a power cut is for other rows; in memory two hundred lives take minutes.
MEMORY = "/dev/shm"


def home(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder)}


def write_line(app: Runtime, writer: str, number: int) -> str:
    """One change of a writer over two documents. What it put into both."""
    line = f"{LEDGER_LINE}{writer}-{number}"
    data = f"- {line} {'x' * (number * 37 % 2000)}\n".encode()
    change = Change(Author.OWNER, line, (Append(f"memory/{writer}.md", data), Append("memory/everyone.md", data)))
    outcome = app.workspace.apply(change)
    assert isinstance(outcome, Applied), outcome
    return line


class Thread:
    """A writer in this process, with an agent of its own opened."""

    def __init__(self, folder: Path, writer: str) -> None:
        self.acknowledged: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, args=(folder, writer))
        self._thread.start()

    def _work(self, folder: Path, writer: str) -> None:
        with open_runtime(environ=home(folder)) as app:
            while not self._stop.wait(PAUSE):
                self.acknowledged.append(write_line(app, writer, len(self.acknowledged)))

    def stop(self) -> None:
        self._stop.set()

    def join(self) -> None:
        self._thread.join()


class Process:
    """A writer in a process of its own, which says what was acknowledged."""

    def __init__(self, folder: Path, writer: str) -> None:
        self.acknowledged: list[str] = []
        command = [sys.executable, "-m", "tests.trust.rows.r16", str(folder), writer]
        path = f"{TOP / 'src'}:{TOP}"
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=home(folder) | {"PYTHONPATH": path},
            cwd=TOP,
        )
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as told:
            self.acknowledged += (line.strip() for line in told)

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    def join(self) -> None:
        assert self._process.wait(600) == 0
        self._thread.join()


def write_until_told(folder: Path, writer: str) -> None:
    """The other side of `Process`."""
    done = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), done.set()), daemon=True).start()
    with open_runtime(environ=home(folder)) as app:
        number = 0
        while not done.wait(PAUSE):
            print(write_line(app, writer, number), flush=True)
            number += 1


@contextmanager
def load(folder: Path, random: Random, *, processes: bool) -> Iterator[list[Thread | Process]]:
    writers: list[Thread | Process] = [Thread(folder, f"w{n}") for n in range(random.randrange(1, 4))]
    try:
        writers.append((Process if processes else Thread)(folder, "w9"))
        # the backup begins when everybody is at work, and at a moment of chance
        wanted = random.randrange(2, 6)
        for _ in range(30_000):
            if all(len(writer.acknowledged) >= wanted for writer in writers):
                break
            pause(0.002)
        else:
            raise AssertionError("a writer does not write")
        pause(random.random() * PAUSE)
        yield writers
    finally:
        for writer in writers:
            writer.stop()
        for writer in writers:
            writer.join()


def live(top: Path, seed: int) -> int:
    """One life: a backup under load, restored, looked at, and one bit flipped. How many changes the backup holds."""
    random = Random(seed)
    old, new, archive = top / "old", top / "new", top / "backup.tar.gz"
    with open_runtime(environ=home(old)) as app:
        set_up(app)
    with open_runtime(environ=home(old)) as app, load(old, random, processes=seed % 3 == 0) as writers:
        before = [line for writer in writers for line in list(writer.acknowledged)]
        make_backup(app, str(archive), with_key=True)
    after = {line for writer in writers for line in writer.acknowledged}
    source = {path.name: path.read_bytes() for path in Path(app.agent.workspace).glob("memory/*.md")}
    restored = open_runtime(environ=home(new))
    report = restore_backup(restored, str(archive))
    assert report.notices == (), report
    with restored:
        count = check_restored(restored, set(before), after, source)
    flip_one_bit(archive, random, top)
    return count


def check_restored(app: Runtime, before: set[str], after: set[str], source: dict[str, bytes]) -> int:
    recorded = {one.reason for one in Changes(app.workspace).log(limit=100_000) if one.reason.startswith(LEDGER_LINE)}
    memory = Path(app.agent.workspace) / "memory"
    everyone = (memory / "everyone.md").read_bytes()
    apart = b"".join(path.read_bytes() for path in sorted(memory.glob("w*.md")))
    assert lines_of(everyone) == sorted(recorded), "documents and ledger disagree"
    assert lines_of(apart) == sorted(recorded), "a change is half there"
    assert before <= recorded, f"acknowledged before the backup and not in it: {sorted(before - recorded)}"
    assert recorded <= after, f"in the backup and never acknowledged: {sorted(recorded - after)}"
    for path in memory.glob("*.md"):
        assert source[path.name].startswith(path.read_bytes()), f"{path.name} is not as it was"
    # an unfinished change must not be needed, and nothing may be left to do
    assert not (Path(app.agent.state) / "journal").exists()
    assert app.state.changes_without_commit() == []
    assert app.state.verify_ledger().ok
    history = History(RealFileSystem(app.agent.state), f"{app.agent.state}/history.git")
    for path in history.paths():
        assert history.content(path) == (Path(app.agent.workspace) / path).read_bytes(), f"history: {path}"
    return len(recorded)


def lines_of(text: bytes) -> list[str]:
    return sorted(line[2:].rpartition(" ")[0] for line in text.decode().splitlines() if line.startswith("- "))


def flip_one_bit(archive: Path, random: Random, top: Path) -> None:
    verify(str(archive))
    data = bytearray(archive.read_bytes())
    place, bit = random.randrange(len(data)), random.randrange(8)
    data[place] ^= 1 << bit
    archive.write_bytes(data)
    assert damage_of(str(archive)), f"bit {bit} of byte {place} of {len(data)} was flipped and not found"
    untouched = top / "untouched"
    try:
        restore_backup(open_runtime(environ=home(untouched)), str(archive))
    except Damaged:
        assert not untouched.exists()
        return
    raise AssertionError(f"bit {bit} of byte {place} was flipped and the backup restored")


def run_r16(count: int, seed: int) -> str:
    changes = 0
    for number in range(seed * 1_000_000, seed * 1_000_000 + count):
        with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
            try:
                changes += live(Path(folder), number)
            except AssertionError as error:
                raise AssertionError(f"R16 seed {number}: {error}") from error
    return f"R16 {count} backups under load, {changes} changes in them, 0 inconsistent, {count} of {count} flips found, seed {seed}"


if __name__ == "__main__":
    write_until_told(Path(sys.argv[1]), sys.argv[2])
