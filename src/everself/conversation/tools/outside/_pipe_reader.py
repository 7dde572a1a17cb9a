"""Reads a pipe on the event loop and gives the other end to a program.

Does not use asyncio's own pipes, because with those a program counts as running for as long as any process, even a grandchild, holds them
open.
"""

import asyncio
import os
from collections.abc import Callable


async def open_pipe_reader(make: Callable[[], asyncio.BaseProtocol]) -> tuple[asyncio.ReadTransport, int]:
    """The reader, which the caller closes, and the descriptor for the program, to be closed once the program has it."""
    reading, writing = os.pipe()
    pipe = open(reading, "rb", buffering=0)  # noqa: SIM115 the transport closes it
    try:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(make, pipe)
    except asyncio.CancelledError:
        os.close(writing)
        raise
    return transport, writing
