"""Starts processes: one that nobody waits for, away from the terminal and its Ctrl-C, or a command of ours in another home."""

import os
import sys
from collections.abc import Mapping


def spawn(program: str, *words: str) -> int:
    """Its number."""
    from everself.config import environment

    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    return os.posix_spawn(program, [program, *words], environment(), file_actions=nowhere, setpgroup=0)


def run_everself(variables: Mapping[str, str], *words: str) -> int:
    """The exit code of the command with these variables in its environment; it speaks for itself on this terminal."""
    from everself.config import environment

    sys.stdout.flush()
    command = [sys.executable, "-m", "everself", *words]
    started = os.posix_spawn(sys.executable, command, {**environment(), **variables})
    return os.waitstatus_to_exitcode(os.waitpid(started, 0)[1])
