"""What a terminal does with keys that nobody reads yet, on a real one."""

import os
import pty
import sys
import termios
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from everself.interfaces.repl.keyboard import held_keys


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    ours, theirs = pty.openpty()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: theirs))
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def test_enter_stays_enter_while_nobody_reads(terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    before = termios.tcgetattr(theirs)
    with held_keys(lambda _: None):
        os.write(ours, b"two\rthr")
        assert os.read(theirs, 100) == b"two\rthr"
    assert termios.tcgetattr(theirs) == before


def test_what_was_typed_before_is_handed_over_with_its_enters(terminal: tuple[int, int]) -> None:
    ours, _ = terminal
    os.write(ours, b"/memory\ryes")
    found: list[str] = []
    with held_keys(found.append):
        assert found == ["/memory\ryes"]


def test_where_there_is_no_terminal_nothing_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, "rb") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        with held_keys(lambda _: pytest.fail("nobody typed")):
            pass
