"""What the tests of doctor share: an agent without a fault, and a look at everything on the disk."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from everself.agent import open_runtime
from everself.operations.doctor import DoctorReport
from everself.operations.setup import set_up
from everself.storage.host_files import counter_file
from everself.values import Finding

Snapshot = dict[str, tuple[object, ...]]
STATE = ".everself/agents/main"


def snapshot(top: Path) -> Snapshot:
    """Every name with its bytes, mode and time. SQLite's brief visit shows in the time of the state folder alone."""
    found: Snapshot = {}
    for folder, folders, files in os.walk(top):
        for name in (*folders, *files):
            path = Path(folder, name)
            stat = path.lstat()
            if name.endswith("-shm"):
                # the memory that processes share about a database; no part of it
                continue
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            time = 0 if path.parent.name == "agents" else stat.st_mtime_ns
            found[str(path)] = (data, stat.st_mode, stat.st_nlink, time)
    return found


# A change whose process dies: "half" once the journal has it, "early" before the history has it.
_DIES = """
import os, sys
from everself.agent import open_runtime
from everself.values import Append, Author, Change
from everself.workspace import disk_workspace as on_disk, recorder
if sys.argv[1] == "half":
    on_disk.carry_out = lambda files, intent: os._exit(9)
recorder.Recorder.wake = lambda self: None
app = open_runtime(environ={"HOME": sys.argv[2]})
app.workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", b"- likes tea\\n"),)))
os._exit(9)
"""
_kept = TemporaryDirectory()


@cache
def _home(kind: str) -> str:
    """Made once and copied for each test."""
    top = Path(_kept.name, kind)
    if kind != "healthy":
        shutil.copytree(_home("healthy"), top, symlinks=True)
        done = run("-c", _DIES, kind, str(top))
        assert done.returncode == 9, done.stderr
        return str(top)
    write(top / ".everself/everself.json5", '{agents: {defaults: {userTimezone: "Europe/Berlin"}}}')
    with open_runtime(environ={"HOME": str(top)}) as app:
        set_up(app)
    return str(top)


def settle_in(home: Path, kind: str = "healthy") -> Path:
    """An agent in that home about whom doctor has nothing to say, or whose last change died. Its workspace."""
    copy_home(_home(kind), home)
    return home / ".everself/workspace"


def copy_home(kept: str, home: Path) -> None:
    """As if everything had been done there: the count of what was accepted goes by the place of the state."""
    shutil.copytree(kept, home, symlinks=True, dirs_exist_ok=True)
    for count in (home / ".config/everself").glob("main-*.count"):
        count.rename(counter_file(str(count.parent), "main", str(home / STATE)))


def run(*words: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """This Python in a process of its own, with the same modules at hand."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [*before, sys.executable, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env=environ)


def write(path: Path, data: bytes | str) -> Path:
    """A private file, as Everself makes them."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    path.chmod(0o600)
    return path


def found(report: DoctorReport, code: str) -> Finding:
    hits = [finding for finding in report.findings if finding.code == code]
    assert hits, f"{code} is not among {[finding.code for finding in report.findings]}"
    return hits[0]


def codes(report: DoctorReport) -> set[str]:
    return {finding.code for finding in report.findings}
