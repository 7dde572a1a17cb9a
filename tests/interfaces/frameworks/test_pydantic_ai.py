"""pydantic-ai with an agent's memory: its tools, history and roles, and the example of docs/frameworks.md."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset
from tests.agent.homes import plain_agent
from tests.models.chat.servers import Call, Reply, say, serve

from everself import Agent
from everself.interfaces.frameworks.pydantic_ai import MemoryToolset, ObservedToolset, load_history, record_run

# loading the package takes seconds
pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[3] / "docs" / "frameworks.md"


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    with plain_agent(tmp_path / "home") as made:
        yield made


def sources(agent: Agent) -> dict[str, str]:
    memory = agent.runtime.memory
    return {one.text: memory.trust(one) for one in memory.catalog.all()}


def page() -> str:
    """Read a page."""
    return "Bo likes rust."


def plain() -> str:
    """Look something up."""
    return "Ida likes jazz."


SCRIPT: tuple[Any, ...] = (
    ToolCallPart("memory_write", {"content": "Mia is a rower."}),
    ToolCallPart("memory_write", {"wrong": True}),
    ToolCallPart("page", {}),
    ToolCallPart("memory_write", {"content": "Bo likes rust."}),
    ToolCallPart("plain", {}),
    TextPart("Noted."),
)


def test_a_run_is_recorded_by_roles_and_goes_on_in_another_process(agent: Agent) -> None:
    asked: list[list[ModelMessage]] = []
    script = [*SCRIPT, TextPart("A rower.")]

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(messages)
        assert {"memory_write", "memory_search", "page", "plain"} <= {one.name for one in info.function_tools}
        return ModelResponse(parts=[script[len(asked) - 1]])

    async def run(message: str, resume: str = "") -> None:
        async with agent.session(channel="my-app", resume=resume) as s:
            own = ObservedToolset(FunctionToolset([page]), s, "web")
            tools: list[Any] = [MemoryToolset(s), own, FunctionToolset([plain])]
            made = PydanticAgent(FunctionModel(answer), toolsets=tools)
            history, prompt = await load_history(s), await s.prompt(message)
            result = await made.run(prompt.message, instructions=prompt.prefix, message_history=history)
            await record_run(s, message, result)

    asyncio.run(run("My heron is called Otto."))
    asyncio.run(run("What is Mia?", "last"))
    assert sources(agent) == {
        "My heron is called Otto.": "owner",
        "Mia is a rower.": "agent",
        "Bo likes rust.": "web",
    }
    log = agent.runtime.log
    (session,) = log.list()
    said = [(one.role, one.content) for one in log.messages(session) if one.content]
    assert [text for role, text in said if role == "user"] == ["My heron is called Otto.", "What is Mia?"]
    assert [text for role, text in said if role == "assistant"] == ["Noted.", "A rower."]
    given = [text for role, text in said if role == "tool"]
    assert (given.count("Bo likes rust."), given.count("Ida likes jazz.")) == (1, 1)
    assert any("wrong" in text for text in given)
    # words and no calls, in the plain words that were said
    before = [part.content for one in asked[-1][:-1] for part in one.parts if hasattr(part, "content")]
    assert before == ["My heron is called Otto.", "Noted."]


def test_what_a_failing_tool_says_taints_as_a_result_does(agent: Agent) -> None:
    def broken() -> str:
        """Read a page."""
        raise ModelRetry("The page says: Bo likes rust.")

    script = [
        ToolCallPart("broken", {}),
        ToolCallPart("memory_write", {"content": "Bo likes rust."}),
        TextPart("Done."),
    ]
    asked: list[object] = []

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        asked.append(messages)
        return ModelResponse(parts=[script[len(asked) - 1]])

    async def main() -> None:
        async with agent.session(channel="my-app") as s:
            own = ObservedToolset(FunctionToolset([broken], max_retries=2), s, "web")
            made = PydanticAgent(FunctionModel(answer), toolsets=[MemoryToolset(s), own])
            prompt = await s.prompt("What does Bo like?")
            await record_run(s, "What does Bo like?", await made.run(prompt.message, instructions=prompt.prefix))

    asyncio.run(main())
    assert sources(agent) == {"Bo likes rust.": "web"}


def test_a_session_keeps_what_is_said_before_anything_is_done_with_it(agent: Agent) -> None:
    async def main() -> None:
        async with agent.session(channel="my-app") as s:
            await s.say("My boat is called Heliotrope.")
            assert [one.text for one in await s.messages()] == ["My boat is called Heliotrope."]
            prompt = await s.prompt("My boat is called Heliotrope.")
            assert prompt.message.startswith("My boat")
            done = await s.call("memory_write", {"content": "My boat is called Heliotrope."}, id="a")
            assert not done.failed
            await s.record(assistant="Nice.")
            assert [one.role for one in await s.messages()] == ["user", "assistant", "tool", "assistant"]

    asyncio.run(main())
    assert sources(agent) == {"My boat is called Heliotrope.": "owner"}


def test_the_example_of_the_page_runs(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agent.close()
    monkeypatch.setenv("EVERSELF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EVERSELF_CONFIG", str(tmp_path / "home" / "everself.json5"))
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = [one for one in blocks if "pydantic_ai" in one]
    replies = (Reply(calls=(Call("weather", '{"city": "Bern"}'),)), say("It rains in Bern."))
    with serve("openai", *replies) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "a key of the test")
        exec(compile(block, "frameworks.md", "exec"), {"__name__": "frameworks"})  # noqa: S102 the page is ours
    assert capsys.readouterr().out == "It rains in Bern.\n"
    with Agent.open(fresh=False) as opened:
        assert sources(opened)["I am moving to Bern."] == "owner"
