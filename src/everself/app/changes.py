"""The verbs over what was changed: log, show, undo."""

from collections.abc import Sequence
from dataclasses import dataclass

from everself.text.diff import render_diff
from everself.values import Applied, ChangeRecord, Conflict, Nothing, Outcome
from everself.workspace.interface import Workspace
from everself.workspace.undo import plan_undo


@dataclass(frozen=True, slots=True)
class ShownChange:
    record: ChangeRecord
    diff: str


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What undoing did, or would do when `applied` is None and nothing stands in `conflicts`."""

    undone: ChangeRecord
    diff: str
    applied: str | None = None
    conflicts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class Changes:
    """What happened to the workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def log(self, limit: int = 20, path: str | None = None) -> Sequence[ChangeRecord]:
        return self._workspace.changes(limit, path)

    def show(self, identity: str) -> ShownChange:
        record, files = self._workspace.record(identity)
        return ShownChange(record, render_diff(files))

    def undo(self, identity: str, *, dry_run: bool = False) -> UndoReport:
        """Take a change back and leave what happened since. A person who saves at that very moment makes it plan again."""
        record, files = self._workspace.record(identity)
        for _ in range(5):
            plan = plan_undo(record, files, self._content)
            if isinstance(plan, Conflict):
                return UndoReport(record, "", conflicts=plan.paths)
            seen = self._workspace.preview(plan)
            if isinstance(seen, Conflict):
                continue
            diff = render_diff(seen)
            if dry_run:
                return UndoReport(record, diff)
            outcome = self._workspace.apply(plan)
            if not isinstance(outcome, Conflict):
                return _report(record, diff, outcome)
        return UndoReport(record, "", conflicts=record.paths)

    def _content(self, path: str) -> bytes | None:
        found = self._workspace.find(path)
        return None if found is None else found.data


def _report(record: ChangeRecord, diff: str, outcome: Outcome) -> UndoReport:
    match outcome:
        case Applied(identity, _):
            return UndoReport(record, diff, applied=identity)
        case Nothing():
            return UndoReport(record, "")
        case Conflict(paths):
            return UndoReport(record, "", conflicts=paths)
    return UndoReport(record, diff, refused=outcome.reasons)
