"""Allows one turn at a time in each session across processes: a chat and the gateway may use the same session.

Waiting blocks neither the event loop nor the worker thread, which other conversations need. Knows neither turns nor messages.
"""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Final

from everself.clock import monotonic
from everself.conversation.shared_state import WorkerThread
from everself.errors import LockTimeout, WrongUse
from everself.storage.filesystem import disk_errors
from everself.storage.lock import COURTESY, LONGEST, FileLock, is_ancestor

# a turn with many steps takes minutes; a longer one hangs, or its process is suspended
PATIENCE: Final = 300.0
NAME: Final = "turn-{}.lock"


def within_itself() -> WrongUse:
    return WrongUse(
        "This conversation is being answered, and what is asked is a part of that answer: it would wait for itself. Nothing was said.",
        mend="Begin another conversation.",
    )


class TurnLocks:
    def __init__(self, folder: str, in_thread: WorkerThread, patience: float = PATIENCE) -> None:
        """`folder` is the folder of the agent's state."""
        self._folder = folder
        self._in_thread = in_thread
        self._patience = patience

    @asynccontextmanager
    async def hold(self, session: str) -> AsyncIterator[None]:
        """Wait until no other turn runs in the session. Raises LockTimeout after `patience`; nothing was stored then."""
        import asyncio

        lock = FileLock(f"{self._folder}/{NAME.format(session)}", passing=True)
        held = ExitStack()
        try:
            await self._take(lock, held)
            yield
        finally:
            # release it as well if it was taken while the waiting caller was cancelled
            await self._in_thread(held.close)
            if lock.is_awaited:
                # otherwise the next turn of this process would always take the lock before a process that waits
                await asyncio.sleep(COURTESY)

    async def _take(self, lock: FileLock, held: ExitStack) -> None:
        import asyncio

        def take() -> None:
            with disk_errors(lock.path):
                held.enter_context(lock.hold(0))

        end = monotonic() + self._patience
        while True:
            try:
                return await self._in_thread(take)
            except LockTimeout:
                owner = lock.owner()
                if owner is not None and is_ancestor(owner.pid):
                    # a tool of that very turn runs this program: it would wait for itself
                    raise within_itself() from None
                if monotonic() >= end:
                    raise self._timeout(lock) from None
            await asyncio.sleep(LONGEST)

    def _timeout(self, lock: FileLock) -> LockTimeout:
        owner = lock.owner()
        by = "another process" if owner is None else f"process {owner.pid} ({owner.command}) since {owner.since}"
        suspended = ", which is suspended (resume it with: fg)" if owner is not None and owner.stopped else ""
        return LockTimeout(
            f"A message of this conversation is being answered by {by}{suspended}. Waited {self._patience:g} s; nothing was said.",
            mend="Try again when that reply has ended, or begin another conversation.",
        )
