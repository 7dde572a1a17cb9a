"""Runs an MCP server as a program: message streams over its pipes, with a line limit, and termination.

The library's own transport reads a line of any length and copies it again with each piece; a server that never ends a line would use all
memory and all time.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from everself.conversation.tools.outside._pipe_reader import open_pipe_reader

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

_MOST_LINE: Final = 8 * 1024 * 1024
# the protocol requires this order: close its input, wait, terminate, wait, kill
LEAVE: Final = 2.0
_GO: Final = 1.0


@asynccontextmanager
async def run_server(
    command: str, arguments: Sequence[str], folder: str, variables: dict[str, str]
) -> AsyncIterator[tuple[Any, Any]]:
    """The streams that the library communicates through. Raises OSError if the program cannot be started."""
    import anyio
    from mcp.client.stdio import get_default_environment

    reader = asyncio.StreamReader(limit=_MOST_LINE)
    transport, writing = await open_pipe_reader(lambda: asyncio.StreamReaderProtocol(reader))
    try:
        process = await asyncio.create_subprocess_exec(
            command,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=writing,
            # a server's log output is not part of a conversation
            stderr=asyncio.subprocess.DEVNULL,
            cwd=folder or None,
            env={**get_default_environment(), **variables},
            start_new_session=True,
        )
    except (OSError, ValueError, asyncio.CancelledError):
        transport.close()
        raise
    finally:
        os.close(writing)
    heard, inbox = anyio.create_memory_object_stream[Any](0)
    outbox, spoken = anyio.create_memory_object_stream[Any](0)
    tasks = (asyncio.create_task(_hear(reader, process, heard)), asyncio.create_task(_speak(process, spoken, heard)))
    try:
        yield inbox, outbox
    finally:
        for stream in (inbox, outbox, heard, spoken):
            stream.close()
        await asyncio.shield(_end(process, tasks, transport))


async def _hear(
    reader: asyncio.StreamReader,
    process: "asyncio.subprocess.Process",
    heard: "MemoryObjectSendStream[SessionMessage | Exception]",
) -> None:
    import anyio

    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError), heard:
        try:
            while line := await reader.readline():
                await heard.send(_message(line))
        except ValueError:
            # a line beyond the limit: kill the server, because once we stop reading it would not read its input while it writes
            _tell(process, signal.SIGKILL)


def _message(line: bytes) -> "SessionMessage | Exception":
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _speak(
    process: "asyncio.subprocess.Process",
    spoken: "MemoryObjectReceiveStream[SessionMessage]",
    heard: "MemoryObjectSendStream[SessionMessage | Exception]",
) -> None:
    import anyio

    with suppress(anyio.ClosedResourceError, ConnectionError), spoken:
        async for sent in spoken:
            if process.stdin is not None:
                process.stdin.write(sent.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                await process.stdin.drain()
        return
    # the server no longer reads: a caller that waits for an answer must not wait for ever
    heard.close()


async def _end(
    process: "asyncio.subprocess.Process", tasks: "Sequence[asyncio.Task[None]]", transport: asyncio.ReadTransport
) -> None:
    if process.stdin is not None:
        process.stdin.close()
    left = asyncio.ensure_future(process.wait())
    for seconds, word in ((LEAVE, signal.SIGTERM), (_GO, signal.SIGKILL)):
        await asyncio.wait({left}, timeout=seconds)
        if not left.done():
            _tell(process, word)
    # also after a normal exit, to kill its child processes
    _tell(process, signal.SIGKILL)
    for task in tasks:
        task.cancel()
    await asyncio.gather(left, *tasks, return_exceptions=True)
    transport.close()


def _tell(process: "asyncio.subprocess.Process", word: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, word)
