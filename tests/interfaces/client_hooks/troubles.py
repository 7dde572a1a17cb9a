"""What a hook may meet: input that is none, a home that cannot be used, disks and clocks that fail. Each is made real, for tests and for
`make bench-integrations`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interfaces.client_hooks.hooking import STUCK, HookHome, payload
from tests.trust.small_disk import MEGABYTE, NotPermitted, small_disk

from everself.clock import monotonic

# each event as a client calls it, with the client; Codex and Claude Code share their names
EVENTS = (
    ("SessionStart", "claude-code"),
    ("UserPromptSubmit", "codex"),
    ("Stop", "claude-code"),
    ("PreCompact", "claude-code"),
    ("SessionEnd", "codex"),
    ("sessionStart", "cursor"),
    ("beforeSubmitPrompt", "cursor"),
    ("UserPromptSubmit", "claude-code"),
)
SESSION = "5e551011-0000-4000-8000-000000000001"
SAID, ASKED = "My boat is called Heliotrope.", "What is my boat called?"
_HOLDER = """
import apsw, fcntl, os, sys
how, path = sys.argv[1:]
if how == "exclusive":
    held = apsw.Connection(path)
    held.execute("BEGIN EXCLUSIVE")
else:
    held = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    fcntl.lockf(held, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
# the kernel's clock cannot be set for one process: everything that reads it through the C library is told another time
_IN_1970 = """
import sys, time_machine
from everself.interfaces.cli.main import main
with time_machine.travel(60.0, tick=True):
    main()
"""


# beside the hook and not above it: otherwise it would be waited for what the hook has left behind
_STRACE = ("strace", "-D", "-qq", "-o", "/dev/null")


class NotHere(Exception):
    """What this trouble needs is not installed, or not permitted."""


@dataclass(frozen=True)
class Ended:
    """How a hook ended, after how many seconds."""

    code: int
    out: bytes
    errors: bytes
    seconds: float


@dataclass(frozen=True)
class Trouble:
    """`stdin` makes what the client sends of what it would send; `under` is a program that starts the hook, `python` how Python is told to
    run it. `hard`: whether what was remembered is out of reach afterwards."""

    home: HookHome
    stdin: Callable[[bytes], bytes | None] = lambda data: data
    under: tuple[str, ...] = ()
    python: tuple[str, ...] = ("-m", "everself")
    transcript: str = ""
    hard: bool = False

    def meet(self, event: str, client: str) -> Ended:
        told = payload(event, SESSION, prompt=ASKED, transcript_path=self.transcript, conversation_id=SESSION)
        data = self.stdin(told)
        command = [*self.under, sys.executable, *self.python, "hook", event, "--client", client]
        begun = monotonic()
        if self.under:
            return self._meet_traced(command, data or b"")
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=self.home.environ) as hook:
            if data is None:
                # a client that never says that it is done
                code, seconds = hook.wait(STUCK), monotonic() - begun
                out, errors = hook.communicate(timeout=STUCK)
            else:
                out, errors = hook.communicate(data, timeout=STUCK)
                code, seconds = hook.returncode, monotonic() - begun
        return Ended(code, out, errors, seconds)

    def _meet_traced(self, command: list[str], data: bytes) -> Ended:
        """What traces it holds the pipes of the hook, and speaks there itself: so it has a file, and the end of the process counts."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
            given.write(data)
            given.seek(0)
            begun = monotonic()
            null = subprocess.DEVNULL
            with subprocess.Popen(command, stdin=given, stdout=out, stderr=null, env=self.home.environ) as hook:
                code, seconds = hook.wait(STUCK), monotonic() - begun
            out.seek(0)
            return Ended(code, out.read(), b"", seconds)


Made = AbstractContextManager[Trouble]
TROUBLES: dict[str, Callable[[HookHome], Made]] = {}


def _trouble(name: str) -> Callable[[Callable[[HookHome], Iterator[Trouble]]], None]:
    def register(made: Callable[[HookHome], Iterator[Trouble]]) -> None:
        TROUBLES[name] = contextmanager(made)

    return register


def _input(name: str, stdin: Callable[[bytes], bytes | None]) -> None:
    @contextmanager
    def made(home: HookHome) -> Iterator[Trouble]:
        yield Trouble(home, stdin)

    TROUBLES[name] = made


def _grown(data: bytes) -> bytes:
    return json.dumps(json.loads(data) | {"prompt": "x" * 10_000_000}).encode()


def _other(**fields: Any) -> Callable[[bytes], bytes]:
    return lambda data: json.dumps(json.loads(data) | fields).encode()


_input("empty input", lambda _: b"")
_input("cut input", lambda data: data[:-9])
_input("10 MB of input", _grown)
_input("10 MB of no JSON", lambda _: b"\xff" * 10_000_000)
_input("JSON of another protocol", lambda _: b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}')
_input("a list", lambda _: b"[" * 100_000)
_input("fields of other kinds", _other(session_id=7, cwd=["/"], prompt={"a": 1}, transcript_path=3))
_input("half a character and a NUL", _other(prompt="\ud800 \x00 boat", cwd="/\x00", transcript_path="/\x00.jsonl"))
_input("a name without end", _other(session_id="s" * 100_000, cwd="/" + "d" * 100_000))
_input("input that never ends", lambda _: None)


@_trouble("no home")
def _no_home(home: HookHome) -> Iterator[Trouble]:
    empty = home.folder / "nobody"
    empty.mkdir()
    yield Trouble(HookHome(empty))
    assert not list(empty.iterdir()), "a hook made an agent"


@_trouble("no workspace")
def _no_workspace(home: HookHome) -> Iterator[Trouble]:
    shutil.rmtree(home.home / "workspace")
    yield Trouble(home, hard=True)
    assert not (home.home / "workspace").exists(), "a hook made a workspace"


@_trouble("settings that cannot be read")
def _bad_settings(home: HookHome) -> Iterator[Trouble]:
    file = home.home / "everself.json5"
    before = file.read_text()
    file.write_text("{ not json")
    yield Trouble(home)
    file.write_text(before)


def _held(home: HookHome, how: str, path: Path) -> Iterator[Trouble]:
    command = [sys.executable, "-c", _HOLDER, how, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield Trouble(home)
        finally:
            process.communicate()


@_trouble("a locked database")
def _locked_state(home: HookHome) -> Iterator[Trouble]:
    yield from _held(home, "exclusive", home.state / "state.db")


@_trouble("a locked index")
def _locked_index(home: HookHome) -> Iterator[Trouble]:
    yield from _held(home, "exclusive", home.state / "index.db")


@_trouble("somebody who writes for ever")
def _write_lock(home: HookHome) -> Iterator[Trouble]:
    yield from _held(home, "file", home.state / "write.lock")


@_trouble("a damaged database")
def _damaged_state(home: HookHome) -> Iterator[Trouble]:
    for name in ("state.db-wal", "state.db-shm"):
        (home.state / name).unlink(missing_ok=True)
    (home.state / "state.db").write_bytes(os.urandom(65_536))
    yield Trouble(home, hard=True)


@_trouble("a damaged page of the database")
def _damaged_page(home: HookHome) -> Iterator[Trouble]:
    file = home.state / "state.db"
    data = bytearray(file.read_bytes())
    data[4_096:12_288] = os.urandom(8_192)
    file.write_bytes(data)
    yield Trouble(home, hard=True)


@_trouble("a damaged index")
def _damaged_index(home: HookHome) -> Iterator[Trouble]:
    (home.state / "index.db").write_bytes(os.urandom(65_536))
    yield Trouble(home)


def _on_small_disk(home: HookHome) -> Iterator[tuple[Any, HookHome]]:
    try:
        with small_disk(24 * MEGABYTE) as disk:
            moved = HookHome(disk.top / "user")
            shutil.copytree(home.folder, moved.folder, symlinks=True)
            yield disk, moved
    except NotPermitted as error:
        raise NotHere(f"nothing can be mounted: {error}") from error


@_trouble("a full disk")
def _full(home: HookHome) -> Iterator[Trouble]:
    for disk, moved in _on_small_disk(home):
        disk.fill(leave=0)
        yield Trouble(moved)
        disk.free()


@_trouble("a disk with a page left")
def _nearly_full(home: HookHome) -> Iterator[Trouble]:
    for disk, moved in _on_small_disk(home):
        disk.fill(leave=8_192)
        yield Trouble(moved)
        disk.free()


@_trouble("a disk that is read only")
def _read_only(home: HookHome) -> Iterator[Trouble]:
    for disk, moved in _on_small_disk(home):
        _remount(disk.top, "ro")
        yield Trouble(moved)
        _remount(disk.top, "rw")


def _remount(top: Path, how: str) -> None:
    done = subprocess.run(["mount", "-o", f"remount,{how}", str(top)], capture_output=True, check=False, text=True)
    if done.returncode:
        raise NotHere(done.stderr.strip())


@_trouble("a slow disk")
def _slow(home: HookHome) -> Iterator[Trouble]:
    if shutil.which("strace") is None:
        raise NotHere("strace is not installed")
    calls = "fsync,fdatasync,unlink,rename"
    slow = ("-e", f"trace={calls}", "-e", f"inject={calls}:delay_enter=5000000")
    yield Trouble(home, under=(*_STRACE, "-f", *slow))


@_trouble("a clock in 1970")
def _old_clock(home: HookHome) -> Iterator[Trouble]:
    yield Trouble(home, python=("-c", _IN_1970))


@_trouble("no process to be had")
def _no_fork(home: HookHome) -> Iterator[Trouble]:
    if shutil.which("strace") is None:
        raise NotHere("strace is not installed")
    calls = "fork,vfork,clone,clone3"
    yield Trouble(home, under=(*_STRACE, "-e", f"inject={calls}:error=EAGAIN"))


@_trouble("few files may be open")
def _few_files(home: HookHome) -> Iterator[Trouble]:
    if shutil.which("prlimit") is None:
        raise NotHere("prlimit is not installed")
    yield Trouble(home, under=("prlimit", "--nofile=10", "--"))


def _transcript(home: HookHome) -> Path:
    folder = home.folder / "transcripts"
    folder.mkdir(exist_ok=True)
    return folder / f"{SESSION}.jsonl"


@_trouble("a transcript that is being written")
def _growing(home: HookHome) -> Iterator[Trouble]:
    file = _transcript(home)
    script = (
        "import sys, time\n"
        "with open(sys.argv[1], 'ab', buffering=0) as file:\n"
        "    print('writes', flush=True)\n"
        "    while True:\n"
        '        file.write(b\'{"type": "assistant", "uuid": "a\'); time.sleep(.01); file.write(b\'1"}\\n\')\n'
    )
    with subprocess.Popen([sys.executable, "-c", script, str(file)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writes\n"
        try:
            yield Trouble(home, transcript=str(file))
        finally:
            writer.kill()


@_trouble("a transcript that is a pipe")
def _pipe(home: HookHome) -> Iterator[Trouble]:
    file = _transcript(home)
    os.mkfifo(file)
    yield Trouble(home, transcript=str(file))
