"""`everself mcp` as a process that a client starts: alone, and beside a gateway that it passes on to."""

import asyncio
from pathlib import Path

import pytest
from tests.interfaces.http.running import running_gateway
from tests.interfaces.mcp.clients import VERSIONS, over_stdio, stdio
from tests.interfaces.mcp.processes import below, home_of, log_of, set_up
from tests.interfaces.mcp.scenario import go_through

pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize("version", VERSIONS)
def test_where_a_gateway_runs_it_opens_nothing_itself(version: str, tmp_path: Path) -> None:
    with running_gateway(tmp_path) as gateway:
        before = below()

        async def run() -> None:
            async with over_stdio(version, stdio(gateway.environ)) as session:
                await go_through(session)
                assert len(below()) == len(before) + 1

        asyncio.run(run())
        asked = [one for one in log_of(tmp_path) if one.get("route") == "/mcp"]
        assert asked
        assert {one["token"] for one in asked} == {"local"}
