"""MCP from a client's view: the time of the first call and of later ones, with and without a gateway, and the tokens to be paid for."""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent
from tools.bench_integrations.figures import Figure, spread
from tools.bench_integrations.home import WORDS, make_home, running_gateway
from tools.bench_integrations.processes import below, ended_seconds, processor_seconds, resident_megabytes

from everself.text.tokens import count

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory_search", {"query": "Which harbour is ready?"}),
    ("memory_get", {"path": "memory/2026-02-03.md#L3-L5"}),
    ("memory_write", {"content": "The harbour is closed in winter.", "key": "closed"}),
    ("memory_correct", {"old": "The harbour is closed in winter.", "new": "The harbour is open in winter."}),
    ("memory_forget", {"what": "The harbour is closed in winter."}),
    ("soul_propose", {"line": "Ask before you sail.", "reason": "It was asked for."}),
    ("context", {"message": "Which harbour is ready?"}),
)
_WARM = 10
_IDLE_MEMORY = 80.0


def measure(folder: Path, rounds: int, entries: int) -> Iterator[Figure | str]:
    environ = make_home(folder, entries)
    yield f"MCP over stdio, {entries:,} entries, no gateway"
    yield from asyncio.run(_answers(environ))
    yield from asyncio.run(_times(environ, max(3, rounds // 4), rounds))
    with running_gateway(environ):
        yield f"MCP over stdio, {entries:,} entries, through the gateway"
        yield from asyncio.run(_times(environ, rounds, rounds))


async def _answers(environ: dict[str, str]) -> list[Figure]:
    async with stdio_client(_server(environ)) as (reading, writing), ClientSession(reading, writing) as session:
        await session.discover()
        idle = resident_megabytes(max(below()))
        listed = await session.list_tools()
        tools = [one.model_dump(by_alias=True, mode="json", exclude_none=True) for one in listed.tools]
        found = [
            Figure("resident memory of an idle server", idle, "MB", _IDLE_MEMORY),
            Figure("tools/list", count(json.dumps(tools, ensure_ascii=False)), "tokens", 1_500),
        ]
        answers = [(name, _text(await session.call_tool(name, given))) for name, given in CALLS]
    return [*found, *(Figure(f"answer of {name}", count(text), "tokens") for name, text in answers)]


async def _times(environ: dict[str, str], cold: int, rounds: int) -> list[Figure]:
    first: list[float] = []
    before = ended_seconds()
    for start in range(cold):
        begun = time.perf_counter()
        async with stdio_client(_server(environ)) as (reading, writing), ClientSession(reading, writing) as session:
            await session.discover()
            await session.call_tool("memory_search", {"query": WORDS[start % 10]})
            first.append(time.perf_counter() - begun)
    used = (ended_seconds() - before) / cold
    figures = [
        *spread("from the start to the first answer", first),
        Figure("from the start to the end of the server, processor time", used * 1000, "ms"),
    ]
    async with stdio_client(_server(environ)) as (reading, writing), ClientSession(reading, writing) as session:
        await session.discover()
        await session.call_tool("memory_search", {"query": WORDS[0]})
        count_of = max(_WARM, rounds)
        for name, field, form in (
            ("memory_search", "query", "Which {} is ready, number {}?"),
            ("memory_write", "content", "The {} was painted in round {}."),
        ):
            running = processor_seconds()
            taken = [await _timed(session, name, **{field: form.format(WORDS[at % 10], at)}) for at in range(count_of)]
            figures += spread(f"{name}, warm", taken)
            spent = (processor_seconds() - running) / count_of
            figures.append(Figure(f"{name}, warm, processor time", spent * 1000, "ms"))
    return figures


async def _timed(session: ClientSession, name: str, **given: Any) -> float:
    begun = time.perf_counter()
    answer = await session.call_tool(name, given)
    if answer.is_error:
        raise RuntimeError(_text(answer))
    return time.perf_counter() - begun


def _text(answer: CallToolResult) -> str:
    return "".join(one.text for one in answer.content if isinstance(one, TextContent))


def _server(environ: dict[str, str]) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "everself", "mcp"], env=environ)
