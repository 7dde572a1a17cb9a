"""A short name for a unix socket: the kernel's address holds some hundred bytes, and the path of a home may be longer."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# what the kernel's address holds, but for the zero at its end; smaller on some systems
LONGEST: Final = 103
_DESCRIPTORS: Final = "/proc/self/fd"


def fits(path: str) -> bool:
    return len(os.fsencode(path)) <= LONGEST


@contextmanager
def socket_address(path: str) -> Iterator[str]:
    """The path itself where it fits; else the same file by a descriptor of its folder, where the kernel has names for those.

    It holds while this lasts. The socket stays where it is, in a folder that only its owner may enter.
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
