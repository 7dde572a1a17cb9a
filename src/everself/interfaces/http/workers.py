"""Worker threads for what blocks: a bounded number of them, a bounded queue, and a time-out for each call.

A thread cannot be stopped. Whoever asked is told after the time-out; what was begun is done to its end, and only then given back.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from everself.interfaces.http.problems import refuse

T = TypeVar("T")


def _nothing() -> None:
    pass


class Workers:
    """Used on one event loop."""

    def __init__(self, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="everself-gateway")
        self._most = threads + waiting
        self.busy = 0

    async def run(self, work: Callable[[], T], seconds: float | None, then: Callable[[], None] = _nothing) -> T:
        """Without `seconds` it may take as long as it likes. `then` is called once nothing of the work runs any more, begun or not."""
        if self.busy >= self._most:
            then()
            raise refuse(503, "busy", "Too much is being asked at once", "Nothing was done.", Retry_After="1")
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        self.busy += 1

        def leave() -> None:
            self.busy -= 1
            then()
            if not ended.done():
                ended.set_result(None)

        def tell(_: Future[T]) -> None:
            # the loop may be gone when a thread ends after everything else
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(leave)

        job = self._pool.submit(contextvars.copy_context().run, work)
        job.add_done_callback(tell)
        try:
            async with asyncio.timeout(seconds):
                await ended
        except TimeoutError:
            if job.cancel():
                raise refuse(
                    503, "busy", "Too much is being asked at once", "Nothing was done.", Retry_After="5"
                ) from None
            raise refuse(
                504, "timeout", "It takes too long", f"It was not done within {seconds:g} seconds, and goes on."
            ) from None
        except asyncio.CancelledError:
            job.cancel()
            raise
        return job.result()

    def close(self) -> int:
        """Take no more; how many calls still run."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return self.busy
