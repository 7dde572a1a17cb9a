"""Two Linux system calls that Python does not offer: openat2 and renameat2. Loaded on first use; None on other systems.

Importing ctypes takes ten milliseconds, which a command that touches no file should not pay.
"""

import errno
import os
import sys
from collections.abc import Callable
from functools import cache

RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08
RENAME_NOREPLACE = 1
RENAME_EXCHANGE = 2

# Since Linux 5.1 a new system call has the same number on every architecture.
OPENAT2 = 437

# Error codes that mean "this kernel, container or file system does not have the call", not "the operation was refused".
ABSENT = frozenset({errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})

type_of_open2 = Callable[[int, str, int, int], int]
type_of_rename2 = Callable[[int, str, int, str, int], None]


@cache
def openat2() -> type_of_open2 | None:
    """A function that opens a path beneath a directory without following any link; None if the kernel lacks the call."""
    if sys.platform != "linux":
        return None
    import ctypes

    class How(ctypes.Structure):
        _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]

    libc = ctypes.CDLL(None, use_errno=True)
    resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS

    def call(directory: int, path: str, flags: int, mode: int) -> int:
        # ctypes releases the interpreter lock, so a signal may interrupt the call; the kernel also returns EAGAIN on a
        # race with rename
        how = How(flags | os.O_CLOEXEC, mode if flags & os.O_CREAT else 0, resolve)
        for _ in range(100):
            found = int(
                libc.syscall(
                    OPENAT2, directory, os.fsencode(path), ctypes.byref(how), ctypes.c_size_t(ctypes.sizeof(how))
                )
            )
            if found >= 0:
                return found
            code = ctypes.get_errno()
            if code not in (errno.EINTR, errno.EAGAIN):
                break
        raise OSError(code, os.strerror(code), path)

    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(call(here, ".", os.O_RDONLY | os.O_DIRECTORY, 0))
    except OSError:
        return None
    finally:
        os.close(here)
    return call


@cache
def renameat2() -> type_of_rename2 | None:
    """A function that renames with flags; None if the C library lacks the call."""
    if sys.platform != "linux":
        return None
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return None

    def call(source_directory: int, source: str, target_directory: int, target: str, flags: int) -> None:
        done = libc.renameat2(source_directory, os.fsencode(source), target_directory, os.fsencode(target), flags)
        if done:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), source)

    return call
