"""The trust row of damaged history and state.db at CI size, and whether it notices."""

from pathlib import Path

import pytest
from tests.trust.rows import r17

from everself.errors import HistoryDamaged
from everself.workspace.recorder import Recorder

pytestmark = [pytest.mark.trust, pytest.mark.timeout(1800)]


def test_r17_a_damaged_history_or_database_costs_no_document_and_no_entry(seed: int) -> None:
    print(r17.run_r17(14, seed))


def test_r17_notices_a_history_that_is_not_mended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(_: Recorder) -> None:
        raise HistoryDamaged("as before")

    r17.grow(tmp_path, r17.ENTRIES)
    head = (tmp_path / r17.STATE / "history.git/refs/heads/main").read_text().strip()
    (tmp_path / r17.STATE / f"history.git/objects/{head[:2]}/{head[2:]}").write_bytes(b"")
    monkeypatch.setattr(Recorder, "_mend", refuse)
    with r17.living_in(tmp_path), pytest.raises(AssertionError, match="history-damaged"):
        r17.judge(tmp_path)


def test_r17_notices_a_document_that_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    r17.grow(tmp_path, r17.ENTRIES)
    real = r17.call

    def call(*words: str) -> tuple[int, str]:
        (tmp_path / ".everself/workspace/MEMORY.md").write_text("- changed\n")
        return real(*words)

    monkeypatch.setattr(r17, "call", call)
    with r17.living_in(tmp_path), pytest.raises(AssertionError, match="changed a document"):
        r17.judge(tmp_path)
