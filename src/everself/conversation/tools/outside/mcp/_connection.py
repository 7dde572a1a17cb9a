"""Connection to one MCP server, over stdio or HTTP: open, call, close. Failures are returned as text, never raised.

Knows no conversation and no tool names but the server's own.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from everself.config.sections import McpServer
from everself.conversation.tools.outside._truncation import plain
from everself.conversation.tools.outside.mcp._stdio import run_server
from everself.errors import EverselfError
from everself.models.chat.protocol import JsonObject

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp_types import CallToolResult, Tool

START: Final = 30.0
CALL: Final = 60.0
# longer than the forced termination of a program takes
_LEAVE: Final = 8.0
_ALIVE: Final = 5.0
_PAGES: Final = 8
MOST_TOOLS: Final = 64
# limit of one answer over HTTP; the library limits events but not plain answers
_MOST_BYTES: Final = 8 * 1024 * 1024
_REASON: Final = 300
_NAME: Final = 60


class Connection:
    """Keeps the server open in a task of its own, because the library's scopes must be left by the task that entered them."""

    def __init__(self, server: McpServer, folder: str) -> None:
        self.name = plain(server.name, _NAME)
        self._server = server
        self._folder = folder
        self._client: Client | None = None
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.reason = ""

    @property
    def is_open(self) -> bool:
        return self._client is not None

    async def open(self) -> str:
        """Start the server. Returns an empty string if it runs, otherwise the reason why not."""
        await self.close()
        self._stop, self.reason = asyncio.Event(), ""
        ready = asyncio.Event()
        self._task = asyncio.create_task(self._hold(ready))
        try:
            async with asyncio.timeout(START):
                await ready.wait()
        except TimeoutError:
            await self.close()
            return f"it did not answer within {START:g} s"
        if self._client is None:
            await self.close()
        return self.reason

    async def close(self) -> None:
        task, opened = self._task, self._client is not None
        self._task = self._client = None
        if task is None:
            return
        self._stop.set()
        if opened:
            await asyncio.wait({task}, timeout=_LEAVE)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def tools(self) -> "list[Tool]":
        """The tools that the server offers, up to a limit; empty if it does not answer."""
        found: list[Tool] = []
        if self._client is None:
            return found
        try:
            async with asyncio.timeout(START):
                cursor: str | None = None
                for _ in range(_PAGES):
                    listed = await self._client.list_tools(cursor=cursor)
                    found += listed.tools
                    cursor = listed.next_cursor
                    if not cursor or len(found) >= MOST_TOOLS:
                        break
        except faults() as error:
            self.reason = describe(error)
        return found[:MOST_TOOLS]

    async def call(self, name: str, arguments: JsonObject) -> "CallToolResult | str":
        """The result of the tool, or an error text if there is none."""
        if self._client is None:
            return "the server is not running"
        try:
            async with asyncio.timeout(CALL):
                return await self._client.call_tool(name, dict(arguments))
        except TimeoutError:
            return f"the tool did not answer within {CALL:g} s"
        except faults() as error:
            return describe(error)

    async def is_alive(self) -> bool:
        """Whether the server still answers. Error codes are no evidence, because servers use those of a closed connection for their own
        errors."""
        if self._client is None or self._task is None or self._task.done():
            return False
        try:
            async with asyncio.timeout(_ALIVE):
                await self._client.list_tools(cache_mode="bypass")
        except faults():
            return False
        return True

    async def _hold(self, ready: asyncio.Event) -> None:
        from mcp import Client
        from mcp_types import Implementation

        try:
            async with Client(self._transport(), client_info=Implementation(name="everself", version="1")) as client:
                self._client = client
                ready.set()
                await self._stop.wait()
        except faults() as error:
            self.reason = describe(error)
        finally:
            self._client = None
            ready.set()

    def _transport(self) -> "AbstractAsyncContextManager[Any]":
        server = self._server
        if server.command:
            variables = {name: value.reveal() for name, value in server.env}
            return run_server(server.command, server.args, self._folder, variables)
        return _over_http(server.url, {name: value.reveal() for name, value in server.headers})


@asynccontextmanager
async def _over_http(url: str, headers: dict[str, str]) -> AsyncIterator[Any]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    timeout = httpx2.Timeout(CALL, connect=10.0)
    # the size of compressed answers cannot be limited before decompression
    asked = {**headers, "accept-encoding": "identity"}
    async with (
        httpx2.AsyncClient(headers=asked, timeout=timeout, event_hooks={"response": [_limit]}) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


async def _limit(answer: "httpx2.Response") -> None:
    """Limit the size of a plain answer."""
    import httpx2

    if answer.headers.get("content-encoding", "identity") != "identity":
        raise httpx2.DecodingError("a packed answer", request=answer.request)
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        return

    class Limited(httpx2.AsyncByteStream):
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            count = 0
            async for part in self._inner:
                count += len(part)
                if count > _MOST_BYTES:
                    raise httpx2.ReadError("the answer is too long", request=answer.request)
                yield part

        async def aclose(self) -> None:
            await self._inner.aclose()

    answer.stream = Limited(answer.stream)


def faults() -> tuple[type[Exception], ...]:
    """All exceptions by which the library, a program or the network reports a failure. Call only if the library is installed."""
    import anyio
    import httpx2
    from mcp import MCPError

    return (
        *(MCPError, EverselfError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError),
        *(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream),
        # TimeoutError is an OSError; a result of the wrong shape raises ValueError; task groups wrap the exceptions of their tasks
        *(OSError, ValueError, RuntimeError, ExceptionGroup),
    )


def describe(error: BaseException) -> str:
    """The reason in one line, without any content of a request."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return plain(str(error), _REASON) or type(error).__name__


def quieten() -> None:
    """Silence the library's loggers, which log tracebacks; a conversation shows notices instead."""
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
