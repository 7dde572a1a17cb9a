"""R5 over MCP: eight clients, each with a server of its own, write to one agent at once; half-way a gateway starts, which they then pass on
to, and is asked over HTTP as well. Nothing is lost or doubled, and nobody is told that something is locked.
"""

import asyncio
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2
from mcp import ClientSession
from tests.interfaces.http.gateways import free_port
from tests.interfaces.mcp.clients import VERSIONS, over_http, over_stdio, said, stdio
from tests.interfaces.mcp.processes import below, command, home_of, memory_of, set_up

CLIENTS = 8
LONG = 120.0


class Day:
    """`written` are the words of each acknowledged write; `memory` is what each server held before its first call."""

    def __init__(self, environ: dict[str, str], port: int, clients: int, count: int) -> None:
        self.environ = environ
        self.port = port
        self.clients = clients
        self.count = count
        self.written: list[str] = []
        self.memory: list[int] = []
        self.halfway = asyncio.Barrier(clients + 1)
        self.goes_on = asyncio.Event()

    async def client(self, number: int) -> None:
        async with over_stdio(VERSIONS[number % len(VERSIONS)], stdio(self.environ)) as session:
            # each has started, none has called yet
            async with self.halfway:
                if number == 0:
                    self.memory += [memory_of(one) for one in below()]
            for at in range(self.count):
                if at == self.count // 2:
                    async with self.halfway:
                        pass
                    await self.goes_on.wait()
                await self.write(session, f"Client {number} saw heron {at} at the harbour.")

    async def write(self, session: ClientSession, words: str) -> None:
        answer = json.loads(await said(session, "memory_write", content=words, key=words))
        assert answer["entry"], answer
        self.written.append(words)

    async def by_http(self, url: str, token: str) -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=LONG) as client,
            over_http(VERSIONS[0], client, f"{url}/mcp") as session,
        ):
            for at in range(self.count):
                await self.write(session, f"The gateway saw heron {at} at the harbour.")

    async def live(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for number in range(self.clients):
                tasks.create_task(self.client(number))
            async with self.halfway:
                pass
            async with self.halfway:
                pass
            asked = (sys.executable, "-m", "everself", "gateway", "run", "--json")
            pipe = asyncio.subprocess.PIPE
            gateway = await asyncio.create_subprocess_exec(*asked, stdout=pipe, env=self.environ)
            try:
                assert gateway.stdout is not None
                assert await gateway.stdout.readline(), "the gateway did not start"
                token = await asyncio.to_thread(_token, self.environ)
                self.goes_on.set()
                await self.by_http(f"http://127.0.0.1:{self.port}", token)
            except BaseException:
                gateway.kill()
                raise
        gateway.send_signal(signal.SIGTERM)
        await gateway.wait()


def _token(environ: dict[str, str]) -> str:
    found: str = json.loads(command(environ, "gateway", "token", "add", "t", "--as", "main", "--json").stdout)["data"][
        "token"
    ]
    return found


def run_r5_mcp(count: int, seed: int, clients: int = CLIENTS) -> str:
    """Each client writes `count` times; the seed chooses nothing."""
    with tempfile.TemporaryDirectory(prefix="everself-mcp-") as top:
        port = free_port()
        environ = home_of(Path(top), gateway={"port": port})
        set_up(environ)
        day = Day(environ, port, clients, count)
        asyncio.run(day.live())
        listed = json.loads(command(environ, "memory", "list", "--limit", "100000", "--json").stdout)["data"]
        found = [one["entry"]["text"] for one in listed if "heron" in one["entry"]["text"]]
        assert sorted(found) == sorted(day.written), f"{len(found)} entries of {len(day.written)} writes"
        assert len(found) == (clients + 1) * count
        checked = subprocess.run(
            [sys.executable, "-m", "everself", "doctor"], env=environ, capture_output=True, text=True, check=False
        )
        assert checked.returncode in (0, 6), checked.stdout
    most = max(day.memory) / 2**20
    return (
        f"R5 over MCP: {clients} servers and a gateway, {len(found)} writes, 0 lost, 0 locked; "
        f"an idle server holds {most:.0f} MB, seed {seed}"
    )
