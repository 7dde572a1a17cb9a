"""The verbs over memory that reach beyond it: files of the person's that entries go to and come from, and taking a workspace over."""

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from everself.errors import NotFound, RefusedByRule
from everself.memory.adoption import AdoptionReport, adopt, needs_adoption
from everself.memory.transfer.export import export_entries
from everself.memory.transfer.importer import ImportOptions, ImportReport, import_lines
from everself.runtime import Runtime
from everself.storage import writes
from everself.storage.filesystem import TEMPORARY_PREFIX, disk_errors
from everself.storage.history.blame import line_days
from everself.storage.real_disk import RealFileSystem
from everself.values import new_id


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was exported: to a new file, or (`path` is empty) as lines. `redacted` counts entries that secrets were taken out of."""

    path: str
    entries: int
    redacted: int
    lines: tuple[str, ...] = ()


def export_memory(app: Runtime, file: str = "") -> ExportReport:
    """Every entry as JSON Lines, into a new file where one is named. No file is overwritten."""
    found = export_entries(app.memory)
    if not file:
        return ExportReport("", len(found.lines), found.redacted, found.lines)
    data = "".join(f"{line}\n" for line in found.lines).encode("utf-8", "replace")
    return ExportReport(_save_new(os.path.abspath(file), data), len(found.lines), found.redacted)


def import_memory(app: Runtime, file: str, options: ImportOptions) -> ImportReport:
    """Bring in the entries of an exported file. `options.origin` is how its lines are cited."""
    with _reading(file) as lines:
        return import_lines(app.memory, lines, options)


def adopt_workspace(app: Runtime, agree: Callable[[str, int], bool] = lambda _, __: True) -> AdoptionReport | None:
    """Take over a workspace that this installation never saw, as it is; None when there is nothing to take over.

    `agree` is asked once, with the folder and how many documents it holds: what stands in its soul is believed from then on.
    """
    folder = app.agent.workspace
    count = _count_markdown(folder) if os.path.isdir(folder) else 0
    # a state that does not exist is not made before there is a yes
    if not count or (os.path.isdir(app.agent.state) and not needs_adoption(app.workspace, app.state)):
        return None
    if not agree(folder, count):
        raise RefusedByRule(
            f"{folder} holds {count} Markdown {'file' if count == 1 else 'files'} that this installation never saw. "
            "Nothing was changed.",
            mend="everself setup --adopt",
        )
    if not needs_adoption(app.workspace, app.state):
        return None
    return adopt(app.workspace, app.state, app.memory, lambda documents: line_days(folder, documents))


def _count_markdown(folder: str) -> int:
    """Documents that anybody would take for notes; hidden folders hold other programs' files."""
    count = 0
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        count += sum(name.endswith(".md") and not name.startswith(".") for name in names)
    return count


@contextmanager
def _reading(file: str) -> Iterator[Iterator[str]]:
    if not os.path.exists(file):
        raise NotFound(f"There is no file {file}.")
    with disk_errors(file), open(file, encoding="utf-8", errors="replace", newline="\n") as lines:
        yield iter(lines)


def _save_new(path: str, data: bytes) -> str:
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise NotFound(f"There is no folder {folder}.", mend=f"mkdir -p {shlex.quote(folder)}")
    temporary = f"{TEMPORARY_PREFIX}{new_id()}"
    with disk_errors(path):
        files = RealFileSystem(folder)
        try:
            taken = writes.create(files, name, data, temporary) is not None
        finally:
            writes.discard(files, [temporary, writes.part(temporary)])
    if taken:
        raise RefusedByRule(f"{path} exists already, and nothing is overwritten.", mend="Name another file.")
    return path
