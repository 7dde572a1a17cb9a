"""Assembles a workspace on disk from its parts. The only place that knows the file names of the agent's state."""

from collections.abc import Callable, Sequence

from everself.clock import Clock
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.storage.filesystem import FileSystem
from everself.storage.history.commits import FOLDER, History
from everself.storage.journal import Journal
from everself.storage.lock import TIMEOUT, FileLock, Lock
from everself.storage.real_disk import RealFileSystem
from everself.storage.state.database import State
from everself.values import new_id
from everself.workspace.disk_workspace import DiskWorkspace, WorkspaceParts
from everself.workspace.protocol import Guard
from everself.workspace.recorder import Recorder

WRITE_LOCK = "write.lock"
HISTORY_LOCK = "history.lock"


class WorkspaceStorage(Frozen):
    """The file systems and locks that a workspace uses: its documents, the agent's state, and the two locks."""

    documents: FileSystem
    state: FileSystem
    write_lock: Lock
    history_lock: Lock
    # the real folder of the history, if it is on disk
    packs: str | None = None


def real_storage(workspace: str, state: str) -> WorkspaceStorage:
    """The storage of a workspace on disk. Both folders must exist."""
    return WorkspaceStorage(
        RealFileSystem(workspace, remembers=True),
        RealFileSystem(state),
        FileLock(f"{state}/{WRITE_LOCK}"),
        FileLock(f"{state}/{HISTORY_LOCK}"),
        f"{state}/{FOLDER}",
    )


class WorkspaceOptions(Frozen):
    """Options of a workspace; each has a sensible default."""

    guards: Sequence[Guard] = ()
    identify: Callable[[], str] = new_id
    timeout: float = TIMEOUT
    # off: the history is committed only by `close`, so that a test decides when
    background: bool = True
    # error that every write raises; reading still works
    refusal: EverselfError | None = None


def assemble(
    storage: WorkspaceStorage, ledger: State, clock: Clock, habits: WorkspaceOptions | None = None
) -> DiskWorkspace:
    habits = habits or WorkspaceOptions()
    journal = Journal(storage.state)
    history = History(storage.state, storage.packs)
    recorder = Recorder(storage.documents, journal, history, ledger, storage.history_lock)
    recorder.background = habits.background
    parts = WorkspaceParts(
        files=storage.documents,
        room=storage.state,
        journal=journal,
        ledger=ledger,
        history=history,
        recorder=recorder,
        lock=storage.write_lock,
        clock=clock,
        identify=habits.identify,
        timeout=habits.timeout,
        refusal=habits.refusal,
    )
    return DiskWorkspace(parts, habits.guards)
