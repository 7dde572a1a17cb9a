"""Tools from outside within a conversation: let in by the host file, stamped, and closed with it."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.conversation.talks import done, hear, notices, say

from everself.agent import open_runtime
from everself.conversation.conversation import OWNER
from everself.conversation.events import Done, Notice, ToolCalled, ToolReturned
from everself.conversation.sessions.session import Session
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind
from everself.testing.chat_model import FakeModel, call

# programs and servers are started for each
pytestmark = pytest.mark.slow

SERVERS = Path(__file__).parent / "tools" / "outside" / "servers"
EXEC = {"tools": {"exec": {"enabled": True}}}


def server(habit: str) -> dict[str, object]:
    return {"mcp": {"servers": {"odd": {"command": sys.executable, "args": [str(SERVERS / "odd.py"), habit]}}}}


@contextmanager
def reaching(home: Path, host: Mapping[str, object], model: FakeModel | None) -> Iterator[Runtime]:
    folder = home / "e"
    folder.mkdir()
    settings = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}, "history": {"enabled": False}, **host}
    (folder / "everself.json5").write_text(json.dumps(settings))
    environ = {"HOME": str(home), "EVERSELF_HOME": str(folder), "EVERSELF_KEYS": f"{home}/k", "PATH": "/usr/bin:/bin"}
    with open_runtime(environ={**environ, "OPENAI_API_KEY": "hidden-1"}) as app:
        set_up(app)
        if model is not None:
            app.chat.use(model)
        yield app


def names(model: FakeModel) -> set[str]:
    return {tool.name for tool in model.requests[-1].tools}


def returned(events: list[object]) -> list[ToolReturned]:
    return [event for event in events if isinstance(event, ToolReturned)]


def test_nothing_is_offered_unless_the_host_file_says_so(tmp_path: Path) -> None:
    model = FakeModel()
    with reaching(tmp_path, {}, model) as app:
        say(app, "Hello")
        assert names(model).isdisjoint({"exec", "web_fetch"})
        assert not any("__" in name for name in names(model))
        assert not Path(app.agent.state, "scratch").exists()


def test_a_program_runs_away_from_the_workspace_and_taints_the_conversation(tmp_path: Path) -> None:
    model = FakeModel(
        [call("exec", command="pwd; env")], "Done.", [call("memory_write", content="Ran a thing.")], "Ok."
    )
    with reaching(tmp_path, EXEC, model) as app:
        session = app.chat.begin()
        (came,) = returned(list(say(app, "Where are you?", session)))
        assert came.stamp == "tool"
        assert f"{app.agent.state}/scratch" in came.content
        assert "hidden-1" not in came.content
        assert app.log.fresh(session).taint == "tool"
        say(app, "Keep it.", session)
        (entry,) = app.memory.catalog.with_words("Ran a thing.")
        assert entry.source == "tool"
        assert app.log.fresh(app.chat.begin()).taint == "own"


def test_stopping_a_turn_stops_its_program(tmp_path: Path) -> None:
    model = FakeModel([call("exec", command="touch begun; sleep 60 & sleep 60")], "Done.")
    with reaching(tmp_path, EXEC, model) as app:
        session, begun = app.chat.begin(), Path(app.agent.state, "scratch", "begun")
        before = running()

        async def stop() -> list[object]:
            events: list[object] = []
            async for event in app.chat.converse(session, "Go"):
                events.append(event)
                while isinstance(event, ToolCalled) and not begun.exists():
                    await asyncio.sleep(0.01)
                if isinstance(event, ToolCalled):
                    app.chat.cancel(session)
            return events

        assert isinstance(asyncio.run(stop())[-1], Done)
        assert running() == before


def test_a_guest_gets_no_program_and_no_server(tmp_path: Path) -> None:
    model = FakeModel()
    with reaching(tmp_path, {**EXEC, **server("well")}, model) as app:
        say(app, "Hello", app.chat.begin(Scope(SessionKind.GUEST, person="bo")), "bo")
        assert names(model).isdisjoint({"exec", "odd__go"})
        say(app, "Hello", app.chat.begin(OWNER))
        assert names(model) >= {"exec", "odd__go"}


def test_a_server_lives_as_long_as_the_conversation(tmp_path: Path) -> None:
    model = FakeModel([call("odd__go")], "Went.", [call("odd__go")], "Went again.")
    with reaching(tmp_path, server("well"), model) as app:

        async def sitting() -> Session:
            session = app.chat.begin()
            first = await hear(app, "Go", session)
            before = running()
            second = await hear(app, "Go again", session)
            assert running() == before
            assert [one.content for one in returned([*first, *second])] == ["went", "went"]
            assert notices(first) + notices(second) == []
            await app.chat.close(session)
            assert running() == before - 1
            return session

        asyncio.run(sitting())


def test_another_loop_starts_the_server_anew(tmp_path: Path) -> None:
    model = FakeModel([call("odd__go")], "Went.", [call("odd__go")], "Went again.")
    with reaching(tmp_path, server("well"), model) as app:
        session = app.chat.begin()
        before = running()
        for _ in range(2):
            events = say(app, "Go", session)
            assert [one.content for one in returned(list(events))] == ["went"]
            assert notices(events) == []
            assert running() == before


def running() -> int:
    """How many children this process has; a thread that ends while it is looked at has none left."""
    children = 0
    for listed in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            children += len(listed.read_text().split())
    return children


def test_a_server_that_does_not_start_or_dies_is_a_notice(tmp_path: Path) -> None:
    settings = server("die")
    servers = settings["mcp"]
    assert isinstance(servers, dict)
    servers["servers"]["absent"] = {"command": "no-such-program-at-all"}
    model = FakeModel([call("odd__go")], "It did not go.")
    with reaching(tmp_path, settings, model) as app:
        events = say(app, "Go")
        assert done(events).text == "It did not go."
        told = [event for event in events if isinstance(event, Notice)]
        assert [one.level for one in told] == ["warning", "warning"]
        assert told[0].text.startswith("The MCP server absent did not start")
        assert told[1].text == "The MCP server odd exited."


def test_rules_start_no_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(
        "everself.conversation.tools.outside.registry.open_external_tools", lambda *given: opened.append(given)
    )
    with reaching(tmp_path, server("well"), FakeModel(name="reflex")) as app:
        say(app, "Hello")
        assert opened == []


def test_exec_does_not_start_inside_the_workspace(tmp_path: Path) -> None:
    model = FakeModel()
    inside = {"tools": {"exec": {"enabled": True, "workdir": f"{tmp_path}/e/workspace/memory"}}}
    with reaching(tmp_path, inside, model) as app:
        events = say(app, "Hello")
        assert "exec" not in names(model)
        assert any("inside the workspace" in text for text in notices(events))
