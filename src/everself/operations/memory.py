"""Operations on memory and external files: export, import, and taking over a workspace."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

from everself.errors import Interrupted, NotFound, RefusedByRule, WrongUse
from everself.memory.adoption import AdoptionReport, adopt, needs_adoption
from everself.memory.transfer.export import export_entries
from everself.memory.transfer.importer import ImportOptions, ImportReport, import_lines
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, Option, Request, Result, Tell, terminal_writes
from everself.runtime import Runtime
from everself.storage import writes
from everself.storage.filesystem import TEMPORARY_PREFIX, disk_errors
from everself.storage.history.blame import line_days
from everself.storage.real_disk import RealFileSystem
from everself.values import new_id


class ExportReport(Result):
    """The result of an export: a new file, or lines if `path` is empty. `redacted` counts entries with removed secrets."""

    path: str
    entries: int
    redacted: int
    lines: tuple[str, ...] = ()


class ExportRequest(Request):
    file: Annotated[str, Argument("A new file; standard output unless given.", "[FILE]")] = ""
    kind: Annotated[Literal["jsonl"], Option("The form.", cli="--format")] = "jsonl"


@terminal_writes("memory.export")
def export_memory(app: Runtime, _: Caller, request: ExportRequest) -> ExportReport:
    """Write every entry as one line of JSON, with its id, source and dates.

    Writes to FILE, which must not exist, or to standard output. Secrets are removed.

    $ everself memory export memory.jsonl  # into a new file
    $ everself memory export > memory.jsonl  # the same, by way of the shell
    """
    found = export_entries(app.memory)
    if request.file in ("", "-"):
        return ExportReport("", len(found.lines), found.redacted, found.lines)
    data = "".join(f"{line}\n" for line in found.lines).encode("utf-8", "replace")
    return ExportReport(_save_new(os.path.abspath(request.file), data), len(found.lines), found.redacted)


class ImportRequest(Request):
    file: Annotated[str, Argument("A file that `memory export` wrote.")]
    as_mine: Annotated[bool, Option("They are your own: keep places and sources, and vouch for them.")] = False
    skip_broken: Annotated[bool, Option("Leave lines out that cannot be read, instead of importing nothing.")] = False
    dry_run: Annotated[bool, Option("Show what would be imported, and change nothing.")] = False


class Imported(Result):
    """The report and the request. `refused`: nothing was imported, because lines are invalid."""

    report: ImportReport
    request: ImportRequest

    @property
    def refused(self) -> bool:
        return bool(self.report.broken) and not self.request.skip_broken


@terminal_writes("memory.import", progress="Importing")
def import_memory(app: Runtime, _: Caller, request: ImportRequest, tell: Tell | None = None) -> Imported:
    """Import the entries of an exported file, as one change.

    Known entries are skipped, and forgotten ones do not come back.

    $ everself memory import memory.jsonl --dry-run  # see what would come in
    $ everself memory import memory.jsonl --as-mine  # your own memory, from another machine
    $ everself memory import theirs.jsonl  # somebody else's: worth no more than any file from outside
    """
    origin = os.path.basename(request.file)
    options = ImportOptions(origin, request.as_mine, request.skip_broken, request.dry_run, tell)
    with _reading(request.file) as lines:
        return Imported(import_lines(app.memory, lines, options), request)


class AdoptionPlan(Result):
    """A folder with this many documents that are new to this installation."""

    folder: str
    documents: int

    def __str__(self) -> str:
        files = f"{self.documents} Markdown {'file' if self.documents == 1 else 'files'}"
        return f"{self.folder} holds {files} that this installation never saw."


def adopt_workspace(app: Runtime, caller: Caller) -> AdoptionReport | None:
    """Take over a workspace that is new to this installation, as it is; None if there is nothing to take over.

    The caller is asked once, because its soul is trusted from then on.
    """
    folder = app.agent.workspace
    count = _count_markdown(folder) if os.path.isdir(folder) else 0
    # no state is created before the user agrees
    if not count or (os.path.isdir(app.agent.state) and not needs_adoption(app.workspace, app.state)):
        return None
    plan = AdoptionPlan(folder, count)
    try:
        caller.agree(plan)
    except (Interrupted, RefusedByRule, WrongUse):
        raise RefusedByRule(f"{plan} Nothing was changed.", mend="everself setup --adopt") from None
    if not needs_adoption(app.workspace, app.state):
        return None
    return adopt(app.workspace, app.state, app.memory, lambda documents: line_days(folder, documents))


def _count_markdown(folder: str) -> int:
    """Count Markdown files outside hidden folders, which belong to other programs."""
    count = 0
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        count += sum(name.endswith(".md") and not name.startswith(".") for name in names)
    return count


@contextmanager
def _reading(file: str) -> Iterator[Iterator[str]]:
    if not os.path.exists(file):
        raise NotFound(f"file {file}.")
    with disk_errors(file), open(file, encoding="utf-8", errors="replace", newline="\n") as lines:
        yield iter(lines)


def _save_new(path: str, data: bytes) -> str:
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise NotFound(f"folder {folder}.", mend=f"mkdir -p {shlex.quote(folder)}")
    temporary = f"{TEMPORARY_PREFIX}{new_id()}"
    with disk_errors(path):
        files = RealFileSystem(folder)
        try:
            taken = writes.create(files, name, data, temporary) is not None
        finally:
            writes.discard(files, [temporary, writes.part(temporary)])
    if taken:
        raise RefusedByRule(f"{path} already exists and is not overwritten.", mend="Name another file.")
    return path
