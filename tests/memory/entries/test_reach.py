"""Of a document of more lines than memory bears, the first ones are known."""

from pathlib import Path

import pytest
from tests.memory.minds import open_mind


def test_entries_beyond_as_many_lines_as_are_looked_at_are_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everself.memory.entries.LINES_READ", 4)
    (tmp_path / "workspace").mkdir()
    path = tmp_path / "workspace" / "MEMORY.md"
    with open_mind(str(tmp_path)) as mind:
        path.write_text("# Memory\n\n- one\n- two\n")
        assert [entry.text for entry in mind.catalog.all()] == ["one", "two"]
        path.write_text("# Memory\n\n- one\n- two\n- three\n\n## [10:00:00] later\n\nfour\n")
        assert [entry.text for entry in mind.catalog.all()] == ["one", "two"]
        path.write_text("# Memory\n\n- zero\n- two\n- three\n")
        assert [entry.text for entry in mind.catalog.all()] == ["zero", "two"]
