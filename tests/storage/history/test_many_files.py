"""A commit of very many documents costs what they are, not what their folders are times as many."""

import itertools
from pathlib import Path

import pytest

from everself.storage.history.commits import CommitNote, History
from everself.storage.real_disk import RealFileSystem
from everself.testing.frozen_time import MOMENT
from everself.testing.workspaces import real_workspace
from everself.values import FileChange

NOTE = CommitNote("owner", "a change\n", MOMENT)
MANY = 60


def objects(folder: Path) -> int:
    return sum(1 for one in (folder / "history.git/objects").glob("??/*") if one.is_file())


def test_each_folder_is_made_once_in_a_commit(tmp_path: Path) -> None:
    history = History(RealFileSystem(str(tmp_path)))
    history.commit([FileChange(f"memory/{i}.md", None, f"day {i}\n".encode()) for i in range(MANY)], NOTE)
    # one for each document, the folder, the top, the commit
    assert objects(tmp_path) == MANY + 3
    assert len(history.paths()) == MANY
    history.commit([FileChange(f"memory/{i}.md", f"day {i}\n".encode(), None) for i in range(1, MANY)], NOTE)
    assert objects(tmp_path) == MANY + 6
    assert history.paths().keys() == {"memory/0.md"}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_folder_may_become_a_file_in_any_order(tmp_path: Path, order: tuple[int, ...]) -> None:
    history = History(RealFileSystem(str(tmp_path)))
    before = [FileChange("a/b.md", None, b"1"), FileChange("a/c.md", None, b"2"), FileChange("d", None, b"3")]
    history.commit(before, NOTE)
    changes = (FileChange("a/b.md", b"1", None), FileChange("a/c.md", b"2", None), FileChange("a", None, b"4"))
    history.commit([changes[i] for i in order], NOTE)
    assert history.paths().keys() == {"a", "d"}
    assert history.content("a") == b"4"


def test_a_name_that_is_no_document_takes_no_folder_away(tmp_path: Path) -> None:
    history = History(RealFileSystem(str(tmp_path)))
    history.commit([FileChange("a/b.md", None, b"1"), FileChange("c", None, b"2")], NOTE)
    history.commit([FileChange("a", None, None), FileChange("c/d.md", None, None)], NOTE)
    assert history.paths().keys() == {"a/b.md", "c"}


def test_what_did_not_change_outside_is_not_looked_up_in_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    content = History.content

    def counted(self: History, path: str, commit: str | None = None) -> bytes | None:
        asked.append(path)
        return content(self, path, commit)

    monkeypatch.setattr(History, "content", counted)
    with real_workspace(str(tmp_path)) as bench:
        folder = tmp_path / "workspace" / "memory"
        folder.mkdir(parents=True)
        for i in range(MANY):
            (folder / f"{i}.md").write_text(f"day {i}\n")
        assert len(bench.workspace.note_outside()) == MANY
        (folder / "7.md").write_text("another day\n")
        assert bench.workspace.note_outside() == ["memory/7.md"]
    assert asked == ["memory/7.md"]
