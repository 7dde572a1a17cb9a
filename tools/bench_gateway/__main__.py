"""Streams of replies through the gateway, on one agent and on many, and the same through a server without Everself: how long the first
token takes, the worst gap between two, and the memory of the process at its start and its end. Prints; asserts nothing.

    python -m tools.bench_gateway [--streams 200] [--agents 20] [--entries 10000] [--seconds 60]

The model is a script at 20 tokens a second. Each stream says something every 20 seconds, in a conversation of its own.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

TOKENS, RATE, EVERY = 40, 20.0, 20.0
PLACES = ("harbour", "quay", "garden", "attic", "market", "station", "office", "cellar")


@dataclass
class Figures:
    first: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    failed: int = 0


def model() -> Any:
    from everself.testing.chat_model import FakeModel, Wait

    return FakeModel(tuple(part for number in range(TOKENS) for part in (f"w{number} ", Wait(1 / RATE))))


def serve(port: int) -> None:
    """The gateway, with the script behind it."""
    from everself.agent import open_runtime
    from everself.interfaces.cli.commands.gateway import surfaces
    from everself.interfaces.http.limits import Limits
    from everself.interfaces.http.server import run_gateway
    from everself.operations.home import Home

    def opener(agent: str) -> Any:
        runtime = open_runtime(agent)
        runtime.chat.use(model())
        return runtime

    del port
    run_gateway(
        Home(), surfaces(), opener, lambda found: print(found.url, flush=True), Limits(rate=10_000, burst=10_000)
    )


def serve_bare(port: int) -> None:
    """The same server and the same script, and nothing between."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    async def say(request: Request) -> StreamingResponse:
        await request.body()

        async def lines() -> AsyncIterator[bytes]:
            for number in range(TOKENS):
                yield f'event: text\ndata: {{"text": "w{number} "}}\n\n'.encode()
                await asyncio.sleep(1 / RATE)

        return StreamingResponse(lines(), media_type="text/event-stream")

    app = Starlette(routes=[Route("/api/v1/chat.say", say, methods=["POST"])])
    print(f"http://127.0.0.1:{port}", flush=True)
    uvicorn.run(app, port=port, http="h11", log_level="critical")


def furnish(agents: int, entries: int, port: int) -> list[str]:
    """Agents with so many entries each; a token for each of them."""
    from everself.agent import open_runtime
    from everself.operations.caller import AT_TERMINAL
    from everself.operations.home import Home
    from everself.operations.settings import SetRequest, set_value
    from everself.operations.setup import SetupRequest, set_up_agent
    from everself.operations.tokens import AddTokenRequest, add_token

    tokens = []
    for number in range(agents):
        name = f"a{number}"
        set_up_agent(Home(), AT_TERMINAL, SetupRequest(agent=name))
        with open_runtime(name) as app:
            folder = Path(app.agent.workspace, "memory")
            folder.mkdir(exist_ok=True)
            for page in range(0, entries, 100):
                day = f"{2000 + page // 36_500}-{page // 100 % 12 + 1:02}-{page // 1_200 % 28 + 1:02}"
                lines = (f"- Box {page + at} stands in the {PLACES[at % 8]}." for at in range(min(100, entries - page)))
                (folder / f"{day}.md").write_text("\n".join(lines) + "\n")
            app.index.sync()
        tokens.append(add_token(Home(), AT_TERMINAL, AddTokenRequest(name=name, agent=name, session="main")).token)
    set_value(Home(), AT_TERMINAL, SetRequest(key="gateway.port", value=str(port)))
    return tokens


async def stream(client: httpx2.AsyncClient, token: str, seed: int, end: float, figures: Figures) -> None:
    chance = random.Random(seed)
    # a stream that is over before it begins says one thing at once
    await asyncio.sleep(chance.random() * EVERY if end > time.monotonic() else 0.0)
    session = ""
    while not session or time.monotonic() < end:
        begun = last = time.monotonic()
        first = True
        known = "" if session == "-" else session
        asked = {"text": f"What stands in the {chance.choice(PLACES)}?", "session": known, "stay": True}
        headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
        try:
            async with client.stream("POST", "/api/v1/chat.say", json=asked, headers=headers) as answer:
                figures.failed += answer.status_code != 200
                async for line in answer.aiter_lines():
                    if '"session"' in line and not known:
                        session = line.partition('"session": "')[2].partition('"')[0]
                    if line == "event: text":
                        now = time.monotonic()
                        (figures.first if first else figures.gaps).append(now - (begun if first else last))
                        first, last = False, now
        except httpx2.HTTPError:
            figures.failed += 1
        session = session or "-"
        if time.monotonic() < end:
            await asyncio.sleep(max(0.0, EVERY - (time.monotonic() - begun)))


async def load(url: str, tokens: list[str], streams: int, seconds: float) -> Figures:
    figures = Figures()
    end = time.monotonic() + seconds
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(base_url=url, timeout=120.0, limits=limits) as client:
        await asyncio.gather(*(stream(client, tokens[one % len(tokens)], one, end, figures) for one in range(streams)))
    return figures


def at(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] * 1_000 if values else float("nan")


def memory_of(pid: int) -> float:
    line = next(one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) / 1_024


def measure(name: str, how: str, tokens: list[str], streams: int, seconds: float, port: int) -> Figures:
    command = [sys.executable, "-m", "tools.bench_gateway", "--serve", how, "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            if how == "everself":
                # each agent is opened once: what is measured is a gateway that has been there for a while
                asyncio.run(load(url, tokens, len(tokens), 0.0))
            start = memory_of(process.pid)
            found = asyncio.run(load(url, tokens, streams, seconds))
            rss = f"RSS {start:.0f} → {memory_of(process.pid):.0f} MB"
        finally:
            process.terminate()
    first, gaps = found.first, found.gaps
    print(
        f"{name}: {len(first)} replies, {found.failed} failed; first token p50 {at(first, 0.5):.0f} ms, p99 {at(first, 0.99):.0f} ms; gap "
        f"p50 {at(gaps, 0.5):.0f} ms, p99 {at(gaps, 0.99):.0f} ms, worst {at(gaps, 1.0):.0f} ms; {rss}",
        flush=True,
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, kind, default in (
        ("streams", int, 200),
        ("agents", int, 20),
        ("entries", int, 10_000),
        ("seconds", float, 60.0),
        ("port", int, 7_399),
        ("serve", str, ""),
    ):
        parser.add_argument(f"--{name}", type=kind, default=default)
    given = parser.parse_args()
    if given.serve:
        {"everself": serve, "bare": serve_bare}[given.serve](given.port)
        return
    with tempfile.TemporaryDirectory(prefix="everself-bench-") as home:
        os.environ |= {"HOME": home, "EVERSELF_HOME": f"{home}/e", "EVERSELF_KEYS": f"{home}/k"}
        tokens = furnish(given.agents, given.entries, given.port)
        bare = measure("without Everself", "bare", tokens, given.streams, given.seconds, given.port)
        for agents in sorted({1, given.agents}):
            name = f"{given.streams} streams on {agents} agent{'s' if agents > 1 else ''} of {given.entries:,} entries"
            found = measure(name, "everself", tokens[:agents], given.streams, given.seconds, given.port)
            print(f"  added to the first token: p99 {at(found.first, 0.99) - at(bare.first, 0.99):.0f} ms")


if __name__ == "__main__":
    main()
