"""Whoever waits for an installation is told that it goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.make_venv import install

TOP = Path(__file__).resolve().parents[2]


def test_a_long_installation_says_that_it_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    # ends when it was told of: it waits for nothing but its own input
    slow = [sys.executable, "-c", "import time; print('from the installer', flush=True); time.sleep(1.5)"]
    assert install(slow, dict(os.environ), every=0.2) == 0
    said = capfd.readouterr()
    assert "… still installing" in said.err
    # the answer of a piped conversation stays alone on stdout
    assert (said.out, "from the installer" in said.err) == ("", True)


def test_its_failure_is_handed_on() -> None:
    assert install([sys.executable, "-c", "raise SystemExit(3)"], dict(os.environ)) == 3


def test_make_chat_says_where_the_command_is_to_whoever_looks() -> None:
    planned = subprocess.run(
        ["make", "-n", "chat"], cwd=TOP, capture_output=True, encoding="utf-8", check=True, timeout=60
    ).stdout
    (line,) = [one for one in planned.splitlines() if "export PATH=" in one]
    assert ".venv/bin/everself" in line
    # beside the conversation, and not in a pipe
    assert line.startswith("test ! -t 2 ||")
    assert line.endswith(">&2")
