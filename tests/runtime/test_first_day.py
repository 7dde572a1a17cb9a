"""An agent's first day: set up, looked at, changed, undone."""

import os
from pathlib import Path

from tests.operations.changes import Changes

from everself.agent import open_runtime
from everself.operations.setup import set_up
from everself.values import Append, Applied, Author, Change


def tree(folder: str) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def test_setup_creates_a_private_workspace_and_a_second_one_changes_nothing() -> None:
    with open_runtime() as app:
        report = set_up(app)
    assert {"SOUL.md", "MEMORY.md", "BOOTSTRAP.md", "agents/memory-miner/SOUL.md"} <= set(report.created)
    first = tree(report.workspace)
    for folder, folders, files in os.walk(report.workspace):
        assert [name for name in folders if os.stat(os.path.join(folder, name)).st_mode & 0o777 != 0o700] == []
        assert [name for name in files if os.stat(os.path.join(folder, name)).st_mode & 0o777 != 0o600] == []
    with open_runtime() as app:
        again = set_up(app)
    assert (again.created, again.folders, again.change) == ((), (), "")
    assert tree(report.workspace) == first


def test_what_a_person_removed_stays_removed_until_they_ask() -> None:
    with open_runtime() as app:
        report = set_up(app)
    os.unlink(f"{report.workspace}/TOOLS.md")
    os.unlink(f"{report.workspace}/BOOTSTRAP.md")
    with open_runtime() as app:
        again = set_up(app)
        assert again.created == ()
        assert again.removed_by_you == ("TOOLS.md",)
        assert set_up(app, restore=True).created == ("TOOLS.md",)


def test_a_change_is_logged_shown_and_undone() -> None:
    with open_runtime() as app:
        report = set_up(app)
        outcome = app.workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", b"- likes tea\n"),)))
        assert isinstance(outcome, Applied)
    with open_runtime() as app:
        assert [record.reason for record in Changes(app.workspace).log()] == ["note", "setup"]
        assert "+- likes tea" in Changes(app.workspace).show(outcome.id).diff
        assert Changes(app.workspace).undo("last", dry_run=True).applied is None
        assert Changes(app.workspace).undo("last").applied
    assert b"tea" not in tree(report.workspace)["MEMORY.md"]
