"""The verbs over what was changed: log, show, undo."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from everself.memory.entries import holds_memory
from everself.memory.provenance_undo import provenance_before
from everself.memory.undo_check import is_torn, says, surplus
from everself.text.markdown.copies import COPY, hide_copies
from everself.values import Applied, ChangeRecord, Conflict, FileChange, Nothing, Outcome
from everself.workspace.diff import render_diff
from everself.workspace.layout import is_quarter
from everself.workspace.protocol import Workspace
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
            meant = {file.path: file for file in files}
            amiss = self._doubled(files, seen) or tuple(one.path for one in seen if is_torn(meant.get(one.path), one))
            if amiss:
                return UndoReport(record, "", conflicts=amiss)
            diff = render_diff(seen)
            if dry_run:
                return UndoReport(record, diff)
            outcome = self._workspace.apply(replace(plan, provenance=provenance_before(record.evidence, seen)))
            if not isinstance(outcome, Conflict):
                return _report(record, diff, outcome)
        return UndoReport(record, "", conflicts=record.paths)

    def _doubled(self, done: Sequence[FileChange], files: Sequence[FileChange]) -> tuple[str, ...]:
        """Documents with an entry that undoing would bring back a second time: it was undone before, or moved since."""
        now, then = {file.path: file.before for file in files}, {file.path: file.after for file in files}
        before = sum((_ids(self._read(path, now)) for path in now), Counter[bytes]())
        after = sum((_ids(self._read(path, then)) for path in then), Counter[bytes]())
        gained = after - before
        twice = tuple(path for path in then if any(after[mark] > 1 for mark in _ids(self._read(path, then)) & gained))
        texts = surplus(*([one for one in some if holds_memory(one.path)] for some in (done, files)))
        if twice or not (gained or texts):
            return twice
        others = {
            one.path: self._read(one.path, then)
            for one in self._workspace.list()
            if one.kind == "file" and one.path.endswith(".md") and one.path not in then
        }
        return tuple(
            path
            for path, data in others.items()
            if any(b"id=" + mark in data for mark in gained) or (texts and holds_memory(path) and says(data, texts))
        )

    def _read(self, path: str, documents: Mapping[str, bytes | None]) -> bytes:
        """A document as memory reads it beside these: a copy of a day that is there is none of it."""

        def is_there(day: str) -> bool:
            if day in documents:
                return documents[day] is not None
            stat = self._workspace.stat(day)
            return stat is not None and stat.kind == "file"

        data = (documents[path] if path in documents else self._content(path)) or b""
        return hide_copies(data, is_there) if is_quarter(path) and COPY in data else data

    def _content(self, path: str) -> bytes | None:
        found = self._workspace.find(path)
        return None if found is None else found.data


def _ids(data: bytes) -> "Counter[bytes]":
    """The ids that entry comments name."""
    parts = data.split(b"<!-- everself: id=")[1:]
    return Counter(part.split(b" ", 1)[0] for part in parts)


def _report(record: ChangeRecord, diff: str, outcome: Outcome) -> UndoReport:
    match outcome:
        case Applied(identity, _):
            return UndoReport(record, diff, applied=identity)
        case Nothing():
            return UndoReport(record, "")
        case Conflict(paths):
            return UndoReport(record, "", conflicts=paths)
    return UndoReport(record, diff, refused=outcome.reasons)
