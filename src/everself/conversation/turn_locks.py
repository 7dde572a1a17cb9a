"""One turn at a time in each session, whichever process runs it: a chat and the gateway may talk in the same one.

Waiting blocks neither the event loop nor the worker thread, which other conversations need. Knows neither turns nor messages.
"""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Final

from everself.clock import monotonic
from everself.conversation.shared_state import WorkerThread
from everself.errors import LockTimeout
from everself.storage.filesystem import disk_errors
from everself.storage.lock import COURTESY, LONGEST, FileLock

# a turn with many steps takes minutes; one that takes longer hangs, or its process is suspended
PATIENCE: Final = 300.0
NAME: Final = "turn-{}.lock"


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
