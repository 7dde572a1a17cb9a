"""Runs blocking calls of an agent's conversations in a worker thread, one at a time."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from everself.lazy import part

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")


class WorkerThread:
    """A call is completed even when its caller is cancelled: a thread cannot be stopped, and its effect must not be lost track of.

    It has a thread of its own. In asyncio's default pool a few conversations that wait for each other would take every thread, and the
    program around them could not even look up a host name. The thread ends with the last reference to this.
    """

    @part
    def _pool(self) -> "ThreadPoolExecutor":
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(1, thread_name_prefix="everself-worker")

    async def __call__(self, work: Callable[[], T]) -> T:
        import asyncio
        import contextvars

        loop, context = asyncio.get_running_loop(), contextvars.copy_context()
        future = asyncio.ensure_future(loop.run_in_executor(self._pool, lambda: context.run(work)))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait({future})
            if not future.cancelled():
                # retrieved, so that asyncio does not warn about an unretrieved exception
                future.exception()
            raise
