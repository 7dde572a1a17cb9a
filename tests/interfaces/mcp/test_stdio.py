"""`everself mcp` as a process that a client starts: alone, and beside a gateway that it passes on to."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from mcp.client.stdio import StdioServerParameters
from mcp_types import CLIENT_CAPABILITIES_META_KEY, INVALID_PARAMS, METHOD_NOT_FOUND, PROTOCOL_VERSION_META_KEY
from tests.interfaces.http.running import running_gateway
from tests.interfaces.mcp.clients import MODERN, VERSIONS, over_stdio, said, stdio
from tests.interfaces.mcp.processes import LONG, below, home_of, log_of, set_up
from tests.interfaces.mcp.scenario import go_through

from everself.text.tokens import count

pytestmark = pytest.mark.slow


# messages that are no requests, and what is answered to each: nothing can be said to what has no id
BROKEN = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"jsonrpc":"2.0"}',
    b'{"jsonrpc":"2.0","id":{},"method":3}',
    b"\xff\xfe\x00",
    b'{"jsonrpc":"2.0","method":"notifications/nothing"}',
    b"[" * 100_000,
)


def asked(number: int, method: str, **params: Any) -> bytes:
    meta = {PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: {}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params | {"_meta": meta}}).encode()


@contextmanager
def started(environ: dict[str, str]) -> "Iterator[subprocess.Popen[bytes]]":
    """A server at the other end of pipes, which has to end by itself when they are closed."""
    command = [sys.executable, "-m", "everself", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ) as server:
        try:
            yield server
        finally:
            assert server.stdin is not None
            server.stdin.close()
            assert server.wait(LONG) == 0


def answer(server: "subprocess.Popen[bytes]", *lines: bytes) -> dict[str, Any]:
    """What comes for the last of these lines."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b"\n".join(lines) + b"\n")
    server.stdin.flush()
    wanted = json.loads(lines[-1])["id"]
    while True:
        found: dict[str, Any] = json.loads(server.stdout.readline())
        if found.get("id") == wanted:
            return found


def test_what_is_broken_is_answered_and_never_ends_the_server(tmp_path: Path) -> None:
    environ = home_of(tmp_path)
    write = {"name": "memory_write", "arguments": {"content": "The heron is grey."}}
    with started(environ) as server:
        # no workspace yet
        found = answer(server, asked(1, "tools/call", **write))
        assert found["result"]["isError"]
        assert "everself setup" in found["result"]["content"][0]["text"]
        set_up(environ)
        assert not answer(server, *BROKEN, asked(2, "tools/call", **write))["result"]["isError"]
        assert answer(server, asked(3, "no/such/method"))["error"]["code"] == METHOD_NOT_FOUND
        huge = {"name": "memory_write", "arguments": {"content": "heron " * 2_000_000}}
        assert "characters" in answer(server, asked(4, "tools/call", **huge))["result"]["content"][0]["text"]
        assert (
            answer(server, asked(5, "tools/call", name="memory_write", arguments=[1]))["error"]["code"]
            == INVALID_PARAMS
        )
        # the agent's process is killed between two calls, and in its place comes another
        (worker,) = below(server.pid)
        os.kill(worker, signal.SIGKILL)
        search = {"name": "memory_search", "arguments": {"query": "heron"}}
        found = answer(server, asked(6, "tools/call", **search))
        if "error" in found:
            # asked before the server had noticed: it does not say that it was done, nor that it was not
            assert "not known" in found["error"]["message"]
            found = answer(server, asked(7, "tools/call", **search))
        assert "heron" in found["result"]["content"][0]["text"]
        assert below(server.pid) != [worker]
    assert below() == []


