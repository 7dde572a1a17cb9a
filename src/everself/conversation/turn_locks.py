"""One turn at a time in each session, whichever process runs it: a chat and the gateway may talk in the same one.

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

# a turn with many steps takes minutes; one that takes longer hangs, or its process is suspended
PATIENCE: Final = 300.0
NAME: Final = "turn-{}.lock"


def within_itself() -> WrongUse:
    return WrongUse(
        "This conversation is being answered, and what is asked is a part of that answer: it would wait for itself. Nothing was said.",
        mend="Begin another conversation.",
    )


class TurnLocks:
    def __init__(self, folder: str, in_thread: WorkerThread, patience: float = PATIENCE) -> None:
        """`folder` is where the agent's state lies."""
        self._folder = folder
        self._in_thread = in_thread
        self._patience = patience

    @asynccontextmanager
    async def hold(self, session: str) -> AsyncIterator[None]:
        """Wait until nobody else is being answered in that session. Raises LockTimeout after `patience`: then nothing was said."""
        import asyncio

        lock = FileLock(f"{self._folder}/{NAME.format(session)}", passing=True)
        held = ExitStack()
        try:
            await self._take(lock, held)
            yield
        finally:
            # also where it was taken while whoever wanted it was cancelled
            await self._in_thread(held.close)
            if lock.is_awaited:
                # else the next turn of this process would always be faster than whoever waits in another
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
                    # a program that a tool of that very turn runs: it would wait for itself
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
