"""R6 below an entry at CI size, and that the row would notice an entry that reaches past its comment."""

from pathlib import Path

import pytest
from tests.trust.rows.r06_below import live, run_r6_below

from everself.text.markdown.entries import EntrySpan, _Finder, entries

pytestmark = [pytest.mark.trust, pytest.mark.timeout(600)]


def test_r6_what_a_person_writes_below_an_entry_is_kept(seed: int) -> None:
    print(run_r6_below(50, seed))


def test_r6_notices_an_entry_that_reaches_to_the_next_heading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_Finder, "_log_end", lambda _self, _head, end: end)
    with pytest.raises(AssertionError, match=r"owner|is gone"):
        _lives(tmp_path)


def test_r6_notices_a_forgetting_that_takes_the_lines_below(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever reads is right about where entries end, and whoever removes is not."""

    def reaching(data: bytes) -> tuple[EntrySpan, ...]:
        with pytest.MonkeyPatch.context() as broken:
            broken.setattr(_Finder, "_log_end", _as_before)
            return entries(data)

    monkeypatch.setattr("everself.memory.forgetting.forgotten_words.entries", reaching)
    with pytest.raises(AssertionError, match="is gone from the"):
        _lives(tmp_path)


def _as_before(_: _Finder, __: int, end: int) -> int:
    return end


def _lives(top: Path) -> None:
    for number in range(1_000_000, 1_000_030):
        folder = top / str(number)
        folder.mkdir()
        live(folder, number, exchanges=True)
