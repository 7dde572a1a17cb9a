"""Starts processes: detached from the terminal and its Ctrl-C, or an Everself command in another home."""

import os
import sys
from collections.abc import Mapping

from everself.config import environment


def spawn(program: str, *words: str) -> int:
    """Start a detached process. Returns its id."""
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    return os.posix_spawn(program, [program, *words], environment(), file_actions=nowhere, setpgroup=0)


def run_everself(variables: Mapping[str, str], *words: str) -> int:
    """Run the command with these variables in its environment, on this terminal. Returns its exit code."""
    sys.stdout.flush()
    command = [sys.executable, "-m", "everself", *words]
    started = os.posix_spawn(sys.executable, command, {**environment(), **variables})
    return os.waitstatus_to_exitcode(os.waitpid(started, 0)[1])
