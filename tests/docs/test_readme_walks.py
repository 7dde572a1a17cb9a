"""The README followed literally, in an empty home, to “it remembers” in at most five commands.

Two ways are followed here: with an OpenAI-compatible server of one's own, and as an MCP client.

The third way, the terminal alone, is the first console block, which test_console_blocks.py runs.
"""

import asyncio
import os
import re
import subprocess
from pathlib import Path

import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.docs.test_console_blocks import BLOCK, install, steps
from tests.models.chat.servers import Asked, Call, Reply, say, serve

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text("utf-8")
MOST_COMMANDS = 5
FACT = "The demo is on 27 March."


class Reader:
    """Somebody who copies commands from the README into a shell, and counts them."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.home = folder / "bin", folder / "home"
        self.programs.mkdir()
        self.home.mkdir()
        install(self.programs)
        self.count = 0
        path = f"{self.programs}:{os.environ['PATH']}"
        self.environment = {"HOME": str(self.home), "PATH": path, "PYTHONPATH": str(TOP / "src"), "LANG": "C.UTF-8"}

    def type(self, line: str) -> str:
        self.count += 1
        done = subprocess.run(
            line,
            shell=True,
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"
        return done.stdout


def command(beginning: str) -> str:
    """A line of a block of the README, without the comment behind it."""
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    console = [line for block in BLOCK.findall(README) for line, _ in steps(block)]
    lines = [*"".join(blocks).splitlines(), *console]
    (found,) = {line for line in lines if line.startswith(beginning)}
    return re.sub(r"\s+#.*", "", found)


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


def answer(asked: Asked) -> Reply:
    """A model that writes down what it is told, and knows what stands in its prompt."""
    messages = asked.body["messages"]
    said = next(str(one["content"]) for one in reversed(messages) if one["role"] == "user")
    if messages[-1]["role"] == "tool":
        return say("I'll remember that.")
    if FACT in said and "When is" not in said:
        return Reply(calls=(Call("memory_write", f'{{"content": "{FACT}"}}', "1"),))
    return say("On 27 March." if FACT in asked.words else "I do not know.")


@pytest.mark.slow
def test_with_a_server_of_ones_own_it_remembers(reader: Reader) -> None:
    with serve("openai", script=answer) as server:
        reader.type(command("make models"))
        reader.type(command("export PATH="))
        used = command("everself model use mine/").replace("NAME", "small")
        reader.type(re.sub(r"http://\S+", f"{server.url}/v1", used))
        reader.type(command('everself ask "The demo is on 27 March."'))
        said = reader.type(command('everself ask "When is the demo?"'))
    assert "27 March" in said
    assert reader.count <= MOST_COMMANDS


@pytest.mark.slow
def test_as_an_mcp_client_it_remembers(reader: Reader) -> None:
    assert "configure the command `everself` with the argument `mcp`" in README
    reader.type(command("make mcp"))
    reader.type(command("export PATH="))
    reader.type(command("everself setup"))
    server = StdioServerParameters(command=str(reader.programs / "everself"), args=["mcp"], env=reader.environment)

    async def call(name: str, **arguments: object) -> str:
        reader.count += 1
        async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            done = await session.call_tool(name, arguments)
            assert not done.is_error, done
            return str(done.content)

    asyncio.run(call("memory_write", content=FACT))
    assert "27 March" in asyncio.run(call("memory_search", query="When is the demo?"))
    assert reader.count <= MOST_COMMANDS


def test_the_commands_of_both_ways_stand_in_the_readme() -> None:
    for beginning in ("make models", "make mcp", "export PATH=", "everself model use mine/", "everself setup"):
        assert command(beginning)
