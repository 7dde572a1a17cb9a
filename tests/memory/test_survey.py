"""Whether a memory of many files is as its rows say: every file is looked at, and rows are compared only when one of both changed."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.storage.real_disk import RealFileSystem
from everself.storage.state.entries import EntryRows
from everself.values import Entry

# long past the grain of any clock
PAST = (1_700_000_000_000_000_000, 1_700_000_000_000_000_000)


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[Mind]:
    with open_mind(str(tmp_path)) as found:
        write(found, "memory/2026-01-01.md", "## [09:00:00] note\n\nThe boat is blue.\n")
        write(found, "MEMORY.md", "# Memory\n\n- The garden is small.\n")
        yield found


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """How often the rows of all documents were asked for."""
    asked: list[object] = []
    documents = EntryRows.documents

    def noted(self: EntryRows, paths: object = None) -> object:
        if paths is None:
            asked.append(paths)
        return documents(self, paths)  # type: ignore[arg-type]

    monkeypatch.setattr(EntryRows, "documents", noted)
    return asked


def file_of(mind: Mind, path: str) -> Path:
    return Path(mind.bench.storage.documents.root) / path  # type: ignore[attr-defined]


def write(mind: Mind, path: str, text: str, at: tuple[int, int] = PAST) -> None:
    file = file_of(mind, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, ns=at)


def texts(mind: Mind) -> set[str]:
    return {one.text for one in mind.catalog.all()}


def test_rows_are_compared_once_while_nothing_changes(mind: Mind, compared: list[object]) -> None:
    assert texts(mind) == {"The boat is blue.", "The garden is small."}
    mind.catalog.refresh()
    compared.clear()
    for _ in range(5):
        assert mind.catalog.refresh() == 0
    assert not compared
    assert texts(mind) == {"The boat is blue.", "The garden is small."}


def test_a_save_of_the_same_size_and_time_is_seen(mind: Mind) -> None:
    for _ in range(3):
        mind.catalog.refresh()
    # only the time of the inode tells
    write(mind, "MEMORY.md", "# Memory\n\n- The garden is large.\n")
    assert mind.catalog.refresh() == 1
    assert "The garden is large." in texts(mind)


def test_what_comes_and_goes_is_seen(mind: Mind) -> None:
    for _ in range(3):
        mind.catalog.refresh()
    write(mind, "memory/2026-01-02.md", "## [09:00:00] note\n\nThe choir sings.\n")
    assert "The choir sings." in texts(mind)
    for _ in range(3):
        mind.catalog.refresh()
    file_of(mind, "memory/2026-01-02.md").unlink()
    assert "The choir sings." not in texts(mind)


def test_a_folder_in_the_place_of_a_document_is_told_each_time(mind: Mind) -> None:
    mind.catalog.refresh()
    file_of(mind, "MEMORY.md").unlink()
    file_of(mind, "MEMORY.md").mkdir()
    for _ in range(4):
        mind.catalog.refresh()
        assert "MEMORY.md" in mind.catalog.unread


def test_rows_that_another_process_took_away_are_made_anew(mind: Mind) -> None:
    for _ in range(3):
        mind.catalog.refresh()
    mind.bench.state.entries.replace([], ["MEMORY.md"], [], [], "2026-01-04")
    assert mind.catalog.refresh() == 1
    assert "The garden is small." in texts(mind)


def only(mind: Mind, start: str) -> Entry:
    return next(one for one in mind.catalog.all() if one.text.startswith(start))


def settled(mind: Mind) -> None:
    """So many complete looks that the next one finds nothing to read."""
    for _ in range(3):
        mind.catalog.refresh()


def test_a_view_of_few_entries_examines_no_other_file(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(10):
        write(mind, f"memory/topics/{number}.md", f"# {number}\n")
    settled(mind)
    looked: list[str] = []
    stat = RealFileSystem.stat
    listing = RealFileSystem.list
    monkeypatch.setattr(RealFileSystem, "list", lambda files, path: (looked.append(path), listing(files, path))[1])
    monkeypatch.setattr(RealFileSystem, "stat", lambda files, path: (looked.append(path), stat(files, path))[1])
    mind.catalog.refresh_shown(["MEMORY.md"])
    assert looked == ["MEMORY.md"]
    # of so many one by one it would cost more
    mind.catalog.refresh_shown(["MEMORY.md", "memory/topics/1.md", "memory/topics/2.md"])
    assert "" in looked


def test_an_entry_shown_is_as_its_file_says(mind: Mind) -> None:
    garden = only(mind, "The garden")
    settled(mind)
    write(mind, "MEMORY.md", "# Memory\n\n- The garden is large.\n")
    mind.catalog.refresh_shown(["MEMORY.md"])
    assert {one.text for one in mind.catalog.known([garden.id])} == {"The garden is large."}


@pytest.mark.parametrize("how", ["made", "removed", "renamed", "replaced"])
def test_a_view_of_few_entries_notices_files_that_come_go_or_are_replaced(mind: Mind, how: str) -> None:
    settled(mind)
    day = file_of(mind, "memory/2026-01-01.md")
    if how == "made":
        write(mind, "memory/topics/choir.md", "# Choir\n\n- The choir sings.\n")
    elif how == "removed":
        day.unlink()
    elif how == "renamed":
        day.rename(day.with_name("2026-01-02.md"))
    else:
        # as most editors save; even of the same size and time
        other = day.with_name("new")
        other.write_bytes(day.read_bytes().replace(b"blue", b"grey"))
        os.utime(other, ns=PAST)
        other.rename(day)
    mind.catalog.refresh_shown()
    rows = {one.path for one in mind.bench.state.entries.all_rows()}
    shown = {one.text for one in mind.catalog.known([row.id for row in mind.bench.state.entries.all_rows()])}
    days = {
        "made": {"memory/2026-01-01.md", "memory/topics/choir.md"},
        "removed": set(),
        "renamed": {"memory/2026-01-02.md"},
    }
    assert rows == {"MEMORY.md", *days.get(how, {"memory/2026-01-01.md"})}
    assert ("The boat is grey." in shown) == (how == "replaced")


def test_what_another_process_noted_is_looked_at_as_a_whole(mind: Mind, compared: list[object]) -> None:
    settled(mind)
    mind.bench.state.entries.replace([], ["MEMORY.md"], [], [], "2026-01-04")
    compared.clear()
    mind.catalog.refresh_shown()
    assert compared
    assert [one.text for _, one in mind.catalog.under("MEMORY.md")] == ["The garden is small."]


def test_a_list_of_everything_examines_every_file(mind: Mind) -> None:
    """An edit within a file, which a view of other entries leaves for it."""
    settled(mind)
    write(mind, "memory/2026-01-01.md", "## [09:00:00] note\n\nThe boat is grey.\n")
    mind.catalog.refresh_shown(["MEMORY.md"])
    assert "The boat is grey." in texts(mind)
