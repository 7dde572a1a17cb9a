"""Two processes that read the same documents at once: rows of two states of a document are never mixed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.memory.minds import Mind, open_mind

from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of
from everself.values import Document

FACTS = ("The ferry leaves at ten past eight.", "The kiosk sells the tickets.")

COMMENT = "<!-- everself: id=0123456789AB tag=event conf=0.95 src=owner seen=2026-03-19 n=1 -->"


def test_a_reader_that_saw_half_of_an_append_leaves_no_entry_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_mind(str(tmp_path)) as writer, open_mind(str(tmp_path)) as torn, open_mind(str(tmp_path)) as late:
        writer.memory.remember(NewEntry(FACTS[0], origin_of("owner")))
        late.catalog.refresh()
        (log,) = (tmp_path / "workspace" / "memory").glob("*.md")
        log.write_text(f"{log.read_text()}\n## [10:00:00] note\n\n{FACTS[1]}\n{COMMENT}\n")
        _see_half(torn, monkeypatch)
        # the one that read the whole document notes it only after the other has noted what it saw of it
        _before(late.catalog._rows, "replace", torn.catalog.refresh, monkeypatch)
        late.catalog.refresh()
        monkeypatch.undo()
        assert [one.text for one in writer.catalog.all()] == list(FACTS)
        assert [one.text for one in late.catalog.all()] == list(FACTS)


def _see_half(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    """The write of another process crosses a page: the words of the last entry are there, and its comment is not."""
    whole = mind.catalog._find_readable

    def half(path: str) -> Document | None:
        found = whole(path)
        if found is None or FACTS[1].encode() not in found.data:
            return found
        return Document(found.path, found.data[: found.data.index(FACTS[1].encode()) + len(FACTS[1]) + 1])

    monkeypatch.setattr(mind.catalog, "_find_readable", half)


def _before(held: Any, name: str, first: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    real = getattr(held, name)
    left = [first]

    def called(*args: object) -> object:
        if left:
            left.pop()()
        return real(*args)

    monkeypatch.setattr(held, name, called)
