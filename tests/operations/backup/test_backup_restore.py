"""Restoring a backup: whole or not at all, whatever was there is kept, and an interruption is made good by the next start."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from tests.operations.backup.backup_ground import agent_in, everything, make_agent, tree
from tests.operations.changes import Changes

from everself.errors import DiskError, DiskFull, RefusedByRule, StoreBusy, WrongUse
from everself.operations.backup.create import make_backup
from everself.operations.backup.restore import RestoreReport, restore_backup
from everself.values import Append, Author, Change
from everself.workspace import relocation as moves
from everself.workspace.relocation import discard_leftovers, find_leftovers, finish_restore

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with an agent, and a backup of it, with the key, beside."""
    top = tmp_path_factory.mktemp("source")
    make_agent(top / "old")
    with agent_in(top / "old") as app:
        make_backup(app, str(top / "one.tar.gz"), with_key=True)
        make_backup(app, str(top / "keyless.tar.gz"))
    return top


@pytest.fixture(scope="module")
def later(source: Path) -> Path:
    """The home a little later: a document more and one less."""
    home = source / "later"
    shutil.copytree(source / "old", home)
    with agent_in(home) as app:
        app.workspace.apply(Change(Author.OWNER, "later", (Append("later.md", b"later\n"),)))
        os.unlink(f"{app.agent.workspace}/SOUL.md")
    return home


@pytest.fixture
def lived(later: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(later, tmp_path / "home"))


# workspace, database, history and journal go aside; workspace, database and history come in
RENAMES = 7
SOME = [pytest.param(n, marks=[] if n in (1, 4, 5, RENAMES) else pytest.mark.slow) for n in range(1, RENAMES + 1)]


def workspace_of(home: Path) -> Path:
    return home / ".everself/workspace"


def state_of(home: Path) -> Path:
    return home / ".everself/agents/main"


def check_is_the_backup(home: Path, source: Path) -> None:
    assert tree(workspace_of(home)) == tree(workspace_of(source / "old"))
    assert not [path for path in home.rglob(".everself-*") if path.name != ".everself-lock"]
    assert not (state_of(home) / "restore.json").exists()
    with agent_in(home) as app:
        assert [record.reason for record in Changes(app.workspace).log()] == ["tea", "setup"]
        assert app.state.verify_ledger().ok
        assert "+- likes tea" in Changes(app.workspace).show("last").diff


def test_an_agent_that_is_there_is_not_replaced_unless_asked(lived: Path, source: Path) -> None:
    before = everything(lived)
    with pytest.raises(RefusedByRule) as caught:
        restore_backup(agent_in(lived), str(source / "one.tar.gz"))
    assert "--replace" in caught.value.mend
    assert everything(lived) == before


def test_what_was_there_is_kept_beside_and_works_when_it_is_put_back(lived: Path, source: Path) -> None:
    documents = tree(workspace_of(lived))
    report = restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True)
    check_is_the_backup(lived, source)
    workspace, state = (Path(folder) for folder in report.kept_beside)
    assert tree(workspace) == documents
    shutil.rmtree(workspace_of(lived))
    shutil.rmtree(state_of(lived))
    workspace.rename(workspace_of(lived))
    state.rename(state_of(lived))
    with agent_in(lived) as app:
        assert [record.reason for record in Changes(app.workspace).log()] == ["later", "tea", "setup"]
        assert app.state.verify_ledger().ok


def test_the_lock_of_a_turn_that_runs_stays_where_it_is(lived: Path, source: Path) -> None:
    held = state_of(lived) / "turn-7K3QX9M2ABC1.lock"
    held.touch()
    report = restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True)
    assert held.exists()
    assert not [path for folder in report.kept_beside for path in Path(folder).rglob(held.name)]


def test_two_replacements_in_one_second_keep_both(lived: Path, source: Path) -> None:
    kept = [
        folder
        for _ in range(2)
        for folder in restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True).kept_beside
    ]
    assert len(set(kept)) == 4
    assert all(os.path.isdir(folder) for folder in kept)
    check_is_the_backup(lived, source)


def test_a_dry_run_says_what_would_happen_and_changes_nothing(lived: Path, source: Path, tmp_path: Path) -> None:
    before = everything(lived)
    report = restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True, dry_run=True)
    assert everything(lived) == before
    assert report.dry_run
    assert len(report.kept_beside) == 2
    assert not any(os.path.exists(folder) for folder in report.kept_beside)
    fresh = restore_backup(agent_in(tmp_path / "fresh"), str(source / "one.tar.gz"), dry_run=True)
    assert (fresh.files, fresh.kept_beside) == (report.files, ())
    assert not (tmp_path / "fresh").exists()


def test_an_agent_that_somebody_has_open_is_left_alone(
    lived: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everself.operations.backup.restore._PATIENCE", 0.05)
    with agent_in(lived) as other:
        assert other.state.ledger_head().seq == 3
        documents = tree(workspace_of(lived))
        with pytest.raises(StoreBusy):
            restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True)
        with pytest.raises(WrongUse):
            restore_backup(other, str(source / "one.tar.gz"), replace=True)
        assert tree(workspace_of(lived)) == documents
        assert find_leftovers(other.agent) == ()


def test_a_damaged_database_does_not_keep_anyone_from_restoring(lived: Path, source: Path) -> None:
    database = state_of(lived) / "state.db"
    database.write_bytes(b"no database at all, " * 500)
    report = restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True)
    check_is_the_backup(lived, source)
    assert (Path(report.kept_beside[1]) / "state.db").read_bytes().startswith(b"no database")


