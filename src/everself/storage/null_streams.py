"""Redirects standard streams to /dev/null, for a process that must not hold the pipes it inherited."""

import os


def silence(*streams: int) -> None:
    """Redirect these descriptors to /dev/null."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream)
    os.close(nowhere)