@pytest.mark.parametrize("damage", ["garbage", "locked", "folder"])
def test_a_damaged_or_locked_database_is_told_of(damage: str, tmp_path: Path) -> None:
    environ = home_of(tmp_path)
    set_up(environ)
    (state,) = (tmp_path / ".everself" / "agents").glob("*/state.db")
    write = asked(2, "tools/call", name="memory_write", arguments={"content": "The heron is grey."})
    with ExitStack() as held:
        if damage == "garbage":
            state.write_bytes(b"no database" * 500)
        elif damage == "folder":
            state.unlink()
            state.mkdir()
        else:
            connection = apsw.Connection(str(state))
            held.callback(connection.close)
            connection.execute("BEGIN EXCLUSIVE")
        server = held.enter_context(started(environ))
        found = answer(server, write)
        assert found["result"]["isError"], found
        words = found["result"]["content"][0]["text"]
        assert "mistake in Everself" not in words
        assert "everself" in words or "lock" in words.lower(), words


def test_the_tools_are_listed_alike_each_time_and_cost_few_tokens(tmp_path: Path) -> None:
    """Byte for byte, by two servers as well: what a client sends to its model before everything else is then the same."""
    environ = home_of(tmp_path)
    set_up(environ)
    lines: list[bytes] = []
    for _ in range(2):
        with started(environ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            for _ in range(2):
                server.stdin.write(asked(1, "tools/list") + b"\n")
                server.stdin.flush()
                lines.append(server.stdout.readline())
    assert len(set(lines)) == 1
    tools = json.loads(lines[0])["result"]["tools"]
    assert count(json.dumps(tools, ensure_ascii=False)) <= 1_500


def test_an_idle_server_lets_go_of_the_agent_and_takes_it_up_again(tmp_path: Path) -> None:
    environ = home_of(tmp_path)
    set_up(environ)
    script = "import sys; from everself.interfaces.mcp.relay import serve_stdio; serve_stdio('', idle=0.5)"
    server = StdioServerParameters(command=sys.executable, args=["-c", script], env=environ)

    async def run() -> None:
        async with over_stdio(MODERN, server) as session:
            for _ in range(2):
                assert "citation" in await said(session, "memory_write", content="The heron is grey.")
                assert len(below()) == 2
                while len(below()) > 1:
                    await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(run(), LONG))


def test_a_client_in_a_repository_writes_to_its_project(tmp_path: Path) -> None:
    repository = tmp_path / "rocket"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    origin = "git@example.org:Acme/Rocket.git"
    subprocess.run(["git", "-C", str(repository), "remote", "add", "origin", origin], check=True)
    environ = home_of(tmp_path)
    set_up(environ)
    server = stdio(environ).model_copy(update={"cwd": str(repository)})

    async def run() -> None:
        async with over_stdio(MODERN, server) as session:
            one = json.loads(await said(session, "memory_write", content="The rocket flies in May."))
            assert one["path"].startswith("projects/example-org-acme-rocket-")
            assert "rocket flies" in await said(session, "memory_search", query="rocket")

    asyncio.run(run())


@pytest.mark.parametrize("version", VERSIONS)
def test_the_official_client_runs_everything(version: str, tmp_path: Path) -> None:
    environ = home_of(tmp_path)
    set_up(environ)

    async def run() -> None:
        async with over_stdio(version, stdio(environ)) as session:
            await go_through(session)
            # the agent is opened by a process of its own
            assert len(below()) == 2

    asyncio.run(run())
    assert below() == []


def test_where_a_gateway_runs_it_opens_nothing_itself(tmp_path: Path) -> None:
    with ExitStack() as held:
        gateway = held.enter_context(running_gateway(tmp_path))
        before = below()

        async def run() -> None:
            async with over_stdio(VERSIONS[0], stdio(gateway.environ)) as session:
                await go_through(session)
                (server,) = set(below()) - set(before)
                asked = [one for one in log_of(tmp_path) if one.get("route") == "/mcp"]
                assert asked
                assert {one["token"] for one in asked} == {"local"}
                # the gateway ends, and the client notices nothing
                await asyncio.to_thread(held.close)
                assert "Ines" in await said(session, "memory_search", query="harbour master")
                assert len(below(server)) == 1

        asyncio.run(run())
    assert below() == []
