"""Processes that the reliability rows start, stop and kill.

A nursery is a process that has imported everything once and forks a child for each order, because starting Python anew costs more than
what the child then does. Children are functions, named by module and name; those that more than one row needs stand here as well.
"""

import ctypes
import importlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Self

from tests.trust.operations import random_id

from everself.clock import monotonic, pause
from everself.testing.workspaces import Bench, real_workspace
from everself.values import (
    Append,
    Applied,
    Author,
    Change,
    Conflict,
    Create,
    Insert,
    Outcome,
    Remove,
    Replace,
    digest,
)
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.undo import plan_undo

# generous: it only says that something ends
PATIENCE = 600.0
MEMORY = "/dev/shm"
_SET_DEATH_SIGNAL, _SET_PTRACER, _ANY = 1, 0x59616D61, -1

START = b"\n## [09:30:00] "
CORE = "MEMORY.md"
DESK = "memory/topics/desk.md"
# enough of them that maintenance finds one that nobody writes to at the moment
LOGS = tuple(f"memory/2026-03-{day}.md" for day in range(10, 22))


class Nursery:
    """Use as a context manager: leaving it ends every process and removes its folder.

    With `memory` the folder lies in memory where so many megabytes of it are free. `patience` is how long a child may take.
    """

    def __init__(self, *modules: str, memory: int = 0, patience: float = PATIENCE) -> None:
        self.folder = tempfile.mkdtemp(prefix="everself-row-", dir=find_memory(memory) if memory else None)
        self._patience = patience
        self._log = f"{self.folder}/children.log"
        paths = [path for path in sys.path if path]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-B", "-m", "tests.trust.workers", *modules],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # the group is the nursery's own: it was started in a session of its own
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, function: str, /, **arguments: object) -> int:
        """Fork a child that calls `module:function`. Its process id."""
        return self._ask({"order": "start", "function": function, "gated": False, "arguments": arguments})

    def start_gated(self, function: str, /, **arguments: object) -> int:
        """A child that waits for `release` and lets itself be traced."""
        return self._ask({"order": "start", "function": function, "gated": True, "arguments": arguments})

    def release(self, pid: int) -> None:
        self._ask({"order": "release", "pid": pid})

    def wait(self, pid: int) -> int:
        """The child's exit code, negative for the signal that ended it."""
        return self._ask({"order": "wait", "pid": pid})

    def finish(self, pid: int) -> None:
        """Wait for a child that must succeed."""
        code = self.wait(pid)
        assert code == 0, f"a process ended with {code}:\n{self.complaints()}"

    def kill(self, pid: int) -> int:
        os.kill(pid, signal.SIGKILL)
        return self.wait(pid)

    def run(self, function: str, /, **arguments: object) -> None:
        self.finish(self.start(function, **arguments))

    def learn(self, function: str, /, **arguments: object) -> None:
        """Run it once, and import here what it imported: later children then open no file for it."""
        known = f"{self.folder}/modules"
        order = {"order": "start", "function": function, "gated": False, "arguments": arguments, "modules": known}
        self.finish(self._ask(order))
        with open(known, encoding="utf-8") as file:
            self._ask({"order": "import", "modules": file.read().split()})

    def complaints(self) -> str:
        """The end of what the children wrote to their standard error."""
        with open(self._log, encoding="utf-8", errors="replace") as file:
            return file.read()[-3000:]

    def _ask(self, order: dict[str, object]) -> int:
        pipe, answers = self._process.stdin, self._process.stdout
        assert pipe is not None
        assert answers is not None
        pipe.write(json.dumps(order).encode() + b"\n")
        pipe.flush()
        ready, _, _ = select.select([answers], [], [], self._patience)
        assert ready, f"no answer to {order} within {self._patience:g} s:\n{self.complaints()}"
        answer = answers.readline()
        assert answer, f"the nursery died of {order}:\n{self.complaints()}"
        return int(answer)


def find_memory(megabytes: int) -> str | None:
    """A file system in memory, for rows that kill processes only: what the kernel has been given outlives them anywhere."""
    try:
        found = os.statvfs(MEMORY)
    except OSError:
        return None
    roomy = found.f_bavail * found.f_frsize >= megabytes << 20
    return MEMORY if roomy and os.access(MEMORY, os.W_OK | os.X_OK) else None


class Report:
    """A file that a child writes lines to, each in one unbuffered call, so that a kill cannot take back what was said."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def say(self, line: str) -> None:
        os.write(self._descriptor, f"{line}\n".encode())


def reported(path: str) -> list[str]:
    """Every whole line of a report; a kill in the middle of a line leaves it without its end."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split("\n")[:-1]
    except FileNotFoundError:
        return []


def await_line(path: str, line: str) -> None:
    """Until a child has reported this."""
    end = monotonic() + PATIENCE
    while line not in reported(path):
        assert monotonic() < end, f"{line!r} was not reported within {PATIENCE:g} s"
        pause(0.001)


def is_traced(pid: int) -> bool:
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        return "TracerPid:\t0\n" not in file.read()


def entry_of(name: str) -> bytes:
    """The one entry of that name: whoever finds it can tell whether it is whole."""
    random = Random(name)
    words = " ".join(random.choice(("tea", "rust", "茶", "봄", "tundra")) for _ in range(random.randrange(2, 40)))
    return START + f"{name}\n\n{words} <!-- everself: id={random_id(random)} -->\n".encode()


def title_of(path: str) -> bytes:
    return f"# {path}\n".encode()


