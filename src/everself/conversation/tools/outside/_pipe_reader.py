"""Reads a pipe on the event loop and gives the other end to a program.

Not asyncio's own pipes: a program counts as running there for as long as anybody, a grandchild too, holds them open.
"""

import asyncio
import os
from collections.abc import Callable


async def open_pipe_reader(make: Callable[[], asyncio.BaseProtocol]) -> tuple[asyncio.ReadTransport, int]:
    """The reader, closed by the caller, and the descriptor for the program, closed once the program has it."""
    reading, writing = os.pipe()
    pipe = open(reading, "rb", buffering=0)  # noqa: SIM115 the transport closes it
    try:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(make, pipe)
    except asyncio.CancelledError:
        os.close(writing)
        raise
    return transport, writing
