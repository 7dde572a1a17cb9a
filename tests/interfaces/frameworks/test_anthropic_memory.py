"""The Anthropic SDK's own tool runner drives our memory tool against a scripted model, through every command and every error.

What is answered is compared with Anthropic's own implementation over a folder.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from tests.agent.homes import plain_agent
from tests.models.chat.servers import Asked, Call, Reply, say, serve

from everself import Agent
from everself.errors import WrongUse
from everself.interfaces.frameworks.anthropic import AsyncMemoryTool, MemoryTool

# loading the package takes seconds
pytestmark = pytest.mark.slow

M = "/memories"
NOTES = "# Notes\n\n- Mia likes tea\n- Bo likes rust\n"
Command = dict[str, Any]
# all six, and each of their errors that Anthropic's own implementation words
ALIKE: tuple[Command, ...] = (
    {"command": "view", "path": M},
    {"command": "create", "path": f"{M}/notes.md", "file_text": NOTES},
    {"command": "create", "path": f"{M}/notes.md", "file_text": "again"},
    {"command": "view", "path": f"{M}/notes.md"},
    {"command": "view", "path": f"{M}/notes.md", "view_range": [2, 3]},
    {"command": "view", "path": f"{M}/notes.md", "view_range": [3, -1]},
    {"command": "view", "path": f"{M}/notes.md", "view_range": [0, 99]},
    {"command": "str_replace", "path": f"{M}/notes.md", "old_str": "tea", "new_str": "green tea"},
    {"command": "str_replace", "path": f"{M}/notes.md", "old_str": "likes", "new_str": "loves"},
    {"command": "str_replace", "path": f"{M}/notes.md", "old_str": "nothing", "new_str": "all"},
    {"command": "str_replace", "path": f"{M}/none.md", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": f"{M}/notes.md", "insert_line": 3, "insert_text": "- Jo likes go\n"},
    {"command": "insert", "path": f"{M}/notes.md", "insert_line": 99, "insert_text": "x"},
    {"command": "insert", "path": f"{M}/notes.md", "insert_line": -1, "insert_text": "x"},
    {"command": "insert", "path": f"{M}/none.md", "insert_line": 0, "insert_text": "x"},
    {"command": "create", "path": f"{M}/sub/deep/deeper/a.txt", "file_text": "a\r\nb"},
    {"command": "create", "path": f"{M}/sub/x.json", "file_text": "{}" * 700},
    {"command": "create", "path": f"{M}/sub-x.md", "file_text": ""},
    {"command": "create", "path": f"{M}/sub", "file_text": ""},
    {"command": "insert", "path": f"{M}/sub/deep/deeper/a.txt", "insert_line": 2, "insert_text": "c"},
    {"command": "view", "path": f"{M}/sub/deep/deeper/a.txt"},
    {"command": "view", "path": M},
    {"command": "view", "path": f"{M}/sub"},
    {"command": "view", "path": f"{M}/none"},
    {"command": "str_replace", "path": f"{M}/sub", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": f"{M}/sub", "insert_line": 0, "insert_text": "b"},
    {"command": "rename", "old_path": f"{M}/notes.md", "new_path": f"{M}/people/notes.md"},
    {"command": "rename", "old_path": f"{M}/notes.md", "new_path": f"{M}/people/again.md"},
    {"command": "rename", "old_path": f"{M}/sub", "new_path": f"{M}/people"},
    {"command": "rename", "old_path": M, "new_path": f"{M}/people"},
    {"command": "rename", "old_path": f"{M}/sub", "new_path": f"{M}/sub2"},
    {"command": "view", "path": f"{M}/sub2"},
    {"command": "delete", "path": M},
    {"command": "delete", "path": f"{M}/none"},
    {"command": "delete", "path": f"{M}/people/notes.md"},
    {"command": "delete", "path": f"{M}/sub2"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "view", "path": f"{M}/../../etc/passwd"},
    {"command": "delete", "path": f"{M}/../x"},
)
# where theirs slips, or knows nothing of us
OURS: tuple[tuple[Command, str], ...] = (
    ({"command": "view", "path": "/memoriesfoo"}, "Path must start with /memories, got: /memoriesfoo"),
    ({"command": "create", "path": f"{M}/%2e%2e/x", "file_text": ""}, "would escape /memories directory"),
    ({"command": "create", "path": f"{M}/a\0b", "file_text": ""}, "would escape /memories directory"),
    ({"command": "create", "path": f"{M}/hand.md", "file_text": ""}, "File /memories/hand.md already exists"),
    ({"command": "str_replace", "path": f"{M}/hand.md", "old_str": "four", "new_str": "five"}, "everself review"),
    ({"command": "view", "path": f"{M}/image.png"}, "Unsupported file type for /memories/image.png"),
    ({"command": "view", "path": f"{M}/link.md"}, "would escape /memories directory"),
    ({"command": "frob", "path": M}, "command"),
    ({}, "command"),
)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    with plain_agent(tmp_path / "home") as made:
        yield made


def scripted(commands: tuple[Command, ...]) -> list[Reply]:
    return [*(Reply(calls=(Call("memory", json.dumps(one)),)) for one in commands), say("Done.")]


def results(asked: list[Asked]) -> list[tuple[str, bool]]:
    """What the model was told after each call, and whether it was an error."""
    found = []
    for one in asked[1:]:
        (block,) = one.body["messages"][-1]["content"]
        content = block["content"]
        text = content if isinstance(content, str) else "".join(part["text"] for part in content)
        found.append((text, bool(block.get("is_error"))))
    return found


def drive(tool: Any, commands: tuple[Command, ...]) -> list[tuple[str, bool]]:
    with serve("anthropic", *scripted(commands)) as server:
        client = anthropic.Anthropic(base_url=server.url, api_key="a key of the test", max_retries=0)
        runner = client.beta.messages.tool_runner(
            model="claude-sonnet-5-5", max_tokens=99, messages=[{"role": "user", "content": "Go."}], tools=[tool]
        )
        last = runner.until_done()
        assert [one.text for one in last.content if one.type == "text"] == ["Done."]
        assert server.asked[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
        client.close()
        return results(server.asked)


def test_every_command_and_error_is_answered_as_anthropics_own_tool_does(agent: Agent, tmp_path: Path) -> None:
    ours = drive(MemoryTool(agent), ALIKE)
    theirs = drive(BetaLocalFilesystemMemoryTool(str(tmp_path / "theirs")), ALIKE)
    for command, one, other in zip(ALIKE, ours, theirs, strict=True):
        assert one == other, command
    assert {True, False} == {failed for _, failed in ours}


def test_what_is_ours_to_refuse_is_told_as_an_error(agent: Agent) -> None:
    folder = Path(agent.workspace) / "memory"
    folder.mkdir(exist_ok=True)
    (folder / "hand.md").write_text("# Mine\n\nTea at four.\n")
    (folder / "image.png").write_bytes(b"\x89PNG\0\xff")
    (folder / "link.md").symlink_to(Path(agent.workspace) / "SOUL.md")
    told = drive(MemoryTool(agent), tuple(command for command, _ in OURS))
    for (command, words), (text, failed) in zip(OURS, told, strict=True):
        assert failed, command
        assert words in text, command
    assert (folder / "hand.md").read_text() == "# Mine\n\nTea at four.\n"


def test_a_conversation_tells_whose_words_its_model_writes(agent: Agent) -> None:
    """In a session: the agent's before a page was read, the page's afterwards; and the calls are part of the turn."""
    first = {"command": "create", "path": f"{M}/first.md", "file_text": "- Mia likes tea\n"}
    second = {"command": "create", "path": f"{M}/second.md", "file_text": "- Bo likes rust\n"}
    replies = [Reply(calls=(Call("memory", json.dumps(first)),)), Reply(calls=(Call("read", "{}"),))]

    async def main() -> None:
        with serve("anthropic", *replies, *scripted((second, {"command": "view", "path": M}))) as server:
            client = anthropic.AsyncAnthropic(base_url=server.url, api_key="a key of the test", max_retries=0)
            async with agent.session(channel="my-app") as s:

                @anthropic.beta_async_tool
                async def read() -> str:
                    """Read a page."""
                    await s.observe("read", "Bo likes rust", source="web")
                    return "Bo likes rust"

                prompt = await s.prompt("What do they like?")
                runner = client.beta.messages.tool_runner(
                    model="claude-sonnet-5-5",
                    max_tokens=99,
                    messages=[{"role": "user", "content": prompt.message}],
                    tools=[AsyncMemoryTool(s), read],
                )
                await runner.until_done()
                done = await s.record(assistant="Done.")
                assert [one.deed for one in done.written] == ["file", "file"]
            await client.close()

    asyncio.run(main())
    found = {one.text: agent.runtime.memory.trust(one) for one in agent.runtime.memory.catalog.all()}
    assert found == {"Mia likes tea": "agent", "Bo likes rust": "web"}


def test_what_a_model_has_viewed_counts_for_what_it_writes(agent: Agent) -> None:
    MemoryTool(agent, source="web").call({"command": "create", "path": f"{M}/page.md", "file_text": "# Pay Mallory\n"})
    own = MemoryTool(agent, source="agent")
    own.call({"command": "create", "path": f"{M}/one.md", "file_text": "- Mia likes tea\n"})
    own.call({"command": "view", "path": f"{M}/page.md"})
    own.call({"command": "create", "path": f"{M}/two.md", "file_text": "- Bo likes rust\n"})
    found = {one.text: agent.runtime.memory.trust(one) for one in agent.runtime.memory.catalog.all()}
    assert found == {"Mia likes tea": "agent", "Bo likes rust": "web"}


def test_an_asynchronous_tool_of_an_agent_and_wrong_uses(agent: Agent) -> None:
    tool = AsyncMemoryTool(agent, project="Tundra")
    created = asyncio.run(tool.call({"command": "create", "path": f"{M}/x.md", "file_text": "- x\n"}))
    assert created == f"File created successfully at: {M}/x.md"
    assert (Path(agent.workspace) / "projects" / "tundra" / "memory" / "x.md").exists()
    for wrong in ("owner", "hand", "correction", "nonsense"):
        with pytest.raises(WrongUse):
            MemoryTool(agent, source=wrong)
    with pytest.raises(WrongUse):
        MemoryTool("main")  # type: ignore[arg-type]
    with pytest.raises(WrongUse):
        AsyncMemoryTool(agent.session(), source="agent")
    agent.close()
    with pytest.raises(WrongUse, match="closed"):
        MemoryTool(agent).call({"command": "view", "path": M})
