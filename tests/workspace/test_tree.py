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


def test_names_tell_what_came_went_or_was_replaced_but_no_edit(tmp_path: Path) -> None:
    tree = make(tmp_path)
    boat = tmp_path / "memory" / "topics" / "boat.md"

    def replace() -> None:
        other = tmp_path / "memory" / "other.md"
        other.write_text("two")
        other.rename(boat)

    def swap() -> None:
        """Two files take each other's names: neither is new and neither is gone."""
        boat.rename(tmp_path / "memory" / "held")
        (tmp_path / "MEMORY.md").rename(boat)
        (tmp_path / "memory" / "held").rename(tmp_path / "MEMORY.md")

    steps = (
        lambda: (tmp_path / "memory" / "new.md").write_text(""),
        lambda: (tmp_path / "memory" / "new.md").rename(tmp_path / "new.md"),
        (tmp_path / "new.md").unlink,
        replace,
        swap,
        (tmp_path / "projects").mkdir,
        (tmp_path / "projects").rmdir,
        boat.unlink,
        (tmp_path / "memory" / "topics").rmdir,
    )
    for number, step in enumerate(steps):
        listed = tree.list()
        assert tree.is_named_as(listed)
        step()
        assert not tree.is_named_as(listed), number
    listed = tree.list()
    (tmp_path / "MEMORY.md").write_text("an edit within a file")
    assert tree.is_named_as(listed)
    # another listing, or one of a part, proves nothing
    assert not tree.is_named_as(list(listed))
    assert not tree.is_named_as(tree.list("memory"))


def test_a_folder_that_changes_while_it_is_listed_is_not_taken_for_the_same(tmp_path: Path) -> None:
    make(tmp_path)
    files = RealFileSystem(str(tmp_path / "memory"), remembers=True)
    for number in range(3):
        (tmp_path / "memory" / f"{number}.md").write_text("x")
    first = files.list("")
    assert files.list("") is first
    (tmp_path / "memory" / "1.md").write_text("y")
    assert [one.path for one in files.list("")] == ["0.md", "1.md", "2.md", "topics"]
    (tmp_path / "memory" / "1.md").unlink()
    assert [one.path for one in files.list("")] == ["0.md", "2.md", "topics"]


def test_a_file_system_that_keeps_nothing_tells_new_values(tmp_path: Path) -> None:
    make(tmp_path)
    files = RealFileSystem(str(tmp_path))
    assert files.list("") == files.list("")
    assert files.list("") is not files.list("")
