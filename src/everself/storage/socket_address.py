"""A short address for a unix socket: the kernel's address field holds about a hundred bytes, and the path of a home may be longer."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# size of the kernel's address field without the final NUL; smaller on some systems
LONGEST: Final = 103
_DESCRIPTORS: Final = "/proc/self/fd"


def fits(path: str) -> bool:
    return len(os.fsencode(path)) <= LONGEST


@contextmanager
def socket_address(path: str) -> Iterator[str]:
    """The path itself if it fits; otherwise a path to the same file through a descriptor of its folder, if /proc offers those.

    Valid only inside the block. The socket stays in its folder, which only the owner may enter.
    """
    if fits(path) or not os.path.isdir(_DESCRIPTORS):
        yield path
        return
    folder, name = os.path.split(path)
    held = os.open(folder or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"{_DESCRIPTORS}/{held}/{name}"
    finally:
        os.close(held)
