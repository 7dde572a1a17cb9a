"""A process that dies before one of the calls that change the disk. For processes of their own: it never comes back."""

import os
import signal
from collections.abc import Callable
from typing import Final

from everself.storage.real_disk import RealFileSystem

_CALLS: Final = ("create", "rename", "publish", "exchange", "unlink")


def die_before(calls: int) -> None:
    """The process kills itself where so many of these calls are about to have been made."""
    left = calls

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            nonlocal left
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*given, **named)

        return call

    for name in _CALLS:
        setattr(RealFileSystem, name, counted(getattr(RealFileSystem, name)))
