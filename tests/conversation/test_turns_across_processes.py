"""Turns of one session come one after the other, whichever process runs them."""

import asyncio
import os
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.conversation.talks import done, hear, say, talking

from everself.conversation.events import Accepted, Event
from everself.conversation.tools.protocol import Outcome, Tool, ToolContext
from everself.conversation.turn_locks import NAME, TurnLocks
from everself.errors import LockTimeout, WrongUse
from everself.models.chat.protocol import JsonObject, ToolSpec
from everself.operations.caller import Audience, Caller
from everself.operations.conversation import ConverseRequest, converse
from everself.runtime import Runtime
from everself.storage.lock import FileLock, is_ancestor
from everself.testing.chat_model import Wait, call

# a whole agent a test
pytestmark = pytest.mark.slow

TURNS = 4


def talk_in(home: str, session: str, name: str) -> None:
    """In a process of its own: a few turns in that session, each with a call of a tool in the middle."""
    from everself.testing.chat_model import ReplyCall, call

    def answer() -> ReplyCall:
        return call("memory_search", query="boats")

    script = [step for at in range(TURNS) for step in ([Wait(0.05), answer()], [Wait(0.05), f"Answer {name}{at}."])]
    with talking(Path(home), *script) as (app, _):
        print("ready", flush=True)
        sys.stdin.readline()
        held = app.chat.begin(resume=session)
        for at in range(TURNS):
            assert done(say(app, f"Question {name}{at}", held)).why == "stop"


def _start(home: Path, session: str, name: str) -> "subprocess.Popen[str]":
    words = f"from {__name__} import talk_in; talk_in({str(home)!r}, {session!r}, {name!r})"
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{words}"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_two_processes_in_one_session_take_turns(tmp_path: Path) -> None:
    with talking(tmp_path, "Hello.") as (app, _):
        session = app.chat.begin()
        say(app, "Good morning", session)
    others = [_start(tmp_path, session.id, name) for name in "AB"]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
    for other in others:
        assert other.stdin is not None
        print("go", file=other.stdin, flush=True)
    assert [other.wait(60) for other in others] == [0, 0]
    for other in others:
        other.communicate()
    with talking(tmp_path, "Hello.") as (app, _):
        messages = app.log.messages(session)[2:]
        assert not list(Path(app.agent.state).glob(NAME.format("*")))
    assert [one.role for one in messages] == ["user", "assistant", "tool", "assistant"] * (2 * TURNS)
    # each question is followed by its own answer, and those of a process stand in its order
    for at in range(0, len(messages), 4):
        assert messages[at + 3].content == messages[at].content.replace("Question", "Answer") + "."
    asked = [one.content.removeprefix("Question ") for one in messages if one.role == "user"]
    assert sorted(asked) == [f"{name}{at}" for name in "AB" for at in range(TURNS)]
    assert [one for one in asked if one[0] == "A"] == [f"A{at}" for at in range(TURNS)]


def test_whoever_cannot_get_in_says_nothing_and_is_told_who_is_there(tmp_path: Path) -> None:
    with talking(tmp_path, "Hello.") as (app, model):
        session = app.chat.begin()
        app.chat._locks = TurnLocks(app.agent.state, app.worker, patience=0.1)
        with FileLock(f"{app.agent.state}/{NAME.format(session.id)}", passing=True).hold():
            with pytest.raises(LockTimeout, match=r"is being answered by process \d+ .*nothing was said") as told:
                say(app, "Is anybody there?", session)
            # another conversation is none of its business
            assert done(say(app, "Good morning")).why == "stop"
        assert "another conversation" in (told.value.mend or "")
        assert app.log.messages(session) == ()
        assert done(say(app, "And now?", session)).why == "stop"
        assert len(model.requests) == 2


def test_one_who_leaves_while_waiting_holds_nothing(tmp_path: Path) -> None:
    with talking(tmp_path, "Hello.") as (app, _):
        session = app.chat.begin()

        async def leave() -> None:
            with FileLock(f"{app.agent.state}/{NAME.format(session.id)}", passing=True).hold():
                turn = asyncio.ensure_future(hear(app, "Is anybody there?", session))
                await asyncio.sleep(0.2)
                turn.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await turn

        asyncio.run(leave())
        assert app.log.messages(session) == ()
        assert done(say(app, "And now?", session)).why == "stop"


def test_a_turn_that_is_left_early_lets_the_next_one_in(tmp_path: Path) -> None:
    with talking(tmp_path, [Wait(0.2), "Hello."]) as (app, _):
        session = app.chat.begin()

        async def leave() -> None:
            async with aclosing(app.chat.converse(session, "Tell me a long story")) as events:
                assert isinstance(await anext(events), Accepted)
                assert FileLock(f"{app.agent.state}/{NAME.format(session.id)}").is_held()

        asyncio.run(leave())
        assert not FileLock(f"{app.agent.state}/{NAME.format(session.id)}").is_held()
        assert done(say(app, "And now?", session)).why == "stop"


def test_a_message_with_an_id_counts_once_in_two_processes(tmp_path: Path) -> None:
    caller = Caller(Audience.OWNER, channel="openai")

    async def send(app: Runtime) -> list[Event]:
        return [one async for one in converse(app, caller, ConverseRequest(text="My heron is Otto.", id="a1"))]

    async def both(one: Runtime, other: Runtime) -> list[list[Event]]:
        return await asyncio.gather(send(one), send(other))

    # two openings of one agent share files and nothing else, as two processes do
    with (
        talking(tmp_path, [Wait(0.2), "Noted."]) as (one, model),
        talking(tmp_path, [Wait(0.2), "Noted."]) as (other, another),
    ):
        heard = asyncio.run(both(one, other))
        assert [done(events).text for events in heard] == ["Noted.", "Noted."]
        assert len({done(events).message for events in heard}) == 1
        assert len(model.requests) + len(another.requests) == 1
        assert sum(session.said for session in one.log.list()) == 2


def test_a_tool_that_speaks_in_its_own_conversation_is_refused_at_once(tmp_path: Path) -> None:
    with talking(tmp_path, call("ask_again"), "So be it.") as (app, _):

        async def ask_again(_: JsonObject, context: ToolContext) -> Outcome:
            return Outcome(done(await hear(app, "And?", app.chat.begin(resume=context.session))).text)

        spec = ToolSpec("ask_again", "Asks the agent.", {"type": "object", "properties": {}})
        app.tools = lambda _: (Tool(spec, ask_again),)
        session = app.chat.begin()
        assert done(say(app, "Good morning", session)).text == "So be it."
        told = [one.content for one in app.log.messages(session) if one.role == "tool"]
        assert len(told) == 1
        assert "would wait for itself" in told[0]


def test_a_program_that_a_tool_runs_is_refused_as_well(tmp_path: Path) -> None:
    words = "import sys; from everself.storage.lock import is_ancestor; print(is_ancestor(int(sys.argv[1])))"
    told = subprocess.run(
        [sys.executable, "-c", words, str(os.getpid())], stdout=subprocess.PIPE, text=True, check=True
    )
    assert told.stdout == "True\n"
    assert not is_ancestor(os.getpid())
    with talking(tmp_path, "Hello.") as (app, _), pytest.MonkeyPatch.context() as patch:
        session = app.chat.begin()
        patch.setattr("everself.conversation.turn_locks.is_ancestor", lambda pid: pid == os.getpid())
        lock = FileLock(f"{app.agent.state}/{NAME.format(session.id)}", passing=True)
        with lock.hold(), pytest.raises(WrongUse, match="would wait for itself"):
            say(app, "Is anybody there?", session)
