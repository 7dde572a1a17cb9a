"""What happened to a workspace, and taking it back, for tests that have no whole agent."""

from collections.abc import Sequence
from types import SimpleNamespace

from everself.operations.caller import AT_TERMINAL
from everself.operations.changes import (
    LogRequest,
    ShownChange,
    ShowRequest,
    UndoReport,
    log_changes,
    show_change,
    undo_change,
)
from everself.values import ChangeRecord
from everself.workspace.protocol import Workspace


class Changes:
    def __init__(self, workspace: Workspace) -> None:
        self._runtime = SimpleNamespace(workspace=workspace, agent=SimpleNamespace(workspace="/workspace"))

    def log(self, limit: int = 20, path: str | None = None) -> Sequence[ChangeRecord]:
        return log_changes(self._runtime, AT_TERMINAL, LogRequest(limit=limit, path=path or "")).records

    def show(self, identity: str) -> ShownChange:
        return show_change(self._runtime, AT_TERMINAL, ShowRequest(change=identity))

    def undo(self, identity: str, *, dry_run: bool = False) -> UndoReport:
        return undo_change(self._runtime.workspace, identity, dry_run=dry_run)
