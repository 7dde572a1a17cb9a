"""A listening unix socket that only its owner may connect to. Its file belongs to the process that holds the lock beside it."""

import os
import socket
import stat
import struct
from typing import Final

from everself.errors import RefusedByRule
from everself.storage.filesystem import disk_errors
from everself.storage.socket_address import LONGEST, fits, socket_address

_LOCAL_PEERCRED: Final = 1
_XUCRED: Final = 76


def listen_at(path: str) -> socket.socket:
    """Listen at a path. The caller holds the lock, so a socket found there belongs to a dead process and is removed.

    Raises RefusedByRule if the path is another kind of file, or too long for a socket.
    """
    with disk_errors(path), socket_address(path) as address:
        if not fits(address):
            raise RefusedByRule(
                f"The path of the socket is longer than {LONGEST} bytes: {path}.",
                mend="Set EVERSELF_HOME to a shorter path.",
            )
        remove_socket(path)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # the mode must be right from the first moment: a client that connects before a chmod stays connected
        before = os.umask(0o177)
        try:
            made.bind(address)
        except OSError:
            made.close()
            raise
        finally:
            os.umask(before)
        os.chmod(path, 0o600)
        made.listen(512)
    return made


def peer_user(connected: socket.socket) -> int | None:
    """The user id of the process at the other end of a unix socket; None for other sockets, or if the kernel does not report it."""
    if connected.family != socket.AF_UNIX:
        return None
    try:
        if hasattr(socket, "SO_PEERCRED"):
            found = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", found)[1])
        # macOS and the BSDs: version and user are the first fields of `struct xucred`
        version, user = struct.unpack_from("Ii", connected.getsockopt(0, _LOCAL_PEERCRED, _XUCRED))
    except (OSError, struct.error):
        return None
    return int(user) if version == 0 else None


def remove_socket(path: str) -> None:
    """Remove a socket file. Raises RefusedByRule if the path is not a socket."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise RefusedByRule(f"{path} is not a socket.", mend="Move it away.")
    os.unlink(path)
