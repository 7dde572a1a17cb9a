"""A history with damaged, missing or foreign objects: writing goes on, what can be read is kept, what is gone is named."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from everself.errors import EverselfError, HistoryDamaged, NotFound
from everself.storage.damaged_files import NOTE
from everself.storage.history.repair import MendableHistory
from everself.testing.faulty_disk import CHANGES, MeddledFileSystem
from everself.testing.workspaces import Bench, real_workspace
from everself.values import Append, Applied, Author, Change, Create, FileChange
from everself.workspace.repair import Mended

pytestmark = pytest.mark.slow
LINES = ("one", "two", "three", "four")


def write(bench: Bench, line: str, path: str = "MEMORY.md") -> str:
    outcome = bench.workspace.apply(Change(Author.OWNER, f"note {line}", (Append(path, f"- {line}\n".encode()),)))
    assert isinstance(outcome, Applied)
    return outcome.id


@pytest.fixture
def changes(tmp_path: Path) -> list[str]:
    """An agent with four changes to one document, one commit each, and another document that none of them touches."""
    with real_workspace(str(tmp_path)) as bench:
        bench.workspace.apply(Change(Author.RUNTIME, "setup", (Create("SOUL.md", b"I am.\n"),)))
        made = []
        for line in LINES:
            made.append(write(bench, line))
            bench.workspace.close()
    return made


@contextmanager
def opened(top: Path) -> Iterator[Bench]:
    with real_workspace(str(top)) as bench:
        yield bench


def git(top: Path) -> Path:
    return top / "state" / "history.git"


def loose(top: Path, name: str) -> Path:
    return git(top) / "objects" / name[:2] / name[2:]


def names(top: Path, revision: str) -> str:
    command = ["git", f"--git-dir={git(top)}", "rev-parse", revision]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def fsck(top: Path) -> None:
    done = subprocess.run(
        ["git", f"--git-dir={git(top)}", "fsck", "--strict"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def remove(path: Path) -> None:
    path.unlink()


def fill(path: Path) -> None:
    path.write_bytes(b"\0" * 4096)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir(mode=0o700)


HARMS = (empty, flip, cut, remove, fill, make_folder)


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("what", ["main", "main^{tree}", "main:MEMORY.md", "main:SOUL.md"])
def test_after_damage_to_the_newest_commit_writing_goes_on_and_what_is_gone_is_named(
    tmp_path: Path, changes: list[str], harm: Callable[[Path], None], what: str
) -> None:
    harm(loose(tmp_path, names(tmp_path, what)))
    with opened(tmp_path) as bench:
        fifth = write(bench, "five")
        bench.workspace.close()
        assert bench.workspace.read("MEMORY.md").data == b"- one\n- two\n- three\n- four\n- five\n"
        bench.workspace.mend_history()
        lost = {one for mended in bench.workspace.mended for one in mended.lost}
        # a document that still holds the bytes gives a lost blob back, and a lost end of a file costs nothing
        assert lost == (set(changes[3:]) if what in ("main", "main^{tree}") and harm is not cut else set())
        for identity in (*changes, fifth):
            if identity in lost:
                with pytest.raises(NotFound, match="cannot be shown or undone"):
                    bench.workspace.record(identity)
            else:
                line = (*LINES, "five")[(*changes, fifth).index(identity)]
                (file,) = bench.workspace.record(identity)[1]
                assert (file.after or b"").removeprefix(file.before or b"") == f"- {line}\n".encode()
        history = MendableHistory(*bench.workspace._parts.history.place)
        assert not history.examine(bench.state.commits()).found
        history.close()
        assert bench.workspace.mend_history() == Mended(kept=6 - len(lost))
    fsck(tmp_path)
    moved = [path for path in (tmp_path / "state/damaged").rglob("*") if path.is_file() and path.name != NOTE]
    assert harm in (remove, make_folder) or len(moved) == 1, "what is damaged is set aside, not deleted"


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("what", ["main~2", "main~2^{tree}", "main~2:MEMORY.md"])
def test_damage_in_the_middle_costs_only_the_changes_that_touch_it(
    tmp_path: Path, changes: list[str], harm: Callable[[Path], None], what: str
) -> None:
    harm(loose(tmp_path, names(tmp_path, what)))
    with opened(tmp_path) as bench:
        if harm is not cut:
            with pytest.raises(HistoryDamaged) as raised:
                bench.workspace.record(changes[1])
            assert raised.value.mend == "everself doctor --fix"
        found = bench.workspace.mend_history()
        # the second brought it and the third changed it
        assert set(found.lost) == (set() if harm is cut else set(changes[1:3]))
        assert bench.workspace.record(changes[0])[1] == (FileChange("MEMORY.md", None, b"- one\n"),)
        assert bench.workspace.record(changes[3])[1][0].after == b"- one\n- two\n- three\n- four\n"
        write(bench, "five")
    fsck(tmp_path)


@pytest.mark.parametrize("data", [b"", b"garbage\n", b"\xff\xfe", b"0" * 40 + b"\n", None])
def test_a_lost_branch_is_found_again_by_the_ledger(tmp_path: Path, changes: list[str], data: bytes | None) -> None:
    branch = git(tmp_path) / "refs/heads/main"
    newest = branch.read_text().strip()
    branch.unlink() if data is None else branch.write_bytes(data)
    with opened(tmp_path) as bench:
        write(bench, "five")
        bench.workspace.close()
        assert [bench.workspace.record(one)[1] != () for one in changes] == [True] * 4
        assert {one for mended in bench.workspace.mended for one in mended.lost} == set()
    assert names(tmp_path, "main~1") == newest
    fsck(tmp_path)


@pytest.mark.parametrize("harm", [empty, flip, cut, remove])
@pytest.mark.parametrize("ending", ["pack", "idx"])
def test_of_a_damaged_pack_all_is_kept_that_can_be_read(
    tmp_path: Path, changes: list[str], harm: Callable[[Path], None], ending: str
) -> None:
    subprocess.run(["git", f"--git-dir={git(tmp_path)}", "gc", "-q"], check=True)
    (path,) = (git(tmp_path) / "objects/pack").glob(f"*.{ending}")
    path.chmod(0o600)
    harm(path)
    with opened(tmp_path) as bench:
        write(bench, "five")
        bench.workspace.mend_history()
        for identity in changes:
            try:
                assert bench.workspace.record(identity)[1]
            except NotFound:
                continue
        assert bench.workspace.record("last")[1][0].after == b"- one\n- two\n- three\n- four\n- five\n"
    fsck(tmp_path)


def test_another_agents_history_is_set_aside_whole(tmp_path: Path, changes: list[str]) -> None:
    other = tmp_path / "other"
    with real_workspace(str(other)) as bench:
        write(bench, "a secret of somebody else")
    git(tmp_path).rename(tmp_path / "kept")
    git(other).rename(git(tmp_path))
    with opened(tmp_path) as bench:
        fifth = write(bench, "five")
        bench.workspace.close()
        assert set(bench.workspace.mended[0].lost) > set(changes)
        assert bench.workspace.record(fifth)[1][0].after == b"- one\n- two\n- three\n- four\n- five\n"
    fsck(tmp_path)
    told = subprocess.run(
        ["git", f"--git-dir={git(tmp_path)}", "log", "-p", "--all"], capture_output=True, text=True, check=True
    )
    assert "secret" not in told.stdout


@pytest.mark.parametrize("what", ["main", "main~1", "main~2:MEMORY.md"])
def test_mending_that_dies_at_any_call_comes_out_the_same(tmp_path: Path, changes: list[str], what: str) -> None:
    flip(loose(tmp_path, names(tmp_path, what)))
    shutil.copytree(tmp_path, whole := tmp_path.parent / f"{tmp_path.name}-whole")
    with real_workspace(str(whole)) as bench:
        meant = bench.workspace.mend_history()
        shown = {one: _files(bench, one) for one in changes}
    points = 0
    for point in count(1):
        top = tmp_path.parent / f"{tmp_path.name}-{point}"
        shutil.copytree(tmp_path, top)
        died = _mend_until(top, point)
        with real_workspace(str(top)) as bench:
            found = bench.workspace.mend_history()
            assert {one: _files(bench, one) for one in changes} == shown
            assert bench.state.commits().keys() == set(bench.state.commits()) - set(meant.lost)
            assert found.lost in ((), meant.lost)
        fsck(top)
        log = ["git", f"--git-dir={git(top)}", "log", "--format=%s"]
        told = subprocess.run(log, capture_output=True, text=True, check=True).stdout.splitlines()
        assert len(told) == len(set(told)), "no commit is there twice"
        shutil.rmtree(top)
        points += 1
        if not died:
            break
    assert points > 10


def _files(bench: Bench, identity: str) -> tuple[FileChange, ...]:
    try:
        return bench.workspace.record(identity)[1]
    except NotFound:
        return ()


class Died(BaseException):
    pass


def _mend_until(top: Path, point: int) -> bool:
    """Mend, and die before the call of that number that changes something on the disk."""
    left = point

    def meddle(call: str, path: str) -> None:
        nonlocal left
        if call in CHANGES:
            left -= 1
            if left == 0:
                raise Died(path)

    try:
        with real_workspace(str(top), wrap=lambda files: MeddledFileSystem(files, meddle)) as bench:
            bench.workspace.mend_history()
    except Died:
        return True
    return False


def test_a_history_that_is_whole_is_left_as_it_is(tmp_path: Path, changes: list[str]) -> None:
    before = {path: path.read_bytes() for path in git(tmp_path).rglob("*") if path.is_file()}
    with opened(tmp_path) as bench:
        assert bench.workspace.mend_history() == Mended(kept=5)
        assert len(changes) == 4
    assert {path: path.read_bytes() for path in git(tmp_path).rglob("*") if path.is_file()} == before
    assert not (tmp_path / "state/damaged").exists()


def test_a_history_that_cannot_be_mended_loses_nothing_that_was_acknowledged(
    tmp_path: Path, changes: list[str]
) -> None:
    empty(loose(tmp_path, names(tmp_path, "main")))
    (tmp_path / "state/damaged").write_bytes(b"in the way")
    with opened(tmp_path) as bench:
        write(bench, "five")
        with pytest.raises(EverselfError):
            bench.workspace.close()
        (tmp_path / "state/damaged").unlink()
    with opened(tmp_path) as bench:
        assert len(bench.workspace.changes()) == len(changes) + 2
        bench.workspace.close()
        assert bench.workspace.record("last")[1][0].after == b"- one\n- two\n- three\n- four\n- five\n"
