"""Completes a restore: moves staged folders into place by renames that a crash cannot leave half done.

A marker file lists the renames. It is durable before the first one and removed after the last; opening an agent calls
`finish_restore` first. Nothing is deleted except what a restore itself staged. Handles folders and names, not backups;
independent of the runtime, which calls it.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict
from typing import Final, Literal

from everself.config import AgentSettings
from everself.errors import Damaged, RefusedByRule
from everself.frozen import Frozen
from everself.storage import writes
from everself.storage.damaged_files import free_name
from everself.storage.filesystem import TEMPORARY_PREFIX, disk_errors
from everself.storage.folders import remove_folder
from everself.storage.lock import FileLock
from everself.storage.real_disk import RealFileSystem
from everself.workspace.assembly import HISTORY_LOCK, WRITE_LOCK

MARKER: Final = "restore.json"
RESTORE_LOCK: Final = "restore.lock"
STAGING: Final = f"{TEMPORARY_PREFIX}restore"
# Files that are not moved: processes wait for these locks, and a renamed lock has no effect.
STAYING: Final = frozenset(
    {WRITE_LOCK, HISTORY_LOCK, RESTORE_LOCK, "backup.lock", "index.db.lock", "sessions.lock", MARKER, STAGING}
)
# prefix of the turn locks, one per session
_TURNS: Final = "turn-"


class AgentFolders(Frozen):
    """The two folders of an agent, each as parent folder and name."""

    above_workspace: str
    workspace: str
    above_state: str
    state: str

    @property
    def staged_workspace(self) -> str:
        return f"{STAGING}-{self.workspace}"

    @property
    def staged_state(self) -> str:
        return f"{self.state}/{STAGING}"

    @property
    def staging(self) -> tuple[str, str]:
        """The paths of the two staging folders, that of the workspace first."""
        return f"{self.above_workspace}/{self.staged_workspace}", f"{self.above_state}/{self.staged_state}"

    @property
    def marker(self) -> str:
        return f"{self.state}/{MARKER}"

    @property
    def workspace_files(self) -> RealFileSystem:
        return RealFileSystem(self.above_workspace)

    @property
    def state_files(self) -> RealFileSystem:
        return RealFileSystem(self.above_state)

    def lock(self, name: str) -> FileLock:
        return FileLock(f"{self.above_state}/{self.state}/{name}")


class RelocationStep(Frozen):
    """One rename. `aside` moves the old file away, `place` moves the staged one in."""

    kind: Literal["aside", "place"]
    where: Literal["workspace", "state"]
    source: str
    target: str


def agent_folders(agent: AgentSettings) -> AgentFolders:
    return AgentFolders(
        *os.path.split(os.path.realpath(agent.workspace)), *os.path.split(os.path.realpath(agent.state))
    )


def has_content(folders: AgentFolders) -> bool:
    """Whether the agent has files that a restore would replace."""
    return bool(_entries(folders.workspace_files, folders.workspace) or _old_state(folders))


def plan_moves(folders: AgentFolders, stamp: str) -> tuple[RelocationStep, ...]:
    """The renames that keep the old files beside and move the staged ones into place.

    The `aside` steps can be planned before anything is staged.
    """
    steps: list[RelocationStep] = []
    if _entries(folders.workspace_files, folders.workspace):
        kept = free_name(folders.workspace_files, f"{folders.workspace}.before-restore-{stamp}")
        steps.append(RelocationStep("aside", "workspace", folders.workspace, kept))
    old = _old_state(folders)
    kept = free_name(folders.state_files, f"{folders.state}.before-restore-{stamp}")
    steps += [RelocationStep("aside", "state", f"{folders.state}/{name}", f"{kept}/{name}") for name in old]
    steps.append(RelocationStep("place", "workspace", folders.staged_workspace, folders.workspace))
    for name in _entries(folders.state_files, folders.staged_state):
        steps.append(RelocationStep("place", "state", f"{folders.staged_state}/{name}", f"{folders.state}/{name}"))
    return tuple(steps)


def kept_beside(folders: AgentFolders, steps: tuple[RelocationStep, ...]) -> tuple[str, ...]:
    """The folders to which the old files are moved."""
    found = []
    for step in steps:
        if step.kind == "aside" and step.where == "workspace":
            found.append(f"{folders.above_workspace}/{step.target}")
        elif step.kind == "aside":
            found.append(f"{folders.above_state}/{os.path.dirname(step.target)}")
    return tuple(dict.fromkeys(found))


def apply_moves(folders: AgentFolders, steps: tuple[RelocationStep, ...]) -> None:
    """Do the renames durably. The caller holds the write lock. On a failure finished renames are reverted as far as the disk allows."""
    marked = {
        "above_workspace": folders.above_workspace,
        "workspace": folders.workspace,
        "steps": [asdict(step) for step in steps],
    }
    temporary = f"{folders.staged_state}/{TEMPORARY_PREFIX}marker"
    writes.create(folders.state_files, folders.marker, json.dumps(marked, indent=1).encode(), temporary)
    done: list[RelocationStep] = []
    try:
        for step in steps:
            _move(folders, step)
            done.append(step)
    except (OSError, RefusedByRule):
        for step in reversed(done):
            _rename(folders, step.where, step.target, step.source)
        _end(folders, steps)
        raise
    _end(folders, steps)


def finish_restore(agent: AgentSettings) -> bool:
    """Complete a restore that was interrupted after its point of no return. Returns whether there was one.

    Call it whenever an agent is opened, before its database is; without a marker it costs one file system call.
    """
    if not os.path.lexists(f"{agent.state}/{MARKER}"):
        return False
    folders = agent_folders(agent)
    with disk_errors(agent.state), folders.lock(WRITE_LOCK).hold():
        data = writes.find(folders.state_files, folders.marker)
        # the other process was alive and completed the restore while we waited
        if data is None:
            return False
        folders, steps = _parse(folders, data)
        for step in steps:
            _move(folders, step)
        _end(folders, steps)
    discard_leftovers(agent)
    return True


def find_leftovers(agent: AgentSettings) -> tuple[str, ...]:
    """Staging folders of a restore that was interrupted before its point of no return; they can be removed."""
    if os.path.lexists(f"{agent.state}/{MARKER}"):
        return ()
    folders = agent_folders(agent)
    return tuple(folder for folder in folders.staging if os.path.lexists(folder))


def discard_leftovers(agent: AgentSettings) -> tuple[str, ...]:
    """Remove such staging folders, unless a restore is running. Returns their paths."""
    if not find_leftovers(agent):
        return ()
    folders = agent_folders(agent)
    with disk_errors(agent.state), folders.lock(RESTORE_LOCK).hold():
        found = find_leftovers(agent)
        if found:
            remove_staging(folders)
        return found


def remove_staging(folders: AgentFolders) -> None:
    """Remove the staging folders. The caller holds the restore lock, and there is no marker."""
    for folder in folders.staging:
        remove_folder(folder)


def _move(folders: AgentFolders, step: RelocationStep) -> None:
    """Do a rename unless a process that has died since already did it."""
    files = folders.workspace_files if step.where == "workspace" else folders.state_files
    if files.stat(step.source) is None:
        return
    there = files.stat(step.target)
    if step.kind == "aside":
        if there is None:
            writes.make_directories(files, step.target)
            _rename(folders, step.where, step.source, step.target)
        return
    # an empty folder may be replaced, and a rename does so
    if there is not None and not (there.kind == "directory" and not files.list(step.target)):
        raise RefusedByRule(
            f"{files.root}/{step.target} appeared during a restore.", mend="Move it away, then try again."
        )
    _rename(folders, step.where, step.source, step.target)


def _rename(folders: AgentFolders, where: Literal["workspace", "state"], source: str, target: str) -> None:
    files = folders.workspace_files if where == "workspace" else folders.state_files
    files.rename(source, target)
    for folder in {os.path.dirname(source), os.path.dirname(target)}:
        files.sync_directory(folder)


def _end(folders: AgentFolders, steps: tuple[RelocationStep, ...]) -> None:
    files = folders.state_files
    writes.discard(files, [folders.marker])
    files.sync_directory(folders.state)
    for folder in {os.path.dirname(step.target) for step in steps if (step.kind, step.where) == ("aside", "state")}:
        # empty if the renames were reverted
        with suppress(OSError):
            files.remove_directory(folder)


def _parse(folders: AgentFolders, data: bytes) -> tuple[AgentFolders, tuple[RelocationStep, ...]]:
    try:
        given = json.loads(data)
        steps = tuple(RelocationStep(one["kind"], one["where"], one["source"], one["target"]) for one in given["steps"])
        # the settings may name another workspace by now; the restore ends where it began
        return AgentFolders(given["above_workspace"], given["workspace"], folders.above_state, folders.state), steps
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(
            f"{folders.above_state}/{folders.marker} cannot be read.",
            mend="Compare the folders next to it by hand, then remove it.",
        ) from error


def _entries(files: RealFileSystem, folder: str) -> list[str]:
    found = files.stat(folder)
    if found is None:
        return []
    if found.kind != "directory":
        raise RefusedByRule(f"{files.root}/{folder} is not a folder.", mend="Move it away, then try again.")
    return [os.path.basename(one.path) for one in files.list(folder)]


def _old_state(folders: AgentFolders) -> list[str]:
    if not os.path.isdir(folders.above_state):
        return []
    return [
        name
        for name in _entries(folders.state_files, folders.state)
        if name not in STAYING and not name.startswith(_TURNS)
    ]
