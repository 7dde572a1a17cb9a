"""`everself keepers`, called as a person calls it."""

import io
import json
import sys
from pathlib import Path

import pytest

from everself.agent import open_runtime
from everself.interfaces.cli import operation_command


@pytest.fixture
def told(workspace: Path) -> Path:
    """Something was said, and the process died before anybody wrote it down."""
    with open_runtime() as app:
        app.log.add(app.log.begin(), "user", "We decided to use Postgres for billing.")
    return workspace


@pytest.mark.usefixtures("workspace")
def test_the_list_shows_each_keeper_with_its_time_and_its_prompt(everself) -> None:
    shown = everself("keepers", "list").out
    assert "Memory Miner (memory-miner)\n  at 06:00; never ran\n  told by agents/memory-miner/SOUL.md\n" in shown
    assert everself("keepers", "history").out == "No keeper has run yet.\n"


def test_a_dry_run_says_what_it_would_do_and_does_not(everself, told: Path) -> None:
    shown = everself("keepers", "run", "memory-miner", "--dry-run").out
    assert 'Would do (1):\n  remember "We decided to use Postgres for billing." #decision, from owner\n' in shown
    assert not list(told.glob("memory/20*.md"))
    assert everself("keepers", "history").out == "No keeper has run yet.\n"


def test_a_run_says_what_it_did_with_the_change_that_undoes_it(everself, told: Path) -> None:
    data = json.loads(everself("keepers", "run", "memory-miner", "--json").out)["data"]
    (deed,) = data["applied"]
    assert (deed["kind"], data["refused"], data["dry_run"]) == ("remember", [], False)
    assert everself("undo", deed["change"]).code == 0
    assert everself("keepers", "run", "memory-miner").out.startswith("Nothing to do.\n")
    first, second = everself("keepers", "history", "memory-miner").out.splitlines()
    assert "memory-miner: 0 done, 0 to review, 0 refused" in first
    assert "memory-miner: 1 done, 0 to review, 0 refused" in second
    assert not [one for one in told.glob("memory/20*.md") if b"Postgres" in one.read_bytes()]


@pytest.mark.usefixtures("workspace")
def test_an_unknown_keeper_is_not_found(everself) -> None:
    for words in (("run", "nobody"), ("history", "nobody")):
        called = everself("keepers", *words)
        assert called.code == 5
        assert "memory-miner" in called.err


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("words", [("keepers", "run", "memory-miner"), ("keepers", "run", "memory-miner", "--json")])
def test_who_watches_a_run_sees_how_far_it_is(
    everself, told: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    with open_runtime() as app:
        session = app.log.begin()
        for number in range(3):
            app.log.add(session, "user", f"My locker number {number} is in hall {number + 20}.")
    screen = _Screen()
    # a dumb terminal is shown no bar
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(operation_command, "A_WORD_AFTER", 0.0)
    monkeypatch.setattr(sys, "stderr", screen)
    said = everself(*words)
    assert said.code == 0
    assert [one for one in ("memory-miner", " of 4") if one in screen.getvalue()] == (
        [] if "--json" in words else ["memory-miner", " of 4"]
    )
    assert "locker" in said.out
    assert list(told.glob("memory/20*.md"))
