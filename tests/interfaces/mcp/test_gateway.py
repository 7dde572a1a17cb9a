"""`/mcp` in the gateway: every tool and resource in every protocol, for whoever the token says."""

import asyncio
import json
import shutil
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from mcp import ClientSession
from tests.interfaces.http.gateways import BASE, Gateway, make_agent, make_token
from tests.interfaces.mcp.clients import MODERN, TOOLS, VERSIONS, over_http, said
from tests.interfaces.mcp.scenario import go_through

from everself.agent import open_runtime
from everself.operations.caller import AT_TERMINAL
from everself.operations.entries import AddRequest
from everself.operations.registry import get_operation
from everself.text.tokens import count

URL = f"{BASE}/mcp"


def with_session(token: str, version: str, work: Callable[[Gateway, ClientSession], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        async with Gateway() as gateway, over_http(version, gateway.client(token), URL) as session:
            await work(gateway, session)

    asyncio.run(run())


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_the_official_client_runs_everything(version: str) -> None:
    make_agent()
    with_session(make_token(), version, lambda _, session: go_through(session))


def test_the_tools_cost_few_tokens_and_are_listed_alike_each_time() -> None:
    make_agent()
    token = make_token()

    async def run() -> list[bytes]:
        async with Gateway() as gateway:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
            return [(await gateway.client(token, **headers).post("/mcp", json=body)).content for _ in range(2)]

    one, other = asyncio.run(run())
    assert one == other
    tools = json.loads(one)["result"]["tools"]
    assert [tool["name"] for tool in tools] == TOOLS
    tokens = count(json.dumps(tools, ensure_ascii=False))
    print(f"tools/list: {tokens} tokens")
    assert tokens <= 1_500


def test_a_guest_gets_what_a_guest_is_offered_and_a_reader_only_reads() -> None:
    make_agent()
    guest, reader = make_token("anna", "guest/anna"), make_token("reader", read=True)
    with open_runtime() as app:
        get_operation("memory.add")(app, AT_TERMINAL, AddRequest(text="My heron is called Otto."))

    async def as_guest(_: Gateway, session: ClientSession) -> None:
        assert [one.name for one in (await session.list_tools()).tools] == [
            "memory_get",
            "memory_search",
            "memory_write",
        ]
        assert (await session.list_resources()).resources == []
        assert "users/anna" in await said(session, "memory_write", content="The mooring is paid until May.")
        found = await said(session, "memory_search", query="heron")
        assert "users/anna" in found
        assert "Otto" not in found

    async def as_reader(_: Gateway, session: ClientSession) -> None:
        names = [one.name for one in (await session.list_tools()).tools]
        assert names == ["context", "memory_get", "memory_search"]

    with_session(guest, MODERN, as_guest)
    with_session(reader, MODERN, as_reader)


def test_what_is_no_request_is_an_error_of_the_protocol() -> None:
    make_agent()
    token = make_token()

    async def run() -> None:
        async with Gateway() as gateway:
            headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
            for version in ("2025-11-25", MODERN, "1999-01-01"):
                client = gateway.client(token, **headers, **{"mcp-protocol-version": version})
                for body in (b"", b"{", b"[]", b"1", b'{"jsonrpc":"2.0","id":1}', b'{"id":{},"method":3}', b"\xff\xfe"):
                    answer = await client.post("/mcp", content=body)
                    assert 400 <= answer.status_code < 500, (version, body, answer.status_code)
                    assert answer.json()["error"]["code"] < 0
            large = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"' + b"x" * 2**20 + b'"}}'
            assert (await gateway.client(token, **headers).post("/mcp", content=large)).status_code == 413
            for method in ("GET", "DELETE", "PUT"):
                asked = await gateway.client(token, **headers).request(method, "/mcp", content=b"{}")
                assert asked.status_code == 405

    asyncio.run(run())


def test_without_a_workspace_a_tool_says_what_to_do() -> None:
    make_agent()
    token = make_token()

    async def work(gateway: Gateway, session: ClientSession) -> None:
        with open_runtime() as app:
            shutil.rmtree(app.agent.workspace)
        del gateway
        assert "everself setup" in await said(session, "memory_search", failed=True, query="heron")

    with_session(token, MODERN, work)
