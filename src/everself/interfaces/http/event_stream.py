"""Server-sent events: a response whose lines are sent as they arrive, with comments in between. Knows no particular event."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Final

from starlette.types import Receive, Scope, Send

from everself.interfaces.http.problems import Problem, Refused

QUIET_SECONDS: Final = 15.0
_QUIET: Final = b": still here\n\n"


def event_lines(data: str, event: str = "", number: int | None = None) -> bytes:
    """The lines of one event. `data` is JSON without line breaks."""
    named = f"event: {event}\n" if event else ""
    counted = "" if number is None else f"id: {number}\n"
    return f"{counted}{named}data: {data}\n\n".encode("utf-8", "replace")


class EventStream:
    """An ASGI response. If the client disconnects, the source is closed at once, which stops its work."""

    def __init__(
        self,
        source: AsyncIterator[bytes],
        headers: Mapping[str, str] | None = None,
        quiet: float = QUIET_SECONDS,
        worded: Callable[[Problem], bytes] | None = None,
    ) -> None:
        """`worded` formats errors after the response has started; without it the connection is closed early."""
        self._source = source
        self._worded = worded
        self._headers = headers or {}
        self._quiet = quiet

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Errors before the first event are raised, so that they get a status code."""
        sending = asyncio.ensure_future(self._pass_on(send))
        leaving = asyncio.ensure_future(left(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                await sending
        finally:
            for task in (sending, leaving):
                task.cancel()
            # until the source has ended, so that its data is stored before the request is over
            await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _pass_on(self, send: Send) -> None:
        begun = False
        try:
            async with aclosing(_with_comments(self._source, self._quiet)) as chunks:
                async for chunk in chunks:
                    if not begun:
                        begun = True
                        await self._begin(send)
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except Refused as refused:
            if not begun or self._worded is None:
                raise
            await send({"type": "http.response.body", "body": self._worded(refused.problem), "more_body": True})
        if not begun:
            await self._begin(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _begin(self, send: Send) -> None:
        named = {"content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no"} | dict(self._headers)
        raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in named.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})


async def left(receive: Receive) -> None:
    """Returns when the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _with_comments(source: AsyncIterator[bytes], quiet: float) -> AsyncGenerator[bytes, None]:
    """The chunks, with a comment after each pause, so that proxies keep the connection."""
    following: asyncio.Future[bytes] | None = None
    try:
        while True:
            following = following or asyncio.ensure_future(anext(source))
            await asyncio.wait({following}, timeout=quiet)
            if not following.done():
                yield _QUIET
                continue
            done, following = following, None
            try:
                chunk = done.result()
            except StopAsyncIteration:
                return
            yield chunk
    finally:
        if following is not None:
            following.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await following
        close = getattr(source, "aclose", None)
        if close is not None:
            await close()
