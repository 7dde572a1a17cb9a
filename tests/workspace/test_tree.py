"""Listing a workspace: each file is looked at every time, and the same value is told only where none looks other than before."""

import os
from pathlib import Path

from everself.storage.real_disk import RealFileSystem
from everself.workspace._tree import Tree


def make(root: Path) -> Tree:
    (root / "memory" / "topics").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "MEMORY.md").write_text("one")
    (root / "memory" / "topics" / "boat.md").write_text("two")
    (root / ".git" / "hidden.md").write_text("three")
    return Tree(RealFileSystem(str(root), remembers=True))


def paths(tree: Tree, under: str = "") -> list[str]:
    return [one.path for one in tree.list(under)]


def test_nothing_new_is_the_same_value(tmp_path: Path) -> None:
    tree = make(tmp_path)
    assert paths(tree) == ["MEMORY.md", "memory/topics/boat.md"]
    assert tree.list() is tree.list()
    assert tree.list("memory") is tree.list("memory")
    assert [one.path for one in tree.walk()] == ["MEMORY.md", "memory", "memory/topics", "memory/topics/boat.md"]


def test_each_change_makes_another_value(tmp_path: Path) -> None:
    tree = make(tmp_path)
    core = tmp_path / "MEMORY.md"

    def save_again() -> None:
        """The same size and the same time of writing: only the time of the inode differs."""
        was = core.stat()
        core.write_text("eno")
        os.utime(core, ns=(was.st_atime_ns, was.st_mtime_ns))

    steps = (
        save_again,
        lambda: core.chmod(0o600),
        lambda: (tmp_path / "memory" / "topics" / "boat.md").write_text("longer"),
        lambda: (tmp_path / "memory" / "new.md").write_text(""),
        lambda: (tmp_path / "memory" / "new.md").rename(tmp_path / "memory" / "other.md"),
        (tmp_path / "memory" / "other.md").unlink,
        lambda: os.link(core, tmp_path.parent / f"{tmp_path.name}-second-name"),
    )
    for number, step in enumerate(steps):
        before = tree.list()
        step()
        assert tree.list() is not before, number
    assert paths(tree) == ["MEMORY.md", "memory/topics/boat.md"]
    assert next(one for one in tree.list() if one.path == "MEMORY.md").links == 2


def test_a_file_system_that_keeps_nothing_tells_new_values(tmp_path: Path) -> None:
    make(tmp_path)
    files = RealFileSystem(str(tmp_path))
    assert files.list("") == files.list("")
    assert files.list("") is not files.list("")
