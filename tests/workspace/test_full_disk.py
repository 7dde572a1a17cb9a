"""A disk that is full: it still makes files and does not fill them. Whatever was there stays, and a command keeps its word."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from everself.errors import DiskFull, Unfinished
from everself.storage import writes
from everself.storage.filesystem import TEMPORARY_PREFIX, FileSystem
from everself.storage.journal import FOLDER, Intent, Journal, Step, parse_intent, render_intent
from everself.storage.real_disk import RESERVE, RealFileSystem
from everself.storage.simulated_disk import SimulatedDisk
from everself.storage.state.database import State
from everself.testing.faulty_disk import MeddledFileSystem
from everself.testing.workspaces import Bench, real_workspace
from everself.values import Applied, Author, Change, Remove, Replace, digest
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.execution import carry_out, take_back, temporary

OLD, NEW = b"# Memory\n\n- one\n- two\n", b"# Memory\n\n- one\n- two\n- three\n"
QUIET = WorkspaceOptions(background=False)


class Fullness:
    """From now on nothing can be written into the workspace, and nothing is reserved. Only names can be made, changed and removed."""

    def __init__(self) -> None:
        self.full = False

    def __call__(self, call: str, path: str) -> None:
        if self.full and call == "write":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


@pytest.fixture
def fullness() -> Fullness:
    return Fullness()


@pytest.fixture
def bench(tmp_path: Path, fullness: Fullness) -> Iterator[Bench]:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "MEMORY.md").write_bytes(OLD)
    with real_workspace(str(tmp_path), QUIET, wrap=lambda files: MeddledFileSystem(files, fullness)) as made:
        yield made


def replacing() -> Change:
    return Change(Author.OWNER, "three", (Replace("MEMORY.md", digest(OLD), 0, len(OLD), NEW),))


def fail_to_record(fullness: Fullness, monkeypatch: pytest.MonkeyPatch) -> None:
    def record_change(*_: object, **__: object) -> bool:
        fullness.full = True
        raise DiskFull("state.db could not grow.")

    monkeypatch.setattr(State, "record_change", record_change)


def documents(bench: Bench) -> dict[str, bytes]:
    return {one.path: bench.storage.documents.read(one.path) for one in bench.storage.documents.list("")}


@pytest.mark.parametrize(
    "change", [replacing, lambda: Change(Author.OWNER, "gone", (Remove("MEMORY.md", digest(OLD)),))]
)
def test_a_document_is_not_emptied_where_neither_the_record_nor_the_way_back_can_be_written(
    bench: Bench, fullness: Fullness, monkeypatch: pytest.MonkeyPatch, change: Callable[[], Change]
) -> None:
    with monkeypatch.context() as patch:
        fail_to_record(fullness, patch)
        with pytest.raises(DiskFull):
            bench.workspace.apply(change())
    # the next start, while it is still full, and once there is room
    with pytest.raises(DiskFull):
        bench.workspace.recover()
    fullness.full = False
    bench.workspace.recover()
    assert documents(bench) == {"MEMORY.md": OLD}
    assert bench.workspace.changes() == []


@pytest.mark.parametrize("torn", [b"", OLD[:7], b"\0" * 9])
@pytest.mark.parametrize("ending", [".abort", ".intent"])
def test_a_torn_temporary_file_of_an_earlier_version_is_no_persons_text(
    bench: Bench, tmp_path: Path, torn: bytes, ending: str
) -> None:
    intent = Intent(
        "7K3QX9M2ABCD",
        "2026-03-19T09:00:00+00:00",
        Author.OWNER,
        "three",
        (),
        "",
        (Step("MEMORY.md", digest(OLD), OLD, NEW),),
        staged=False,
    )
    filed = Journal(bench.storage.state).begin(intent)
    if ending == ".abort":
        Journal(bench.storage.state).abort(filed)
    (tmp_path / "workspace" / "MEMORY.md").write_bytes(NEW)
    (tmp_path / "workspace" / temporary(intent, 0)).write_bytes(torn)
    bench.workspace.recover()
    assert documents(bench) == {"MEMORY.md": OLD if ending == ".abort" else NEW}


def test_an_intent_of_an_earlier_version_is_read_as_not_staged() -> None:
    intent = Intent("7K3QX9M2ABCD", "2026-03-19T09:00:00+00:00", Author.OWNER, "x", (), "", ())
    assert parse_intent(render_intent(intent)) == intent
    with pytest.MonkeyPatch.context() as patch:
        real = __import__("json").dumps
        patch.setattr("json.dumps", lambda head: real({name: head[name] for name in head if name != "staged"}))
        assert parse_intent(render_intent(intent)).staged is False


def test_a_disk_without_room_for_the_way_back_is_refused_before_anything_is_written(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reserve(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(RealFileSystem, "reserve", reserve)
        with pytest.raises(DiskFull, match="unchanged"):
            bench.workspace.apply(replacing())
    assert documents(bench) == {"MEMORY.md": OLD}
    assert bench.storage.state.stat(FOLDER) is None


def test_room_is_reserved_for_the_way_back_and_for_the_record_and_released(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []
    real = RealFileSystem.reserve

    def reserve(self: RealFileSystem, size: int) -> object:
        made = real(self, size)
        held.append(made._descriptor)
        assert os.fstat(made._descriptor).st_blocks * 512 >= size >= len(OLD)
        return made

    monkeypatch.setattr(RealFileSystem, "reserve", reserve)
    assert isinstance(bench.workspace.apply(replacing()), Applied)
    assert len(held) == 2
    for descriptor in held:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_room_is_reserved_where_there_are_no_files_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE")
    monkeypatch.delattr(os, "posix_fallocate")
    (tmp_path / RESERVE).write_bytes(b"left by a process that died here")
    made = RealFileSystem(str(tmp_path)).reserve(100_000)
    assert os.fstat(made._descriptor).st_size == 100_000
    assert list(tmp_path.iterdir()) == []
    made.release()
    made.release()


def test_a_record_that_failed_and_stands_all_the_same_is_no_failure(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = State.record_change

    def record_change(self: State, *given: object, **named: object) -> bool:
        real(self, *given, **named)  # type: ignore[arg-type] # handed on as it came
        raise DiskFull("the answer was lost")

    monkeypatch.setattr(State, "record_change", record_change)
    outcome = bench.workspace.apply(replacing())
    assert isinstance(outcome, Applied)
    assert bench.workspace.acknowledged == [outcome.id]
    assert documents(bench) == {"MEMORY.md": NEW}


def test_what_can_be_neither_undone_nor_looked_up_is_told_as_unfinished(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> bool:
        raise DiskFull("state.db could not be read.")

    with monkeypatch.context() as patch:
        patch.setattr(State, "record_change", fail)
        patch.setattr(State, "has_change", fail)
        with pytest.raises(Unfinished, match="next start"):
            bench.workspace.apply(replacing())
    bench.workspace.recover()
    assert documents(bench) == {"MEMORY.md": NEW}


def step_of(intent: Intent) -> str:
    return temporary(intent, 0)


@pytest.mark.parametrize("undone", [False, True])
@pytest.mark.parametrize("now", [OLD, NEW, b"# Memory\n\n- one\n- two\n- of mine, later\n"])
def test_what_a_person_wrote_is_kept_wherever_a_crash_left_it(undone: bool, now: bytes) -> None:
    files: FileSystem = SimulatedDisk().root("w")
    intent = Intent(
        "7K3QX9M2ABCD",
        "2026-03-19T09:00:00+00:00",
        Author.OWNER,
        "three",
        (),
        "",
        (Step("MEMORY.md", digest(OLD), OLD, NEW),),
    )
    writes.write_new(files, "MEMORY.md", now)
    writes.write_new(files, step_of(intent), b"# Memory\n\n- one\n- of mine\n- two\n")
    writes.write_new(files, writes.part(step_of(intent)), b"# Mem")
    if undone:
        take_back(files, intent)
    else:
        carry_out(files, intent, again=True)
    text = files.read("MEMORY.md")
    assert text.count(b"- of mine\n") == 1
    assert text.count(b"- three") == (not undone)
    assert (b"later" in text) == (b"later" in now)
    assert [one.path for one in files.list("") if TEMPORARY_PREFIX in one.path] == []
