"""A scripted model on loopback with OpenAI's chat interface: the same reply to everybody, at a fixed number of tokens per second.

usage: python -m tools.bench_gateway.model TOKENS RATE     prints its port

Tokens are sent by the clock, not after pauses: a late one does not delay those after it.
"""

import asyncio
import json
import sys

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_GONE = (ConnectionError, asyncio.IncompleteReadError)


class ScriptedModel:
    """The first token is sent after the interval of one token."""

    def __init__(self, tokens: int, rate: float) -> None:
        self._tokens = tokens
        self._every = 1.0 / rate

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after another."""
        try:
            while (length := await _length(reader)) is not None:
                await reader.readexactly(length)
                await self._stream(writer)
        except _GONE:
            pass
        finally:
            writer.close()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        writer.write(HEAD)
        for at in range(self._tokens):
            await asyncio.sleep(begun + (at + 1) * self._every - loop.time())
            _send(writer, {"choices": [{"index": 0, "delta": {"content": f"word{at} "}, "finish_reason": None}]})
            await writer.drain()
        usage = {"prompt_tokens": 3_000, "completion_tokens": self._tokens, "total_tokens": 3_000 + self._tokens}
        _send(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        _send(writer, {"choices": [], "usage": usage})
        writer.write(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        await writer.drain()


async def _length(reader: asyncio.StreamReader) -> int | None:
    """The length of the next request's body; None at the end of the connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return int(value)
    return None


def _send(writer: asyncio.StreamWriter, told: dict[str, object]) -> None:
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", **told}
    writer.write(_chunk(b"data: " + json.dumps(whole).encode() + b"\n\n"))


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


async def _serve(tokens: int, rate: float) -> None:
    model = ScriptedModel(tokens, rate)
    server = await asyncio.start_server(model.answer, "127.0.0.1", 0, backlog=1_024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), float(sys.argv[2])))
