"""Runs blocking calls of a conversation in a worker thread, one at a time."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class WorkerThread:
    """A call is completed even when its caller is cancelled: a thread cannot be stopped, and its effect must not be lost track of."""

    def __init__(self) -> None:
        self._turn = threading.RLock()

    async def __call__(self, work: Callable[[], T]) -> T:
        import asyncio

        def alone() -> T:
            with self._turn:
                return work()

        future = asyncio.ensure_future(asyncio.to_thread(alone))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait({future})
            if not future.cancelled():
                # retrieved, so that asyncio does not warn about an unretrieved exception
                future.exception()
            raise