def count_entries(documents: Mapping[str, bytes]) -> "Counter[str]":
    """How often each entry stands in the logs and in MEMORY.md, which must hold nothing but whole entries below their title."""
    found = Counter[str]()
    for path, data in documents.items():
        if path not in (*LOGS, CORE):
            continue
        title, *rest = data.split(START)
        assert title == title_of(path), f"{path} begins with {title[:200]!r}"
        for piece in rest:
            name = piece.partition(b"\n")[0].decode()
            assert START + piece == entry_of(name), f"{path} holds a torn entry: {piece[:300]!r}"
            found[name] += 1
    return found


def write(top: str, name: str, report: str, count: int, logs: Sequence[str] = LOGS, calm: float = 0.0) -> None:
    """A writer: append entries one by one, `calm` seconds apart at most, and report each with its change once it is acknowledged."""
    said = Report(report)
    random = Random(name)
    with real_workspace(top, WorkspaceOptions(timeout=PATIENCE)) as bench:
        for number in range(count):
            entry = f"{name}-{number}"
            path = random.choice(logs)
            outcome = bench.workspace.apply(
                Change(Author.OWNER, "append", (Append(path, entry_of(entry), header=title_of(path)),))
            )
            assert isinstance(outcome, Applied), outcome
            said.say(f"{entry} {outcome.id}")
            if calm:
                pause(random.uniform(0.0, calm))


def maintain(top: str, name: str, report: str, stop: str) -> None:
    """Maintenance: move entries to MEMORY.md, undo that, tend a document of its own; until the file `stop` is there."""
    said = Report(report)
    random = Random(name)
    moved: list[str] = []
    with real_workspace(top, WorkspaceOptions(timeout=PATIENCE)) as bench:
        while not os.path.exists(stop):
            act = random.choice(("promote", "promote", "undo", "tend"))
            match act:
                case "promote":
                    outcome = promote(bench, random)
                case "undo":
                    outcome = take_back(bench, moved.pop()) if moved else None
                case _:
                    outcome = tend(bench, random, name)
            if isinstance(outcome, Applied):
                said.say(act)
                if act == "promote":
                    moved.append(outcome.id)


def promote(bench: Bench, random: Random) -> Outcome | None:
    """Move one whole entry from a log to MEMORY.md."""
    path = random.choice(LOGS)
    found = bench.workspace.find(path)
    if found is None or START not in found.data:
        return None
    begins = [at for at in range(len(found.data)) if found.data.startswith(START, at)]
    chosen = random.randrange(len(begins))
    start, end = begins[chosen], [*begins, len(found.data)][chosen + 1]
    edits = (
        Append(CORE, found.data[start:end], header=title_of(CORE)),
        Replace(path, found.hash, start, end, b""),
    )
    return bench.workspace.apply(Change(Author.OWNER, "promote", edits))


def take_back(bench: Bench, identity: str) -> Outcome:
    record, files = bench.workspace.record(identity)

    def read(path: str) -> bytes | None:
        found = bench.workspace.find(path)
        return None if found is None else found.data

    change = plan_undo(record, files, read)
    return change if isinstance(change, Conflict) else bench.workspace.apply(change)


def tend(bench: Bench, random: Random, name: str) -> Outcome:
    found = bench.workspace.find(DESK)
    line = f"- {name} {random_id(random)}\n".encode()
    if found is None:
        return bench.workspace.apply(Change(Author.OWNER, "create", (Create(DESK, title_of(DESK) + line),)))
    if random.random() < 0.2:
        return bench.workspace.apply(Change(Author.OWNER, "remove", (Remove(DESK, found.hash),)))
    at = found.data.find(b"\n") + 1
    return bench.workspace.apply(Change(Author.OWNER, "insert", (Insert(DESK, digest(found.data), at, line),)))


def serve(modules: Sequence[str]) -> None:
    """Take orders until the row that gives them is gone, then take everyone along."""
    _die_with_parent()
    for name in modules:
        importlib.import_module(name)
    gates: dict[int, int] = {}
    for line in sys.stdin:
        order = json.loads(line)
        match order["order"]:
            case "start":
                answer = _fork(order, gates)
            case "import":
                for name in order["modules"]:
                    with suppress(ImportError):
                        importlib.import_module(name)
                answer = 0
            case "release":
                os.write(gates[order["pid"]], b"\n")
                answer = 0
            case _:
                answer = os.waitstatus_to_exitcode(os.waitpid(order["pid"], 0)[1])
                if order["pid"] in gates:
                    os.close(gates.pop(order["pid"]))
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()
    os.killpg(0, signal.SIGKILL)


def _die_with_parent() -> None:
    # a row that is itself killed cannot clear up behind it
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _fork(order: dict[str, Any], gates: dict[int, int]) -> int:
    inside, outside = os.pipe() if order["gated"] else (-1, -1)
    pid = os.fork()
    if pid:
        if order["gated"]:
            os.close(inside)
            gates[pid] = outside
        return pid
    code = 1
    _die_with_parent()
    try:
        module, _, name = order["function"].partition(":")
        function = getattr(importlib.import_module(module), name)
        if order["gated"]:
            # where only ancestors may trace (Yama), a sibling has to be let in
            ctypes.CDLL(None).prctl(_SET_PTRACER, ctypes.c_ulong(_ANY), 0, 0, 0)
            os.read(inside, 1)
        function(**order["arguments"])
        if "modules" in order:
            with open(order["modules"], "w", encoding="utf-8") as file:
                file.write(" ".join(name for name in sys.modules if name != "__main__"))
        code = 0
    finally:
        if code:
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(code)
    return 0


if __name__ == "__main__":
    serve(sys.argv[1:])
