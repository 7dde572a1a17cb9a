"""Operations on changes: log, show, undo."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final

from everself.errors import ChangedMeanwhile, RefusedByRule
from everself.memory.entries import holds_memory
from everself.memory.forgetting.proof import FORGET
from everself.memory.undo import is_torn, provenance_before, says, surplus
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, Option, Request, Result, owner_reads, owner_writes
from everself.runtime import Runtime
from everself.text.markdown.copies import COPY, hide_copies
from everself.values import Applied, ChangeRecord, Conflict, FileChange, Nothing, Outcome
from everself.workspace.layout import is_quarter, place
from everself.workspace.merge import render_diff
from everself.workspace.protocol import Workspace
from everself.workspace.setup import creates_agent
from everself.workspace.undo import plan_undo

LAST: Final = "last"
# number of recent changes to search for one that can be undone
_LOOKED_BACK: Final = 200


class ChangeLog(Result):
    """The newest changes; only those of the file `path` if it is given."""

    records: tuple[ChangeRecord, ...]
    path: str = ""


class ShownChange(Result):
    record: ChangeRecord
    diff: str


class UndoReport(Result):
    """The result of undoing. `applied` is None in a dry run, and if there are `conflicts` or `refused` reasons."""

    undone: ChangeRecord
    diff: str
    applied: str | None = None
    conflicts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class LogRequest(Request):
    limit: Annotated[int, Option("How many at most.", ge=1, le=100_000)] = 20
    path: Annotated[str, Option("Only changes of this file, named as in the workspace.", "PATH")] = ""


@owner_reads("log")
def log_changes(runtime: Runtime, _: Caller, request: LogRequest) -> ChangeLog:
    """List what was changed, newest first.

    $ everself log  # the last 20 changes
    $ everself log --path MEMORY.md --limit 5  # the last five of one file
    """
    path = request.path.removeprefix(f"{runtime.agent.workspace}/").removeprefix("./")
    return ChangeLog(tuple(runtime.workspace.changes(request.limit, path if request.path else None)), path)


class ShowRequest(Request):
    change: Annotated[str, Argument("The id of a change, the beginning of it, or last.", "ID")]


@owner_reads("show")
def show_change(runtime: Runtime, _: Caller, request: ShowRequest) -> ShownChange:
    """Show one change, line by line.

    $ everself show last  # the newest change
    $ everself show 7K3Q  # the change whose id begins so
    """
    record, files = runtime.workspace.record(request.change)
    return ShownChange(record, render_diff(files))


class UndoRequest(Request):
    change: Annotated[
        str, Argument("The id of a change, the beginning of it, or last.", "ID", needed=("cli", "http", "mcp"))
    ] = LAST
    dry_run: Annotated[bool, Option("Show what would change, and change nothing.")] = False


@owner_writes("undo", question="Take it back?", slash="/undo")
def undo(runtime: Runtime, caller: Caller, request: UndoRequest) -> UndoReport:
    """Undo one change and keep the later ones.

    Undoing is a change of its own, and can be undone. At a terminal you see it first and are asked. Forgetting cannot be undone. The
    creation of the agent's files is undone only by its id, never as "last".

    $ everself undo last --dry-run  # see what taking the last change back would do
    $ everself undo 7K3QX9M2ABCD --yes  # take one change back without being asked
    """
    if request.change == LAST:
        _need_edit(runtime.workspace)
    planned = _need_done(undo_change(runtime.workspace, request.change, dry_run=True))
    if request.dry_run:
        return planned
    if caller.unwatched and any(place(path, runtime.personas).humans_only for path in planned.undone.paths):
        raise RefusedByRule(
            "The change is in a document that only humans change, and no person is present to confirm it.",
            mend=f"Run it at a terminal: everself undo {planned.undone.id}",
        )
    if planned.diff:
        caller.agree(planned)
    return _need_done(undo_change(runtime.workspace, planned.undone.id))


def _need_edit(workspace: Workspace) -> None:
    """Raises RefusedByRule if the newest change is not an edit, and names the newest one that can be undone."""
    records = workspace.changes(_LOOKED_BACK)
    if not records or not (records[0].forgotten or creates_agent(records[0])):
        return
    newest = records[0]
    if creates_agent(newest):
        words = f"The last change, {newest.id}, created your agent's files, {len(newest.paths)} of them. Undoing it removes them all."
        raise RefusedByRule(words, mend=f"To do that on purpose: everself undo {newest.id}")
    was = "is a forgetting" if newest.reason == FORGET else "contained something that was forgotten since"
    words = f"The last change, {newest.id}, {was}. That cannot be undone."
    other = next((one for one in records[1:] if not one.forgotten and not creates_agent(one)), None)
    if other is None:
        raise RefusedByRule(f"{words} No other change can be undone.", mend="everself log lists all changes.")
    told = f"The newest change that can be undone is {other.id}: {other.reason} ({', '.join(other.paths[:3])})."
    raise RefusedByRule(f"{words} {told}", mend=f"everself undo {other.id}")


def _need_done(report: UndoReport) -> UndoReport:
    if report.conflicts:
        first = shlex.quote(report.conflicts[0])
        raise ChangedMeanwhile(
            f"Later changes affect the same lines of {', '.join(report.conflicts)}.",
            mend=f"Undo those first: everself log --path {first}",
        )
    if report.refused:
        raise RefusedByRule("; ".join(report.refused))
    return report


def undo_change(workspace: Workspace, identity: str, *, dry_run: bool = False) -> UndoReport:
    """Undo a change and keep later ones. If a file changes in between, the undo is planned again."""
    record, files = workspace.record(identity)
    for _ in range(5):
        plan = plan_undo(record, files, lambda path: _content(workspace, path))
        if isinstance(plan, Conflict):
            return UndoReport(record, "", conflicts=plan.paths)
        seen = workspace.preview(plan)
        if isinstance(seen, Conflict):
            continue
        meant = {file.path: file for file in files}
        amiss = _doubled(workspace, files, seen) or tuple(one.path for one in seen if is_torn(meant.get(one.path), one))
        if amiss:
            return UndoReport(record, "", conflicts=amiss)
        diff = render_diff(seen)
        if dry_run:
            return UndoReport(record, diff)
        outcome = workspace.apply(replace(plan, provenance=provenance_before(record.evidence, seen)))
        if not isinstance(outcome, Conflict):
            return _report(record, diff, outcome)
    return UndoReport(record, "", conflicts=record.paths)


def _doubled(workspace: Workspace, done: Sequence[FileChange], files: Sequence[FileChange]) -> tuple[str, ...]:
    """Documents with an entry that undoing would duplicate, because it was already undone or has moved."""
    now, then = {file.path: file.before for file in files}, {file.path: file.after for file in files}
    before = sum((_ids(_read(workspace, path, now)) for path in now), Counter[bytes]())
    after = sum((_ids(_read(workspace, path, then)) for path in then), Counter[bytes]())
    gained = after - before
    twice = tuple(path for path in then if any(after[mark] > 1 for mark in _ids(_read(workspace, path, then)) & gained))
    texts = surplus(*([one for one in some if holds_memory(one.path)] for some in (done, files)))
    if twice or not (gained or texts):
        return twice
    others = {
        one.path: _read(workspace, one.path, then)
        for one in workspace.list()
        if one.kind == "file" and one.path.endswith(".md") and one.path not in then
    }
    return tuple(
        path
        for path, data in others.items()
        if any(b"id=" + mark in data for mark in gained) or (texts and holds_memory(path) and says(data, texts))
    )


def _read(workspace: Workspace, path: str, documents: Mapping[str, bytes | None]) -> bytes:
    """A document as memory reads it: an archived copy of an existing day does not count."""

    def is_there(day: str) -> bool:
        if day in documents:
            return documents[day] is not None
        stat = workspace.stat(day)
        return stat is not None and stat.kind == "file"

    data = (documents[path] if path in documents else _content(workspace, path)) or b""
    return hide_copies(data, is_there) if is_quarter(path) and COPY in data else data


def _content(workspace: Workspace, path: str) -> bytes | None:
    found = workspace.find(path)
    return None if found is None else found.data


def _ids(data: bytes) -> Counter[bytes]:
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
