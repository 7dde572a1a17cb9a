"""A lock for one writer across processes and threads. The lock file names its owner.

The kernel releases a lock when its holder dies, so a dead owner never blocks anyone; the name in the file is only for
messages. Uses `fcntl.flock` and not the `filelock` library, which imports asyncio and so adds sixty milliseconds to
every start.
"""

import errno
import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from logging import DEBUG, WARNING
from typing import Protocol

from everself.clock import monotonic, pause, system_now
from everself.errors import LockTimeout
from everself.frozen import Frozen
from everself.logs import get_logger

_log = get_logger(__name__)

# size of a signature, and how many characters of a command fit into it whatever they are
SIGNATURE = 512
LONGEST_COMMAND = 60
TIMEOUT = 30.0
SHORTEST, LONGEST = 0.001, 0.02
# A waiter polls about fifty times a second, so a holder that takes the lock again at once would always win. Therefore
# waiters extend the lock file to this size, and a holder that sees it on release pauses, so that each waiter polls once
# before the holder returns.
STRETCHED = 4096
COURTESY = LONGEST * 1.25


class LockOwner(Frozen):
    """The process that took the lock last, and whether it is still alive."""

    pid: int
    command: str
    since: str
    alive: bool
    stopped: bool


class Lock(Protocol):
    def hold(self, timeout: float = TIMEOUT) -> AbstractContextManager[None]: ...


def describe_process(pid: int) -> tuple[bool, bool]:
    """Whether a process is alive, and whether it is stopped (Ctrl-Z). A zombie counts as dead."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False, False
    except PermissionError:
        return True, False
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            state = file.read().rpartition(")")[2].split()[0]
    except OSError:
        return True, False
    return state not in "ZX", state in "Tt"


def is_ancestor(pid: int) -> bool:
    """Whether `pid` is an ancestor of this process. False if /proc does not tell."""
    parent = os.getppid()
    while parent > 1:
        if parent == pid:
            return True
        try:
            with open(f"/proc/{parent}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
    return False


class FileLock:
    """A lock on a file. The file stays, because removing it could let two processes lock different files of the same name.

    With `passing` the holder removes the file on release. A waiter then notices that the name is gone and opens it anew.
    """

    def __init__(self, path: str, *, passing: bool = False) -> None:
        self.path = path
        self._passing = passing
        self._not_before = 0.0

    @property
    def is_awaited(self) -> bool:
        """Whether another process was waiting for the lock when it was released a moment ago."""
        return self._not_before > monotonic()

    @contextmanager
    def hold(self, timeout: float = TIMEOUT) -> Iterator[None]:
        early = self._not_before - monotonic()
        if early > 0:
            # never zero: even that yields the processor
            pause(min(early, timeout, COURTESY))
        descriptor = self._take(monotonic() + timeout, timeout)
        try:
            self._sign(descriptor)
            try:
                yield
            finally:
                if os.fstat(descriptor).st_size >= STRETCHED:
                    self._not_before = monotonic() + COURTESY
                # unlink while the lock is held, so that a file locked by another process is never removed
                with suppress(OSError):
                    if self._passing and self._is_in_place(descriptor):
                        os.unlink(self.path)
        finally:
            os.close(descriptor)

    def owner(self) -> LockOwner | None:
        """The process that signed the file last; None if there is no readable signature."""
        try:
            with open(self.path, "rb") as file:
                signed = json.loads(file.read(STRETCHED).rstrip(b"\0"))
            pid = int(signed["pid"])
            alive, stopped = describe_process(pid)
            return LockOwner(pid, str(signed["command"]), str(signed["since"]), alive, stopped)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def is_held(self) -> bool:
        """Whether any process holds the lock at this moment."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def _take(self, end: float, timeout: float) -> int:
        """Open the lock file, lock it and return its descriptor."""
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            taken = False
            try:
                self._wait(descriptor, end, timeout)
                taken = not self._passing or self._is_in_place(descriptor)
            finally:
                if not taken:
                    os.close(descriptor)
            if taken:
                return descriptor

    def _is_in_place(self, descriptor: int) -> bool:
        """Whether the path still leads to the opened file; the previous holder may have removed it."""
        try:
            named = os.stat(self.path, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return os.path.samestat(named, os.fstat(descriptor))

    def _wait(self, descriptor: int, end: float, timeout: float) -> None:
        begun = monotonic()
        wait = SHORTEST
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
                    raise
            else:
                if wait > SHORTEST:
                    _log.info("Waited %.3f s for the lock %s.", monotonic() - begun, self.path)
                return
            late = monotonic() >= end
            with suppress(OSError):
                # for a passing lock also a poll without waiting counts as a waiter
                if (self._passing or not late) and os.fstat(descriptor).st_size < STRETCHED:
                    os.ftruncate(descriptor, STRETCHED)
            if late:
                # a timeout of zero only asks whether the lock is free
                _log.log(WARNING if timeout else DEBUG, "The lock %s was not free within %g s.", self.path, timeout)
                raise LockTimeout(self._complaint(timeout))
            pause(wait)
            wait = min(wait * 2, LONGEST)

    def _complaint(self, timeout: float) -> str:
        owner = self.owner()
        if owner is None:
            return f"Waited {timeout:g} s."
        state = " and is suspended (resume it with: fg)" if owner.stopped else ""
        return f"Waited {timeout:g} s for process {owner.pid} ({owner.command}), which has held it since {owner.since}{state}."

    def _sign(self, descriptor: int) -> None:
        command = " ".join([os.path.basename(sys.argv[0]) or "python", *sys.argv[1:2]])[:LONGEST_COMMAND]
        text = json.dumps({"pid": os.getpid(), "command": command, "since": system_now().isoformat(timespec="seconds")})
        # the signature is only for messages; a full disk must not prevent locking
        with suppress(OSError):
            # fixed length: truncating a file costs more than the rest of a write
            if os.fstat(descriptor).st_size != SIGNATURE:
                os.ftruncate(descriptor, SIGNATURE)
            os.pwrite(descriptor, text.encode().ljust(SIGNATURE)[:SIGNATURE], 0)


class OpenLock:
    """A lock that never blocks, for storage with a single owner: memory, a simulated disk."""

    @contextmanager
    def hold(self, timeout: float = TIMEOUT) -> Iterator[None]:  # noqa: ARG002 — the shape of a lock
        yield
