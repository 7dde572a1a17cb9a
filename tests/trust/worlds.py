"""Two grounds for an agent's memory to be walked over: documents in a dictionary (fast), and real files that a crash can hit.

Both are changed by hand as an editor would, behind the memory's back, and both can be dropped and opened again.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol

from tests.memory.minds import Mind, mind_over, open_mind

from everself.clock import Clock
from everself.storage.state.database import State, open_state
from everself.testing.faulty_disk import CHANGES, MeddledFileSystem
from everself.testing.memory_workspace import InMemoryWorkspace
from everself.testing.workspaces import KEY, Bench
from everself.values import Applied, Change, Outcome
from everself.workspace.assembly import WorkspaceStorage
from everself.workspace.guards import standard_guards


def find_memory() -> str | None:
    """A file system in memory, where there is one: nothing here depends on what a power cut leaves."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


class World(Protocol):
    mind: Mind

    def write(self, path: str, data: bytes | None) -> None:
        """Save a document by hand; None removes it."""

    def restart(self) -> None:
        """Drop everything and open it again, as a new process does."""

    def crash(self, act: Callable[[], object], n: int) -> bool:
        """Do something and die at the n-th call that changes a file, then open again. Whether it was finished before that."""

    def close(self) -> None: ...


class VouchingWorkspace(InMemoryWorkspace):
    """Documents in memory whose changes carry provenance records into a real state, as a workspace on a disk does."""

    def __init__(self, clock: Clock, state: State) -> None:
        super().__init__(clock, standard_guards())
        self._state = state

    def apply(self, change: Change) -> Outcome:
        fresh = not (change.key and change.key in self._keys)
        outcome = super().apply(change)
        if isinstance(outcome, Applied) and change.provenance and fresh:
            self._state.provenance.put(change.provenance, self._clock.now().isoformat())
        return outcome

    def save(self, path: str, data: bytes | None) -> None:
        """By hand: no change set knows of it."""
        if data is None:
            del self._documents[path]
        else:
            self._documents[path] = data
        self._versions[path] = self._versions.get(path, 0) + 1


class LightWorld:
    """No file is written but the database, so a step costs little. A crash is a restart between two steps."""

    def __init__(self, clock: Clock) -> None:
        self._folder = tempfile.mkdtemp(dir=find_memory())
        self._clock = clock
        self._state = open_state(f"{self._folder}/state.db", KEY)
        self._workspace = VouchingWorkspace(clock, self._state)
        self.mind = self._open()

    def _open(self) -> Mind:
        # nobody asks this bench for its grounds: there is no disk
        bench = Bench(self._workspace, self._state, None, self._clock)  # type: ignore[arg-type]
        return mind_over(bench)

    def write(self, path: str, data: bytes | None) -> None:
        self._workspace.save(path, data)

    def restart(self) -> None:
        self.mind = self._open()

    def crash(self, act: Callable[[], object], n: int) -> bool:
        del n
        act()
        self.restart()
        return True

    def close(self) -> None:
        self._state.close()
        shutil.rmtree(self._folder)


class Killed(BaseException):
    """What stands for the end of the process; no handler of errors may see it as one."""


class Reaper:
    """Meddles with a file system: from the n-th change on nothing goes through any more."""

    def __init__(self) -> None:
        self.left = -1

    def __call__(self, call: str, path: str) -> None:
        del path
        if self.left < 0 or call not in CHANGES:
            return
        if self.left == 0:
            raise Killed
        self.left -= 1


class HeavyWorld:
    """Real files and real recovery, in memory where the machine has such a file system."""

    def __init__(self, clock: Clock) -> None:
        self.top = tempfile.mkdtemp(dir=find_memory())
        self._clock = clock
        self._reaper = Reaper()
        self._stack = ExitStack()
        self.mind = self._open()

    def _open(self) -> Mind:
        def wrap(files: object) -> MeddledFileSystem:
            return MeddledFileSystem(files, self._reaper)  # type: ignore[arg-type]

        mind = self._stack.enter_context(open_mind(self.top, self._clock, wrap))
        assert isinstance(mind.bench.storage, WorkspaceStorage)
        mind.bench.workspace.recover()
        return mind

    def write(self, path: str, data: bytes | None) -> None:
        target = Path(self.top) / "workspace" / path
        if data is None:
            target.unlink()
            return
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        spare = target.with_name(f"{target.name}~")
        spare.write_bytes(data)
        os.replace(spare, target)

    def restart(self) -> None:
        self._stack.close()
        self.mind = self._open()

    def crash(self, act: Callable[[], object], n: int) -> bool:
        done = False
        self._reaper.left = n
        try:
            act()
            done = True
        except Killed:
            pass
        with suppress(Killed):
            self._stack.close()
        self._reaper.left = -1
        self._stack = ExitStack()
        self.mind = self._open()
        return done

    def close(self) -> None:
        self._stack.close()
        shutil.rmtree(self.top)
