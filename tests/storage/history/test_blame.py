"""When a line was written, by a repository of the person's own: real commits, made with dulwich."""

from datetime import date
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.repo import Repo

from everself.storage.history.blame import line_days

DAY = 86_400
NEW_YEAR = 1_767_225_600  # 2026-01-01 00:00 UTC


class Notes:
    def __init__(self, top: Path) -> None:
        self.top = top
        self.repo = Repo.init(str(top))

    def commit(self, day: int, zone: int = 0, **files: str) -> None:
        for name, text in files.items():
            (self.top / f"{name}.md").write_text(text)
        porcelain.add(self.repo, [str(path) for path in self.top.glob("*.md")])
        for path in list(self.repo.open_index()):
            if not (self.top / path.decode()).exists():
                porcelain.remove(self.repo, [str(self.top / path.decode())])
        at = NEW_YEAR + day * DAY
        self.repo.get_worktree().commit(
            message=b"x",
            committer=b"A <a@example.org>",
            author=b"A <a@example.org>",
            commit_timestamp=at,
            author_timestamp=at,
            commit_timezone=zone,
            author_timezone=zone,
        )

    def days(self, name: str = "MEMORY", **options: int) -> list[str]:
        path = f"{name}.md"
        found = line_days(str(self.top), {path: (self.top / path).read_bytes()}, **options)
        return [str(day) for day in found[path]]


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path)


def test_each_line_is_as_old_as_the_commit_that_brought_it(notes: Notes) -> None:
    notes.commit(0, MEMORY="- tea\n- Oslo\n")
    notes.commit(10, MEMORY="- tea\n- Bergen\n", TOOLS="x\n")
    notes.commit(20, MEMORY="- tea\n- Bergen\n- cat\n")
    (notes.top / "MEMORY.md").write_text("- tea\n- Bergen\n- cat\n- never committed")
    assert notes.days() == ["2026-01-01", "2026-01-11", "2026-01-21", "None"]


def test_a_document_that_was_renamed_keeps_its_days(notes: Notes) -> None:
    notes.commit(0, OLD="- tea\n- Oslo")
    (notes.top / "OLD.md").rename(notes.top / "MEMORY.md")
    notes.commit(5)
    assert notes.days() == ["2026-01-01", "2026-01-01"]


def test_the_day_is_that_of_the_writers_calendar(notes: Notes) -> None:
    notes.commit(0, zone=-3600, MEMORY="- tea")
    assert notes.days() == ["2025-12-31"]


def test_beyond_what_is_looked_at_it_is_unknown(notes: Notes) -> None:
    for day in range(4):
        notes.commit(day, MEMORY="".join(f"- line {number}\n" for number in range(day + 1)) + "end")
    assert notes.days(commits=2) == ["None", "None", "None", "2026-01-04", "None"]


def test_where_the_past_was_cut_off_the_oldest_commit_dates_nothing(notes: Notes) -> None:
    notes.commit(0, MEMORY="- tea")
    first = notes.repo.head()
    notes.commit(5, MEMORY="- tea\n- cat")
    path = notes.top / ".git" / "objects" / first[:2].decode() / first[2:].decode()
    path.unlink()
    assert notes.days() == ["None", "None"]


def test_a_folder_within_a_repository_is_found(notes: Notes) -> None:
    folder = notes.top / "agent"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("- tea")
    porcelain.add(notes.repo, [str(folder / "MEMORY.md")])
    notes.commit(3)
    assert line_days(str(folder), {"MEMORY.md": b"- tea"}) == {"MEMORY.md": (date(2026, 1, 4),)}


def test_without_a_repository_or_with_a_broken_one_nothing_is_known(tmp_path: Path) -> None:
    assert line_days(str(tmp_path), {"MEMORY.md": b"- tea"}) == {}
    notes = Notes(tmp_path)
    assert notes.repo is not None
    assert line_days(str(tmp_path), {"MEMORY.md": b"- tea"}) == {"MEMORY.md": (None,)}
    notes.commit(0, MEMORY="- tea")
    for path in (tmp_path / ".git" / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o600)
            path.write_bytes(b"damaged")
    assert line_days(str(tmp_path), {"MEMORY.md": b"- tea"}) in ({}, {"MEMORY.md": (None,)})
