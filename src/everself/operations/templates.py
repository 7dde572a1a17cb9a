"""The operation setup: create what is missing of a workspace, and never touch what is there."""

import os
from dataclasses import dataclass

from everself.errors import RefusedByRule, UnsafePath
from everself.runtime import Runtime
from everself.storage.host_files import ensure_folder
from everself.values import Applied, Conflict, FileKind, Refused
from everself.workspace.disk_workspace import DiskWorkspace
from everself.workspace.setup import BOOTSTRAP, plan_folders, plan_setup

SETUP = "setup"


@dataclass(frozen=True, slots=True)
class SetupReport:
    """What setup found and made. `change` is empty when nothing was missing."""

    agent: str
    workspace: str
    state: str
    created: tuple[str, ...]
    kept: int
    folders: tuple[str, ...]
    removed_by_you: tuple[str, ...]
    change: str = ""


def set_up(app: Runtime, *, restore: bool = False) -> SetupReport:
    """Create every missing file and folder. What a person removed since an earlier setup stays removed unless `restore`."""
    target = app.agent.workspace
    if os.path.lexists(target) and not os.path.isdir(target):
        raise UnsafePath(f"{target} exists and is no folder.", mend="everself setup --workspace PATH")
    ensure_folder(app.places.home)
    ensure_folder(target)
    workspace = app.workspace
    workspace.note_outside()
    for _ in range(5):
        existing = _names(workspace)
        over = app.ritual.is_over()
        removed = tuple(path for path in _removed(workspace, existing) if not (over and path == BOOTSTRAP))
        plan = plan_setup(existing, removed=removed, ritual_done=over, restore=restore)
        outcome = workspace.apply(plan) if plan else None
        if isinstance(outcome, Refused):
            raise RefusedByRule("; ".join(outcome.reasons))
        if not isinstance(outcome, Conflict):
            break
    folders = plan_folders(_names(workspace))
    workspace.make_folders(folders)
    # what a human finds here now is what they accept; from now on nobody else changes it unnoticed
    app.integrity.look()
    created = outcome.paths if isinstance(outcome, Applied) else ()
    return SetupReport(
        agent=app.agent.id,
        workspace=target,
        state=app.agent.state,
        created=created,
        kept=sum(kind != "directory" for kind in existing.values()),
        folders=folders,
        removed_by_you=() if restore else removed,
        change=outcome.id if isinstance(outcome, Applied) else "",
    )


def _names(workspace: DiskWorkspace) -> dict[str, FileKind]:
    return {one.path: one.kind for one in workspace.walk()}


def _removed(workspace: DiskWorkspace, existing: dict[str, FileKind]) -> tuple[str, ...]:
    """Documents that an earlier setup made and that are gone since."""
    made = [path for record in workspace.changes(limit=1_000_000) if record.reason == SETUP for path in record.paths]
    return tuple(sorted({path for path in made if path not in existing}))
