"""Ready-made workspaces for tests: on a real folder, or on a simulated disk with the database beside it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from everself.clock import Clock
from everself.disk.filesystem import FileSystem
from everself.disk.real import RealFileSystem
from everself.store.state import State, open_state
from everself.testing.frozen import FrozenTime
from everself.workspace.assembly import Grounds, Habits, assemble, real_grounds
from everself.workspace.on_disk import DiskWorkspace

KEY = bytes(range(32))
Wrap = Callable[[FileSystem], FileSystem]


@dataclass(frozen=True, slots=True)
class Bench:
    """A workspace with what it stands on, for a test to look at."""

    workspace: DiskWorkspace
    state: State
    grounds: Grounds
    clock: Clock


def make_folders(top: str) -> tuple[str, str]:
    """A workspace folder and a state folder beneath one directory."""
    folders = (f"{top}/workspace", f"{top}/state")
    for folder in folders:
        files = RealFileSystem(folder)
        try:
            files.list("")
        except FileNotFoundError:
            files.make_directory("")
    return folders


@contextmanager
def real_workspace(
    top: str, habits: Habits | None = None, *, wrap: Wrap | None = None, clock: Clock | None = None
) -> Iterator[Bench]:
    """A workspace beneath a real directory; `wrap` puts a meddled file system around both folders."""
    workspace, state_folder = make_folders(top)
    grounds = real_grounds(workspace, state_folder)
    if wrap is not None:
        grounds = Grounds(
            wrap(grounds.documents), wrap(grounds.state), grounds.write_lock, grounds.history_lock, grounds.packs
        )
    state = open_state(f"{state_folder}/state.db", KEY)
    time = clock or FrozenTime().clock()
    bench = Bench(assemble(grounds, state, time, habits), state, grounds, time)
    try:
        yield bench
        bench.workspace.close()
    finally:
        state.close()
