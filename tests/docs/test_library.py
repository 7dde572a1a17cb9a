"""The examples of docs/library.md run in their order, in one program, and are what a strict type checker accepts."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agent.homes import share_weights
from tests.models.chat.servers import Call, Reply, Server, say, serve

import everself
from everself.agent import open_runtime
from everself.operations.setup import set_up

TOP = Path(__file__).resolve().parents[2]
PAGE = TOP / "docs" / "library.md"


def examples() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def vendors(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Server]]:
    """The vendors' packages as they are, each talking to a server on the loopback."""
    write, search = Call("memory_write", '{"content": "Mia is a rower."}'), Call("memory_search", '{"query": "Mia"}')
    openai = (say("Noted, ", "9:30."), Reply(calls=(write, search)), say("Rowing is fun."))
    note = (
        '{"command": "create", "path": "/memories/races.md", "file_text": "# Races\\n\\n- Mia won the first one.\\n"}'
    )
    noted = (Reply(calls=(Call("memory", note),)), say("I keep a file about them."))
    anthropic = (say("At 9:30."), Reply(calls=(write, search)), say("Well done, Mia."), *noted)
    with serve("openai", *openai) as one, serve("anthropic", *anthropic) as two:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{one.url}/v1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", two.url)
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            monkeypatch.setenv(name, "a key of the test")
        yield {"openai": one, "anthropic": two}


@pytest.mark.parametrize(
    "whole", [pytest.param(False, id="plain"), pytest.param(True, id="vendors", marks=pytest.mark.slow)]
)
def test_the_examples_of_the_library_run_and_say_what_the_page_says(
    capsys: pytest.CaptureFixture[str], vendors: dict[str, Server], *, whole: bool
) -> None:
    """The vendors' packages take seconds to import, so that what needs them is left out of the fast run."""
    with open_runtime() as app:
        share_weights(Path(app.places.home))
        set_up(app)
    program: dict[str, Any] = {"__name__": "library"}
    said: dict[str, str] = {}
    for number, example in enumerate(examples(), 1):
        if not whole and any(name in example for name in ("AsyncOpenAI", "AsyncAnthropic")):
            continue
        exec(compile(example, f"library.md#{number}", "exec"), program)  # noqa: S102 the page is ours
        said[example] = capsys.readouterr().out

    def told(words: str) -> str:
        (found,) = [output for example, output in said.items() if words in example]
        return found

    assert told("Agent.create()").startswith("main ")
    entry, path = told('agent.remember("I am working').split()
    assert path.startswith("memory/")
    assert entry in told("agent.correct(")
    assert "tundra" in told("agent.search(")
    assert "#L" in told("agent.search(")
    assert "ForgetProof" in told("agent.forget(")
    assert "Zig project called tundra" in told("agent.context(")
    assert told("agent.context(").endswith("tokens\n")
    assert "tundra" in program["answered"]
    assert "tundra" in told("agent.ask(")
    assert "Zig project called tundra" in told("memory.list")
    assert "nobody-of-that-name" in told("EverselfError")
    assert told("FrozenTime(") == "memory/2030-03-20.md memory/2030-05-19.md\n"
    if not whole:
        return
    assert told("def with_openai(") == "Noted, 9:30.\n"
    assert told("def with_anthropic(") == "At 9:30.\n"
    assert told("def with_memory_tool(") == "I keep a file about them.\n"
    with open_runtime() as app:
        kept = app.workspace.read("memory/races.md").data
    assert kept == b"# Races\n\n- Mia won the first one.\n"
    assert told("def with_tools(") == "Rowing is fun.\n"
    assert told("def with_tools_of_anthropic(") == "Well done, Mia.\n"
    _check_requests(vendors)
    _check_memory()


def _check_requests(vendors: dict[str, Server]) -> None:
    first, calling, after = vendors["openai"].asked
    system, user = first.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"].startswith("My standup is every day at 9:30.\n\n[Context for this message")
    assert {one["function"]["name"] for one in calling.body["tools"]} >= {"memory_write", "memory_search"}
    results = [one for one in after.body["messages"] if one["role"] == "tool"]
    assert [one["tool_call_id"] for one in results] == ["call_0", "call_1"]
    assert '"entry"' in results[0]["content"]
    first, calling, after, *_ = vendors["anthropic"].asked
    assert first.body["system"][0]["cache_control"] == {"type": "ephemeral"}
    # what was said to one vendor's model is known to the other's
    assert "9:30" in first.words
    assert {one["name"] for one in calling.body["tools"]} >= {"memory_write", "memory_search"}
    results = after.body["messages"][-1]["content"]
    assert [(one["tool_use_id"], one["is_error"]) for one in results] == [("toolu_0", False), ("toolu_1", False)]
    assert after.body["system"] == calling.body["system"]


def _check_memory() -> None:
    with open_runtime() as app:
        entries = {one.text: one.source for one in app.memory.catalog.all()}
        assert entries["My standup is every day at 9:30."] == "owner"
        assert entries["Mia is a rower."] == "agent"
        lines = [one for one in app.log.list() if one.channel == "my-app"]
        assert [one.said for one in reversed(lines)] == [2, 2, 6, 6, 4]


@pytest.mark.slow
def test_the_examples_are_typed(tmp_path: Path) -> None:
    program = tmp_path / "library.py"
    program.write_text("\n\n".join(examples()))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(TOP / "pyproject.toml"), str(program)],
        cwd=TOP,
        capture_output=True,
        text=True,
        timeout=1_000,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_package_holds_what_it_promises_and_nothing_else() -> None:
    assert all(getattr(everself, name) for name in everself.__all__)
    assert everself.open_runtime is open_runtime
    with pytest.raises(AttributeError, match="no attribute 'opn_app'"):
        _ = everself.opn_app  # type: ignore[attr-defined]
