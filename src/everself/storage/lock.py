"""A lock for one writer across processes and threads. The lock file names its owner.

The kernel releases a lock when its holder dies, so a dead owner never blocks anyone; the name in the file only serves the message.
`fcntl.flock` and not a library: the one named for the job imports asyncio, which costs sixty milliseconds at every start.
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

# bytes of a signature, and how much of a command fits into it whatever its characters
SIGNATURE = 512
LONGEST_COMMAND = 60
TIMEOUT = 30.0
SHORTEST, LONGEST = 0.001, 0.02
# A waiter polls some fifty times a second, and a holder that returns at once would always be faster. So waiters
# stretch the lock file to this size, and a holder that finds it so when it leaves lets each of them look once before it comes again.
STRETCHED = 4096
COURTESY = LONGEST * 1.25


class LockOwner(Frozen):
    """Who took the lock last, and whether that process still lives."""

    pid: int
    command: str
    since: str
    alive: bool
    stopped: bool


class Lock(Protocol):
    def hold(self, timeout: float = TIMEOUT) -> AbstractContextManager[None]: ...


def describe_process(pid: int) -> tuple[bool, bool]:
    """Whether a process lives, and whether it is stopped (Ctrl-Z); a zombie counts as dead."""
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
    """Whether this process was started by that one, or by one that it started. Where nobody tells, it was not."""
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
    """A lock that stands in a file. The file stays: removing it would let two processes lock two files of one name.

    One that is `passing` goes with its holder. Whoever waited for it finds that its name is gone, and starts anew with that name.
    """

    def __init__(self, path: str, *, passing: bool = False) -> None:
        self.path = path
        self._passing = passing
        self._not_before = 0.0

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waited for it when it was left a moment ago."""
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
                # while it is held: a file that somebody else holds is never removed
                with suppress(OSError):
                    if self._passing and self._is_in_place(descriptor):
                        os.unlink(self.path)
        finally:
            os.close(descriptor)

    def owner(self) -> LockOwner | None:
        """Who signed the file last; None when nobody did or it cannot be read."""
        try:
            with open(self.path, "rb") as file:
                signed = json.loads(file.read(STRETCHED).rstrip(b"\0"))
            pid = int(signed["pid"])
            alive, stopped = describe_process(pid)
            return LockOwner(pid, str(signed["command"]), str(signed["since"]), alive, stopped)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def is_held(self) -> bool:
        """Whether somebody holds it at this moment."""
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
        """The locked file of this name."""
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
        """Whether the file still has its name: the one who held it before may have removed it."""
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
                # whoever asks again and again for a passing lock waits as well
                if (self._passing or not late) and os.fstat(descriptor).st_size < STRETCHED:
                    os.ftruncate(descriptor, STRETCHED)
            if late:
                # whoever does not want to wait only asks whether it is free
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
        # the signature only serves a message; a full disk must not keep anyone from the lock
        with suppress(OSError):
            # always of one length: truncating a file costs more than the rest of a write
            if os.fstat(descriptor).st_size != SIGNATURE:
                os.ftruncate(descriptor, SIGNATURE)
            os.pwrite(descriptor, text.encode().ljust(SIGNATURE)[:SIGNATURE], 0)


class OpenLock:
    """No lock at all, for a place that only one owner can reach: memory, a simulated disk."""

    @contextmanager
    def hold(self, timeout: float = TIMEOUT) -> Iterator[None]:  # noqa: ARG002 — the shape of a lock
        yield
