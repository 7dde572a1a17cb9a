"""`everself memory compact` as a person calls it."""

from pathlib import Path

import pytest

# many small steps with real files add up; what is beside it in this folder is run every time
pytestmark = pytest.mark.slow


@pytest.fixture
def day(workspace: Path) -> Path:
    path = workspace / "memory" / "2025-11-05.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("# Memory Log: 2025-11-05\n\n## [09:00:00] note\n\nThe gate was painted green.\n")
    return path


def test_it_lists_and_changes_nothing(everself, day: Path) -> None:
    said = everself("memory", "compact")
    assert said.code == 0
    assert "memory/2025-11-05.md  1 entry  → memory/archive/2025-Q4.md" in said.out
    assert "--apply" in said.err
    assert not (day.parent / "archive").exists()


def test_applied_it_copies_and_search_finds_it_once(everself, day: Path) -> None:
    before = day.read_bytes()
    said = everself("memory", "compact", "--apply")
    assert "Copied 1 day to memory/archive/2025-Q4.md." in said.out
    assert day.read_bytes() == before
    hits = everself("memory", "search", "gate green", "--json").json["data"]["hits"]
    assert [one["hit"]["path"] for one in hits] == ["memory/2025-11-05.md"]
    assert everself("memory", "compact", "--apply").out == "Nothing was left to do.\n"
    day.unlink()
    hits = everself("memory", "search", "gate green", "--json").json["data"]["hits"]
    assert [(one["hit"]["path"], one["hit"]["day"]) for one in hits] == [("memory/archive/2025-Q4.md", "2025-11-05")]


def test_removed_it_stands_in_the_archive_alone_and_undo_takes_it_back(everself, workspace: Path, day: Path) -> None:
    before = day.read_bytes()
    done = everself("memory", "compact", "--apply", "--remove", "--json").json["data"]
    assert done["done"] == ["memory/2025-11-05.md"]
    assert not day.exists()
    assert (
        "`memory/2025-11-05.md` → `memory/archive/2025-Q4.md`, 1 entry" in (workspace / "COMPACTION_LOG.md").read_text()
    )
    listed = everself("memory", "list", "--json").json["data"]
    assert [one["entry"]["path"] for one in listed if "gate" in one["entry"]["text"]] == ["memory/archive/2025-Q4.md"]
    assert everself("undo", "last").code == 0
    assert day.read_bytes() == before


def test_removing_without_applying_is_wrong_use(everself, day: Path) -> None:
    assert everself("memory", "compact", "--remove").code == 2
    assert day.exists()


def test_no_old_day_is_said_so(everself, workspace: Path) -> None:
    assert workspace.exists()
    assert everself("memory", "compact").out == "No day is older than 90 days.\n"
