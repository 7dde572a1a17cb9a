"""Without the extra, both servers say how to install it; and the stdio server loads little."""

import asyncio
import importlib.util
import subprocess
import sys
from typing import Any

import pytest
from tests.interfaces.http.gateways import Gateway, make_agent, make_token

from everself.config.installation import install_command
from everself.interfaces.cli.entry import run

LISTS = """
import sys
import everself.interfaces.mcp.relay
heavy = ("numpy", "apsw", "re2", "everself.runtime", "everself.operations.entries", "everself.operations.search")
print([name for name in heavy if name in sys.modules])
"""


@pytest.fixture
def without_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def find_other(name: str, *more: Any) -> Any:
        return None if name == "mcp" else find(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", find_other)


@pytest.mark.usefixtures("without_sdk")
def test_the_command_says_how_to_install_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp"]) == 5
    assert install_command("mcp") in capsys.readouterr().err


@pytest.mark.usefixtures("without_sdk")
def test_the_gateway_says_how_to_install_it() -> None:
    make_agent()
    token = make_token()

    async def ask() -> Any:
        async with Gateway() as gateway:
            return await gateway.client(token).post("/mcp", json={})

    answer = asyncio.run(ask())
    assert answer.status_code == 501
    assert install_command("mcp") in answer.json()["next"]


def test_mcp_is_no_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "--json"]) == 2
    assert "The MCP server has no --json output" in capsys.readouterr().out


@pytest.mark.slow
def test_the_stdio_server_loads_no_agent_and_no_operation_of_one() -> None:
    done = subprocess.run([sys.executable, "-c", LISTS], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
