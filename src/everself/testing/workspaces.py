"""Ready-made workspaces for tests: in a real folder, or on a simulated disk with its database."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from everself.clock import Clock
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.storage.filesystem import FileSystem
from everself.storage.lock import OpenLock
from everself.storage.real_disk import RealFileSystem
from everself.storage.simulated_disk import SimulatedDisk
from everself.storage.state.database import State, open_state
from everself.testing.faulty_disk import Meddle, MeddledFileSystem, Shorten, whole
from everself.testing.frozen_time import FrozenTime
from everself.testing.simulated_sqlite import SimulatedVFS
from everself.workspace.assembly import WorkspaceOptions, WorkspaceStorage, assemble, real_storage
from everself.workspace.disk_workspace import DiskWorkspace

KEY = bytes(range(32))
Wrap = Callable[[FileSystem], FileSystem]


class Bench(Frozen):
    """A workspace and its parts, for tests to examine."""

    workspace: DiskWorkspace
    state: State
    storage: WorkspaceStorage
    clock: Clock


def make_folders(top: str) -> tuple[str, str]:
    """Create a workspace folder and a state folder beneath a directory; returns their paths."""
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
    top: str, habits: WorkspaceOptions | None = None, *, wrap: Wrap | None = None, clock: Clock | None = None
) -> Iterator[Bench]:
    """A workspace beneath a real directory. `wrap` wraps both file systems, for example to inject faults."""
    workspace, state_folder = make_folders(top)
    storage = real_storage(workspace, state_folder)
    if wrap is not None:
        storage = WorkspaceStorage(
            wrap(storage.documents), wrap(storage.state), storage.write_lock, storage.history_lock, storage.packs
        )
    state = open_state(f"{state_folder}/state.db", KEY)
    time = clock or FrozenTime().clock()
    bench = Bench(assemble(storage, state, time, habits), state, storage, time)
    try:
        yield bench
        bench.workspace.close()
    finally:
        state.close()


@contextmanager
def simulated_workspace(
    disk: SimulatedDisk,
    habits: WorkspaceOptions | None = None,
    meddle: Meddle | None = None,
    *,
    shorten: Shorten = whole,
    exchanges: bool = True,
) -> Iterator[Bench]:
    """A workspace and its database on a simulated disk. Existing content of the disk is used, as after a restart."""
    documents: FileSystem = disk.root("workspace")
    files: FileSystem = disk.root("state")
    vfs = SimulatedVFS(f"simulated-{id(disk)}", disk.root("state"), meddle)
    if meddle is not None or not exchanges:
        calm = meddle or (lambda _call, _path: None)
        documents, files = (MeddledFileSystem(one, calm, shorten, exchanges=exchanges) for one in (documents, files))
    lock = OpenLock()
    clock = FrozenTime().clock()
    try:
        state = open_state("/state.db", KEY, vfs=vfs.name, exclusive=True)
        try:
            storage = WorkspaceStorage(documents, files, lock, lock)
            yield Bench(assemble(storage, state, clock, habits), state, storage, clock)
        finally:
            _close(state, disk)
    finally:
        vfs.unregister()


def _close(state: State, disk: SimulatedDisk) -> None:
    try:
        state.close()
    except EverselfError:
        # without power closing fails, as it should; with power it must succeed
        if not disk.dead:
            raise
