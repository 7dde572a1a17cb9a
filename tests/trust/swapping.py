"""A process that swaps two names as fast as it can, as long as it is told to. Imports little: a row starts several of these."""

import mmap
import os
import sys
import time
from contextlib import suppress

from everself.storage._kernel_calls import RENAME_EXCHANGE, renameat2

# what the two sides say to each other: whether to swap, whether all is still, and how often it was swapped
GO, STILL, COUNT, SIZE = 0, 1, slice(8, 16), 16


def exchange(folder: str, one: str, other: str) -> None:
    """Swap two names, in one step where the kernel can."""
    call = renameat2()
    if call is not None:
        call(-1, f"{folder}/{one}", -1, f"{folder}/{other}", RENAME_EXCHANGE)
        return
    os.rename(f"{folder}/{one}", f"{folder}/aside")
    os.rename(f"{folder}/{other}", f"{folder}/{one}")
    os.rename(f"{folder}/aside", f"{folder}/{other}")


def swap_until_told(shared: str, folder: str, one: str, other: str) -> None:
    """It ends with the process that started it."""
    parent = os.getppid()
    with open(shared, "r+b") as file:
        memory = mmap.mmap(file.fileno(), SIZE)
    swaps = 0
    while os.getppid() == parent:
        if not memory[GO]:
            memory[STILL] = 1
            time.sleep(0.0001)
            continue
        # always there and back, so that stopping leaves everything in its place
        for _ in range(2):
            with suppress(FileNotFoundError):
                exchange(folder, one, other)
            swaps += 1
            memory[COUNT] = swaps.to_bytes(8, "little")


if __name__ == "__main__":
    swap_until_told(*sys.argv[1:5])
