"""Worker threads for blocking calls: a bounded number, a bounded queue, and a time-out per call.

Threads cannot be stopped. After a time-out the caller gets an error; the work runs to its end, and only then its thread is free.
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
        """Run work in a thread; without `seconds` there is no time-out. `then` is called when the work has ended or was not started."""
        if self.busy >= self._most:
            then()
            raise refuse(503, "busy", "Too many requests at once", "Nothing was done.", Retry_After="1")
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        self.busy += 1

        def leave() -> None:
            self.busy -= 1
            then()
            if not ended.done():
                ended.set_result(None)

        def tell(_: Future[T]) -> None:
            # the loop may be closed when a late thread ends
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(leave)

        job = self._pool.submit(contextvars.copy_context().run, work)
        job.add_done_callback(tell)
        try:
            async with asyncio.timeout(seconds):
                await ended
        except TimeoutError:
            if job.cancel():
                raise refuse(503, "busy", "Too many requests at once", "Nothing was done.", Retry_After="5") from None
            raise refuse(
                504, "timeout", "It takes too long", f"It was not done within {seconds:g} seconds, and goes on."
            ) from None
        except asyncio.CancelledError:
            job.cancel()
            raise
        return job.result()

    def close(self) -> int:
        """Accept no more work; returns the number of running calls."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return self.busy
