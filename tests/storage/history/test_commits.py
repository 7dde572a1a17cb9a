"""The history is an ordinary git repository: git reads it, packs it, and it still serves."""

import subprocess
from pathlib import Path

import pytest

from everself.errors import Damaged
from everself.storage.history.commits import CommitNote, History
from everself.storage.real_disk import RealFileSystem
from everself.testing.frozen_time import MOMENT
from everself.testing.workspaces import real_workspace
from everself.values import Append, Author, Change, Create, FileChange, Remove, digest

NOTE = CommitNote("owner", "a change\n", MOMENT)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", f"--git-dir={folder}/history.git", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_git_reads_what_was_committed(tmp_path: Path) -> None:
    history = History(RealFileSystem(str(tmp_path)))
    history.commit([FileChange("memory/茶.md", None, b"green\n"), FileChange("SOUL.md", None, b"me\n")], NOTE)
    history.commit([FileChange("SOUL.md", b"me\n", b"still me\n")], NOTE)
    history.publish()
    git(tmp_path, "fsck", "--strict")
    assert git(tmp_path, "show", "HEAD:SOUL.md") == "still me\n"
    assert git(tmp_path, "log", "--format=%an %s").splitlines() == ["owner a change", "owner a change"]
    assert git(tmp_path, "-c", "core.quotepath=false", "ls-tree", "-r", "--name-only", "HEAD").split() == [
        "SOUL.md",
        "memory/茶.md",
    ]


def test_a_commit_tells_what_it_changed(tmp_path: Path) -> None:
    history = History(RealFileSystem(str(tmp_path)))
    first = history.commit([FileChange("a/b/c.md", None, b"1"), FileChange("d.md", None, b"2")], NOTE)
    second = history.commit([FileChange("a/b/c.md", b"1", None), FileChange("d.md", b"2", b"3")], NOTE)
    assert history.files_of(first) == (FileChange("a/b/c.md", None, b"1"), FileChange("d.md", None, b"2"))
    assert history.files_of(second) == (FileChange("a/b/c.md", b"1", None), FileChange("d.md", b"2", b"3"))
    assert history.paths().keys() == {"d.md"}
    assert history.content("a/b/c.md", first) == b"1"
    assert history.content("a/b/c.md") is None


def test_a_file_may_become_a_folder_and_back(tmp_path: Path) -> None:
    history = History(RealFileSystem(str(tmp_path)))
    history.commit([FileChange("a", None, b"1")], NOTE)
    second = history.commit([FileChange("a", b"1", None), FileChange("a/b", None, b"2")], NOTE)
    history.publish()
    git(tmp_path, "fsck", "--strict")
    assert history.files_of(second) == (FileChange("a/b", None, b"2"), FileChange("a", b"1", None))


def test_what_was_not_published_is_abandoned(tmp_path: Path) -> None:
    history = History(RealFileSystem(str(tmp_path)))
    history.commit([FileChange("a.md", None, b"1")], NOTE)
    history.publish()
    head = history.head()
    history.commit([FileChange("a.md", b"1", b"2")], NOTE)
    history.abandon()
    assert history.head() == head


def test_a_repository_that_git_packed_still_serves(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path)) as bench:
        for line in (b"- one\n", b"- two\n"):
            bench.workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", line),)))
        bench.workspace.close()
        git(tmp_path / "state", "gc", "-q")
        git(tmp_path / "state", "pack-refs", "--all")
        assert bench.workspace.record("last")[1] == (FileChange("MEMORY.md", b"- one\n", b"- one\n- two\n"),)
        bench.workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", b"- three\n"),)))
    git(tmp_path / "state", "fsck", "--strict")
    assert git(tmp_path / "state", "show", "HEAD:MEMORY.md") == "- one\n- two\n- three\n"


def test_a_missing_object_is_damage_in_words(tmp_path: Path) -> None:
    history = History(RealFileSystem(str(tmp_path)))
    history.commit([FileChange("a.md", None, b"1")], NOTE)
    history.publish()
    for item in (tmp_path / "history.git" / "objects").rglob("*"):
        if item.is_file():
            item.unlink()
    with pytest.raises(Damaged, match="missing or cannot be read"):
        history.content("a.md")


def test_hand_edits_are_recorded_as_the_persons_own(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path)) as bench:
        bench.workspace.apply(Change(Author.AGENT, "create", (Create("MEMORY.md", b"- one\n"),)))
        bench.workspace.close()
        (tmp_path / "workspace" / "MEMORY.md").write_bytes(b"- one\n- by hand\n")
        bench.workspace.apply(Change(Author.AGENT, "append", (Append("MEMORY.md", b"- two\n"),)))
        bench.workspace.close()
    authors = git(tmp_path / "state", "log", "--format=%an").split()
    assert authors == ["agent", "hand", "agent"]
    assert git(tmp_path / "state", "show", "HEAD~1:MEMORY.md") == "- one\n- by hand\n"


def test_what_people_did_outside_is_noted_removals_included(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path)) as bench:
        bench.workspace.apply(Change(Author.OWNER, "two", (Create("A.md", b"a\n"), Create("B.md", b"b\n"))))
        (tmp_path / "workspace" / "A.md").unlink()
        (tmp_path / "workspace" / "C.md").write_bytes(b"c\n")
        assert bench.workspace.note_outside() == ["A.md", "C.md"]
        assert bench.workspace.note_outside() == []
    assert git(tmp_path / "state", "show", "HEAD~1:A.md") == "a\n"


def test_changes_of_a_second_process_stand_on_top_of_the_firsts(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path)) as one, real_workspace(str(tmp_path)) as other:
        for number in range(6):
            workspace = (one if number % 2 else other).workspace
            workspace.apply(Change(Author.OWNER, "note", (Append("MEMORY.md", f"- {number}\n".encode()),)))
            workspace.close()
    assert len(git(tmp_path / "state", "log", "--format=%H").split()) == 6
    assert git(tmp_path / "state", "show", "HEAD:MEMORY.md").count("\n") == 6


def test_a_removed_document_can_be_found_again(tmp_path: Path) -> None:
    with real_workspace(str(tmp_path)) as bench:
        bench.workspace.apply(Change(Author.OWNER, "create", (Create("A.md", b"a\n"),)))
        bench.workspace.apply(Change(Author.OWNER, "remove", (Remove("A.md", digest(b"a\n")),)))
        assert bench.workspace.record("last")[1] == (FileChange("A.md", b"a\n", None),)
