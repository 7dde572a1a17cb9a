"""Starts a process that nobody waits for: away from the terminal and its Ctrl-C, and alive when this one has ended."""

import os


def spawn(program: str, *words: str) -> int:
    """Its number."""
    from everself.config import environment

    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    return os.posix_spawn(program, [program, *words], environment(), file_actions=nowhere, setpgroup=0)
