"""Standard streams that lead nowhere, for a process that must not hold the pipes it was born with."""

import os


def silence(*streams: int) -> None:
    """Let these descriptors take everything and keep nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream)
    os.close(nowhere)
