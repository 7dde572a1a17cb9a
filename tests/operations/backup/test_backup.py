"""Making a backup: what is in it, what is not, and that nothing is left over when it cannot be made."""

import errno
import os
import tarfile
import threading
from pathlib import Path

import pytest
from tests.operations.backup.backup_ground import ODD, agent_in, make_agent, modes, tree
from tests.operations.changes import Changes

from everself.clock import monotonic
from everself.errors import DiskFull, EverselfError, NoPermission, NotFound, RefusedByRule
from everself.operations.backup.check import verify
from everself.operations.backup.create import default_name, make_backup
from everself.operations.backup.restore import restore_backup
from everself.operations.setup import set_up
from everself.storage.real_disk import RealFileSystem, RealHandle
from everself.values import Append, Author, Change

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


def test_what_is_restored_is_what_was_there_byte_for_byte_and_private(tmp_path: Path) -> None:
    workspace = make_agent(tmp_path / "old")
    archive = tmp_path / "one.tar.gz"
    before = os.umask(0)
    try:
        with agent_in(tmp_path / "old") as app:
            report = make_backup(app, str(archive), with_key=True)
        restored = agent_in(tmp_path / "new")
        done = restore_backup(restored, str(archive))
    finally:
        os.umask(before)
    assert report.left_out == report.notices == done.notices == done.kept_beside == ()
    assert report.files == done.files == sum(data is not None for data in tree(workspace).values())
    assert report.bytes == archive.stat().st_size
    assert tree(Path(done.workspace)) == tree(workspace)
    assert archive.stat().st_mode & 0o777 == 0o600
    assert modes(tmp_path / "new") == {("folder", 0o700), ("file", 0o600), ("file", 0o700)}
    assert os.access(f"{done.workspace}/.git/hook", os.X_OK)
    with restored:
        assert [record.reason for record in Changes(restored.workspace).log()] == ["tea", "setup"]
        assert "+- likes tea" in Changes(restored.workspace).show("last").diff
        assert restored.state.verify_ledger().ok


def test_any_tar_reads_it_and_the_key_is_only_in_it_when_asked_for(tmp_path: Path) -> None:
    workspace = make_agent(tmp_path / "old")
    with agent_in(tmp_path / "old") as app:
        plain = make_backup(app, str(tmp_path / "plain.tar.gz"))
        keyed = make_backup(app, str(tmp_path / "keyed.tar.gz"), with_key=True)
    with tarfile.open(plain.path) as archive:
        names = archive.getnames()
        for name, data in ODD.items():
            member = archive.extractfile(f"workspace/{name}")
            assert member is not None
            assert member.read() == data == (workspace / name).read_bytes()
    assert names[0] == "manifest.json"
    assert not [name for name in names if "key" in name or "journal" in name or "lock" in name or "index" in name]
    with tarfile.open(keyed.path) as archive:
        assert set(archive.getnames()) - set(names) == {"keys/integrity.key"}


def test_links_pipes_and_names_that_cannot_be_restored_are_left_out_and_named(tmp_path: Path) -> None:
    workspace = make_agent(tmp_path / "old")
    (workspace / "link.md").symlink_to("/etc/hostname")
    (workspace / "folder-link").symlink_to("/etc")
    os.mkfifo(workspace / "pipe.md")
    os.link(workspace / "SOUL.md", tmp_path / "second")
    (workspace / "ends in a space ").write_bytes(b"x")
    (workspace / ".everself-ABC-0").write_bytes(b"a temporary of ours")
    with agent_in(tmp_path / "old") as app:
        report = make_backup(app, str(tmp_path / "one.tar.gz"))
    assert {one.path for one in report.left_out} == {"link.md", "folder-link", "pipe.md", "SOUL.md", "ends in a space "}
    assert all(one.reason for one in report.left_out)
    with tarfile.open(report.path) as archive:
        assert not [name for name in archive.getnames() if ".everself-" in name or "hostname" in name]


