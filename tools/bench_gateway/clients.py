"""Clients that send messages at a steady rate and time each token. Independent of Everself and of the scripted model."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

SESSION = "x-everself-session"
# seconds; a reply that takes longer counts as failed
LONGEST = 120.0


@dataclass(frozen=True, slots=True)
class Stream:
    """One client: its address, its credentials, and its messages."""

    port: int
    model: str
    token: str
    said: Sequence[str]


@dataclass(frozen=True, slots=True)
class Answered:
    """Seconds to the first token and the longest gap between two tokens. `fault`: why the reply is incomplete."""

    first: float = 0.0
    gap: float = 0.0
    tokens: int = 0
    fault: str = ""


async def talk(
    streams: Sequence[Stream], seconds: float, every: float, tell: Callable[[int], None]
) -> tuple[Answered, ...]:
    """Let all clients talk for `seconds`, each with a message every `every` seconds, their starts spread over that interval."""
    begun = time.perf_counter()
    found: list[Answered] = []

    async def one(at: int, stream: Stream) -> None:
        session, number = "", 0
        due = begun + every * at / len(streams)
        while due < begun + seconds:
            await asyncio.sleep(due - time.perf_counter())
            answered, session = await say(stream, number, session)
            found.append(answered)
            tell(len(found))
            number += 1
            # a client whose reply was late sends its next message at once
            due = max(due + every, time.perf_counter())

    await asyncio.gather(*(one(at, stream) for at, stream in enumerate(streams)))
    return tuple(found)


async def say(stream: Stream, number: int, session: str) -> tuple[Answered, str]:
    """Send one message; also returns the session in which it was answered."""
    body = {
        "model": stream.model,
        "stream": True,
        "messages": [{"role": "user", "content": stream.said[number % len(stream.said)]}],
    }
    raw = json.dumps(body).encode()
    named = f"{SESSION}: {session}\r\n" if session else ""
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {stream.token}\r\n{named}"
        f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\nConnection: close\r\n\r\n"
    )
    asked = time.perf_counter()
    try:
        async with asyncio.timeout(LONGEST):
            reader, writer = await asyncio.open_connection("127.0.0.1", stream.port)
            try:
                writer.write(head.encode() + raw)
                return await _read(reader, asked, session)
            finally:
                writer.close()
    except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        return Answered(fault=type(error).__name__), session


async def _read(reader: asyncio.StreamReader, asked: float, session: str) -> tuple[Answered, str]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")
    for line in lines[1:]:
        name, _, value = line.partition(":")
        if name.lower() == SESSION:
            session = value.strip()
    if " 200 " not in lines[0]:
        return Answered(fault=lines[0]), session
    times: list[float] = []
    while line_read := await reader.readline():
        if line_read.startswith(b"data: [DONE]"):
            if not times:
                return Answered(fault="no token"), session
            gap = max((later - earlier for earlier, later in pairwise(times)), default=0.0)
            return Answered(times[0] - asked, gap, len(times)), session
        if line_read.startswith(b"data: {") and _has_text(line_read):
            times.append(time.perf_counter())
    return Answered(fault="broke off"), session


def _has_text(line: bytes) -> bool:
    choices = json.loads(line.removeprefix(b"data: ")).get("choices", [])
    return any(one.get("delta", {}).get("content") for one in choices)
