"""The CRM hook: what it is given, and that it can neither hang, flood nor break a turn."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from everself.conversation.context.extensions import MOST_BYTES, ask_program, find_names


def hook(tmp_path: Path, code: str) -> str:
    program = tmp_path / "hook.py"
    program.write_text(code)
    return shlex.join([sys.executable, "-S", str(program)])


def test_the_hook_gets_the_message_and_the_names_in_it(tmp_path: Path) -> None:
    command = hook(tmp_path, "import sys; print(sys.stdin.read())")
    found = ask_program(command, "When did Mia Chen last see Jun?")
    assert json.loads(found.text) == {"message": "When did Mia Chen last see Jun?", "names": ["Mia Chen", "Jun"]}
    assert found.notice == ""


def test_a_hook_that_hangs_is_stopped_with_all_it_started(tmp_path: Path) -> None:
    code = "import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)'])\ntime.sleep(60)"
    found = ask_program(hook(tmp_path, code), "Hello", seconds=0.3)
    assert (found.text, found.notice) == ("", "The CRM hook took longer than 0.3 s and was stopped.")


def test_a_hook_that_closes_its_output_and_stays_is_stopped(tmp_path: Path) -> None:
    code = "import os, time\nos.close(1)\ntime.sleep(60)"
    assert "longer than" in ask_program(hook(tmp_path, code), "Hello", seconds=0.3).notice


def test_a_hook_that_floods_is_not_used(tmp_path: Path) -> None:
    found = ask_program(hook(tmp_path, "while True: print('x' * 10000)"), "Hello")
    assert found.text == ""
    assert f"{MOST_BYTES:,} bytes" in found.notice


def test_a_hook_that_fails_is_not_used(tmp_path: Path) -> None:
    found = ask_program(hook(tmp_path, "print('half'); raise SystemExit(3)"), "Hello")
    assert (found.text, found.notice) == ("", "The CRM hook failed with exit code 3.")


@pytest.mark.parametrize("command", ["/nowhere/at/all", "'open quote", ""])
def test_a_command_that_is_none_is_told(command: str) -> None:
    assert "could not be started" in ask_program(command, "Hello").notice


def test_a_hook_that_reads_nothing_and_a_long_message_do_no_harm(tmp_path: Path) -> None:
    found = ask_program(hook(tmp_path, "import sys; sys.stdin.close(); print('fine')"), "\x01" * 1_000_000)
    assert found.text == "fine"


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("what is it?", ()),
        ("The house is cold. What shall we do?", ()),
        ("Tell Anna-Lena O’Brien and @max_b hello", ("Anna-Lena O’Brien", "max_b")),
        ("Did Zoë call Łukasz? Zoë did.", ("Zoë", "Łukasz")),
        ("明天下午三点开会", ()),
    ],
)
def test_names_are_found_by_their_capitals(message: str, names: tuple[str, ...]) -> None:
    assert find_names(message) == names