def test_an_empty_folder_is_no_agent(source: Path, tmp_path: Path) -> None:
    workspace_of(tmp_path).mkdir(parents=True)
    assert restore_backup(agent_in(tmp_path), str(source / "one.tar.gz")).kept_beside == ()
    check_is_the_backup(tmp_path, source)


def notices(report: RestoreReport) -> str:
    return " ".join(report.notices)


def test_what_can_be_said_of_the_ledger_depends_on_the_key(source: Path, tmp_path: Path) -> None:
    assert "has no integrity key" in notices(
        restore_backup(agent_in(tmp_path / "none"), str(source / "keyless.tar.gz"))
    )
    make_agent(tmp_path / "other")
    own = (tmp_path / "other/.config/everself/integrity.key").read_bytes()
    report = restore_backup(agent_in(tmp_path / "other"), str(source / "one.tar.gz"), replace=True)
    assert "another integrity key" in notices(report)
    assert (tmp_path / "other/.config/everself/integrity.key").read_bytes() == own
    given = restore_backup(agent_in(tmp_path / "given"), str(source / "one.tar.gz"))
    assert given.notices == ()
    key = ".config/everself/integrity.key"
    assert (tmp_path / "given" / key).read_bytes() == (source / "old" / key).read_bytes()


class Stop(BaseException):
    """The process ends here, as if killed."""


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("n", SOME)
def test_a_restore_cut_short_among_its_renames_is_completed_by_the_next_start(
    lived: Path, source: Path, monkeypatch: pytest.MonkeyPatch, n: int, again: bool
) -> None:
    app = agent_in(lived)
    cut_at_rename(monkeypatch, n)
    with pytest.raises(Stop):
        restore_backup(app, str(source / "one.tar.gz"), replace=True)
    if again:
        cut_at_rename(monkeypatch, 1)
        if n < RENAMES:
            with pytest.raises(Stop):
                finish_restore(app.agent)
    monkeypatch.undo()
    assert finish_restore(app.agent)
    assert not finish_restore(app.agent)
    check_is_the_backup(lived, source)
    assert len(list((lived / ".everself").rglob("*.before-restore-*"))) == 2


def cut_at_rename(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """Die right after the n-th rename."""
    monkeypatch.undo()
    real, count = moves._rename, 0

    def rename(*arguments: object) -> None:
        nonlocal count
        real(*arguments)  # type: ignore[arg-type] # what it is called with
        count += 1
        if count == n:
            raise Stop

    monkeypatch.setattr(moves, "_rename", rename)


@pytest.mark.parametrize("n", SOME)
def test_a_rename_that_fails_is_taken_back_with_all_before_it(
    lived: Path, source: Path, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    before = everything(lived)
    real, count = moves._rename, 0

    def rename(*arguments: object) -> None:
        nonlocal count
        count += 1
        if count == n:
            raise OSError(errno.EBUSY, "busy")
        real(*arguments)  # type: ignore[arg-type] # what it is called with

    monkeypatch.setattr(moves, "_rename", rename)
    with pytest.raises(DiskError):
        restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True)
    monkeypatch.undo()
    assert everything(lived) == before
    assert not finish_restore(agent_in(lived).agent)


def test_what_a_restore_left_before_it_moved_anything_can_go(
    lived: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = agent_in(lived)
    before = everything(lived)

    def stop(*_: object) -> None:
        raise Stop

    monkeypatch.setattr("everself.operations.backup.restore.sync_folder", stop)
    monkeypatch.setattr("everself.operations.backup.restore.remove_staging", lambda *_: None)
    with pytest.raises(Stop):
        restore_backup(app, str(source / "one.tar.gz"), replace=True)
    monkeypatch.undo()
    assert not finish_restore(app.agent)
    left = find_leftovers(app.agent)
    assert len(left) == 2
    assert discard_leftovers(app.agent) == left
    assert everything(lived) == before
    assert discard_leftovers(app.agent) == ()


@pytest.mark.parametrize("n", [0, 3, 40])
def test_a_disk_that_fills_up_leaves_everything_as_it_was(
    lived: Path, source: Path, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    before = everything(lived)
    count = 0

    def write_all(*_: object) -> None:
        nonlocal count
        count += 1
        if count > n:
            raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("everself.operations.backup.restore.write_all", write_all)
    with pytest.raises(DiskFull):
        restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True)
    assert everything(lived) == before


def test_a_disk_without_room_is_noticed_before_anything_is_unpacked(
    lived: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = os.statvfs_result((4096, 4096, 10, 2, 2, 10, 10, 10, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _: found)
    before = everything(lived)
    with pytest.raises(DiskFull):
        restore_backup(agent_in(lived), str(source / "one.tar.gz"), replace=True)
    assert everything(lived) == before


def test_progress_goes_forward_to_the_end(source: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    restore_backup(
        agent_in(tmp_path), str(source / "one.tar.gz"), progress=lambda done, total: told.append((done, total))
    )
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


def test_a_backup_goes_to_another_agent_with_a_word_about_it(source: Path, tmp_path: Path) -> None:
    home = tmp_path / ".everself"
    home.mkdir()
    (home / "everself.json5").write_text('{agents: {list: [{id: "main"}, {id: "nova"}]}}')
    app = agent_in(tmp_path)
    nova = type(app)(app.places, app.loaded, app.loaded.config.agent("nova"))
    report = restore_backup(nova, str(source / "one.tar.gz"))
    assert "agent main" in notices(report)
    assert tree(Path(report.workspace)) == tree(workspace_of(source / "old"))
