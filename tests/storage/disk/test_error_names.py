"""An error of the file system names the file it is about, by its whole path in the workspace."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from everself.errors import DiskFull, EverselfError, NoPermission, NotFound, UnsafePath
from everself.storage.filesystem import FileSystem, disk_errors
from everself.storage.real_disk import RealFileSystem
from everself.testing.workspaces import real_workspace
from everself.values import Append, Author, Change

LINKED = "memory/linked/x.md"
CALLS: dict[str, Callable[[FileSystem, str], object]] = {
    "stat": lambda files, path: files.stat(path),
    "list": lambda files, path: files.list(path),
    "read": lambda files, path: files.read(path),
    "create": lambda files, path: files.create(path),
    "open_append": lambda files, path: files.open_append(path),
    "rename from": lambda files, path: files.rename(path, "free.md"),
    "rename to": lambda files, path: files.rename("memory/there.md", path),
    "publish from": lambda files, path: files.publish(path, "free.md"),
    "publish to": lambda files, path: files.publish("memory/there.md", path),
    "exchange one": lambda files, path: files.exchange(path, "memory/there.md"),
    "exchange other": lambda files, path: files.exchange("memory/there.md", path),
    "unlink": lambda files, path: files.unlink(path),
    "make_directory": lambda files, path: files.make_directory(path),
    "remove_directory": lambda files, path: files.remove_directory(path),
    "sync_directory": lambda files, path: files.sync_directory(path),
    "set_mode": lambda files, path: files.set_mode(path, 0o600),
}


@pytest.fixture(params=["openat2", "walk"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> RealFileSystem:
    (tmp_path / "outside").mkdir()
    (tmp_path / "root" / "memory").mkdir(parents=True)
    (tmp_path / "root" / "memory" / "linked").symlink_to(tmp_path / "outside")
    (tmp_path / "root" / "memory" / "there.md").write_bytes(b"there\n")
    (tmp_path / "root" / "memory" / "full").mkdir()
    (tmp_path / "root" / "memory" / "full" / "x").write_bytes(b"")
    return RealFileSystem(str(tmp_path / "root"), walk_only=request.param == "walk")


@pytest.mark.parametrize("call", CALLS)
def test_every_call_names_the_whole_path_that_passes_a_link(call: str, files: RealFileSystem) -> None:
    with pytest.raises(OSError) as raised:
        CALLS[call](files, LINKED)
    assert raised.value.filename == LINKED


@pytest.mark.parametrize(
    ("call", "path"),
    [
        ("read", "memory/gone.md"),
        ("unlink", "memory/gone.md"),
        ("rename from", "memory/gone.md"),
        ("rename to", "memory/full"),
        ("create", "memory/there.md"),
        ("make_directory", "memory/full"),
        ("remove_directory", "memory/full"),
        ("publish to", "memory/full"),
        ("list", "memory/there.md"),
        ("exchange other", "memory/there.md/x"),
    ],
)
def test_every_call_names_the_whole_path_that_is_at_fault(call: str, path: str, files: RealFileSystem) -> None:
    with pytest.raises(OSError) as raised:
        CALLS[call](files, path)
    assert raised.value.filename == path


def test_a_root_that_is_gone_is_named_itself(tmp_path: Path) -> None:
    files = RealFileSystem(str(tmp_path / "gone"))
    with pytest.raises(FileNotFoundError) as raised:
        files.read("memory/x.md")
    assert raised.value.filename == str(tmp_path / "gone")


def test_words_are_about_the_file_and_not_about_what_was_going_on(files: RealFileSystem) -> None:
    with (
        pytest.raises(UnsafePath, match=r"memory/linked/x\.md is, or passes through, a symbolic"),
        disk_errors("the workspace"),
    ):
        files.read(LINKED)


@pytest.mark.parametrize(
    ("error", "given", "kind", "words"),
    [
        (OSError(errno.ENOENT, "", "memory/x.md"), "the workspace", NotFound, "memory/x.md"),
        (OSError(errno.ENOENT, "", "/else/where"), "the workspace", NotFound, "the workspace"),
        (OSError(errno.ENOENT, "", "x.md"), "/else/x.md", NotFound, "/else/x.md"),
        (OSError(errno.ENOENT, "", 7), "the workspace", NotFound, "the workspace"),
        (OSError(errno.ENOENT, ""), "the workspace", NotFound, "the workspace"),
        (OSError(errno.ENOSPC, "", "memory/.everself-A-0"), "the workspace", DiskFull, "(memory)"),
        (OSError(errno.EACCES, "", ".everself-A-0"), "the workspace", NoPermission, "(the workspace)"),
        (OSError(errno.ELOOP, "", ".everself-A-0"), "the workspace", UnsafePath, ".everself-A-0"),
    ],
)
def test_what_an_error_is_told_about(error: OSError, given: str, kind: type[EverselfError], words: str) -> None:
    with pytest.raises(kind) as raised, disk_errors(given):
        raise error
    assert words in raised.value.detail
    assert words == given or given not in raised.value.detail or given in words


def test_a_change_that_meets_a_link_names_it(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path)) as bench:
        os.symlink(tmp_path, tmp_path / "workspace" / "notes")
        with pytest.raises(UnsafePath, match=r"notes/today\.md"):
            bench.workspace.apply(Change(Author.OWNER, "note", (Append("notes/today.md", b"x\n"),)))
        with pytest.raises(UnsafePath, match=r"notes/deep is, or passes through"):
            bench.workspace.make_folders(["notes/deep"])
