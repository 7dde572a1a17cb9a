"""Whether a memory of many files is as its rows say: every file is looked at, and rows are compared only when one of both changed."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.memory.minds import Mind, open_mind

from everself.storage.state.entries import EntryRows

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
    file.parent.mkdir(exist_ok=True)
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