def test_a_change_that_a_dead_process_left_half_done_is_completed_first(tmp_path: Path) -> None:
    make_agent(tmp_path / "old")
    with agent_in(tmp_path / "old") as app:
        app.workspace.close()
        stop = pytest.MonkeyPatch()
        stop.setattr("everself.workspace.disk_workspace.carry_out", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            app.workspace.apply(Change(Author.OWNER, "milk", (Append("MEMORY.md", b"- and milk\n"),)))
        stop.undo()
        make_backup(app, str(tmp_path / "one.tar.gz"), with_key=True)
    restored = agent_in(tmp_path / "new")
    report = restore_backup(restored, str(tmp_path / "one.tar.gz"))
    assert (Path(report.workspace) / "MEMORY.md").read_bytes().endswith(b"- likes tea\n- and milk\n")
    assert not (Path(report.state) / "journal").exists()
    with restored:
        assert Changes(restored.workspace).show("last").record.reason == "milk"


def test_a_folder_gets_the_usual_name_and_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    make_agent(tmp_path / "old")
    out = tmp_path / "out"
    out.mkdir()
    with agent_in(tmp_path / "old") as app:
        name = default_name(app)
        assert name.startswith("everself-main-2")
        report = make_backup(app, str(out))
        assert Path(report.path).parent == out
        assert Path(report.path).name.startswith("everself-main-2")
        data = Path(report.path).read_bytes()
        with pytest.raises(RefusedByRule):
            make_backup(app, report.path)
    assert Path(report.path).read_bytes() == data
    assert os.listdir(out) == [Path(report.path).name]


def test_it_is_not_put_into_what_it_saves_nor_where_there_is_no_folder(tmp_path: Path) -> None:
    workspace = make_agent(tmp_path / "old")
    (tmp_path / "by-link").symlink_to(workspace)
    with agent_in(tmp_path / "old") as app:
        for target in (
            workspace / "memory/x.tar.gz",
            tmp_path / "by-link/x.tar.gz",
            Path(app.agent.state) / "x.tar.gz",
        ):
            with pytest.raises(RefusedByRule):
                make_backup(app, str(target))
        with pytest.raises(NotFound):
            make_backup(app, str(tmp_path / "nowhere/x.tar.gz"))


@pytest.mark.parametrize("n", [1, 2, 9, 30])
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    make_agent(tmp_path / "old")
    out = tmp_path / "out"
    out.mkdir()
    real, calls = RealHandle.write, 0

    def write(handle: RealHandle, data: bytes) -> int:
        nonlocal calls
        if "backup-" in handle.stat().path:
            calls += 1
            if calls >= n:
                raise OSError(errno.ENOSPC, "full")
        return real(handle, data)

    with agent_in(tmp_path / "old") as app:
        app.workspace.close()
        monkeypatch.setattr(RealHandle, "write", write)
        state = set(os.listdir(app.agent.state))
        with pytest.raises(DiskFull):
            make_backup(app, str(out / "one.tar.gz"))
        monkeypatch.undo()
        assert os.listdir(out) == []
        assert set(os.listdir(app.agent.state)) <= state | {"backup.lock"}
        assert verify(make_backup(app, str(out / "one.tar.gz")).path).files


def test_a_folder_that_may_not_be_written_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_agent(tmp_path / "old")
    with agent_in(tmp_path / "old") as app:
        app.workspace.close()

        def create(*_: object) -> None:
            raise PermissionError(errno.EACCES, "no")

        monkeypatch.setattr(RealFileSystem, "create", create)
        with pytest.raises(NoPermission):
            make_backup(app, str(tmp_path / "one.tar.gz"))


def test_what_a_killed_backup_left_is_gone_after_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_agent(tmp_path / "old")
    out = tmp_path / "out"
    out.mkdir()
    with agent_in(tmp_path / "old") as app:
        # a killed process sweeps nothing
        monkeypatch.setattr("everself.operations.backup.create._sweep", lambda *_: None)
        monkeypatch.setattr(
            "everself.operations.backup.create.verify", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        with pytest.raises(KeyboardInterrupt):
            make_backup(app, str(out / "one.tar.gz"))
        monkeypatch.undo()
        assert len(os.listdir(out)) == 2
        make_backup(app, str(out / "one.tar.gz"))
        assert os.listdir(out) == ["one.tar.gz"]
        assert not [name for name in os.listdir(app.agent.state) if name.startswith(".everself-")]


def test_a_document_saved_while_it_is_copied_is_in_it_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = make_agent(tmp_path / "old")
    (workspace / "notes.md").write_bytes(b"a" * 5000)
    real, saved = RealFileSystem.read, 0

    def read(files: RealFileSystem, path: str, start: int = 0, limit: int = 1 << 24) -> bytes:
        nonlocal saved
        data = real(files, path, start, limit)
        if path == "notes.md" and saved < 3:
            saved += 1
            (workspace / "notes.md").write_bytes(b"bcd"[saved - 1 : saved] * (5000 + saved))
        return data

    with agent_in(tmp_path / "old") as app:
        monkeypatch.setattr(RealFileSystem, "read", read)
        report = make_backup(app, str(tmp_path / "one.tar.gz"))
    monkeypatch.undo()
    assert saved == 3
    assert report.notices == ()
    with tarfile.open(report.path) as archive:
        member = archive.extractfile("workspace/notes.md")
        assert member is not None
        assert member.read() == b"d" * 5003


def test_progress_goes_forward_to_the_end(tmp_path: Path) -> None:
    make_agent(tmp_path / "old")
    told: list[tuple[int, int]] = []
    with agent_in(tmp_path / "old") as app:
        report = make_backup(app, str(tmp_path / "one.tar.gz"), progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] == verify(report.path).bytes


@pytest.mark.slow
def test_a_large_workspace_holds_writers_up_only_briefly(tmp_path: Path) -> None:
    """Prints how long the slowest of the changes took that were made meanwhile."""
    with agent_in(tmp_path / "old") as app:
        set_up(app)
        workspace = Path(app.agent.workspace)
        for number in range(400):
            (workspace / f"memory/{number:04}.md").write_bytes(os.urandom(19_000).hex().encode())
        pauses: list[float] = []
        begun, done = threading.Event(), threading.Event()

        def write() -> None:
            with agent_in(tmp_path / "old") as other:
                while not done.wait(0.05):
                    start = monotonic()
                    other.workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", b"- x\n"),)))
                    pauses.append(monotonic() - start)
                    begun.set()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            assert begun.wait(300)
            start = monotonic()
            report = make_backup(app, str(tmp_path / "one.tar.gz"))
            took = monotonic() - start
        finally:
            done.set()
            writer.join()
    assert report.files >= 418
    print(
        f"backup of {report.files} files: {took:.2f} s; slowest of {len(pauses)} changes meanwhile {max(pauses):.2f} s"
    )


@pytest.mark.slow
def test_ten_thousand_files_are_saved_and_restored(tmp_path: Path) -> None:
    with agent_in(tmp_path / "old") as app:
        set_up(app)
        workspace = Path(app.agent.workspace)
        for number in range(10_000):
            (workspace / f"memory/{number:05}.md").write_bytes(b"# %d\n" % number)
        report = make_backup(app, str(tmp_path / "one.tar.gz"))
    restored = agent_in(tmp_path / "new")
    done = restore_backup(restored, report.path)
    assert tree(Path(done.workspace)) == tree(workspace)


def test_without_a_workspace_there_is_nothing_to_save(tmp_path: Path) -> None:
    with agent_in(tmp_path / "old") as app, pytest.raises(EverselfError) as caught:
        make_backup(app, str(tmp_path / "one.tar.gz"))
    assert caught.value.mend == "everself setup"
    assert os.listdir(tmp_path) == []
