"""What another process has forgotten is in no later request of an open conversation: prompt, messages, summary, tools' results."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conversation.talks import done, hear, say, talking

from everself.memory.writing import NewEntry
from everself.models.chat.protocol import ChatRequest, ReplyCall
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel, call
from everself.testing.origins import origin_of

CANARY = "KESTREL-4471"
FACT = f"The vault code is {CANARY}."


def forget(home: Path, *words: str) -> None:
    """As somebody does at another terminal."""
    environ = {
        "HOME": str(home),
        "EVERSELF_HOME": f"{home}/e",
        "EVERSELF_KEYS": f"{home}/k",
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    command = [sys.executable, "-m", "everself", "memory", "forget", *words, "--yes"]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode in (0, 6), ran.stdout + ran.stderr
    assert CANARY not in ran.stdout.replace(" ".join(words), "")


def remember(app: Runtime, text: str = FACT) -> str:
    return app.memory.remember(NewEntry(text, origin_of("owner"), explicit=True)).entry


def told(request: ChatRequest) -> str:
    return f"{request.prefix}\n{request.delta}\n{request.turns!r}"


@pytest.mark.slow
def test_prompt_and_messages_of_an_open_conversation_lose_it(tmp_path: Path) -> None:
    with talking(tmp_path, f"It is {CANARY}. The vault code is {CANARY}.", "Anything else?") as (app, model):
        entry = remember(app)
        session = app.chat.begin()
        say(app, f"Tell me again. The vault code is {CANARY}.", session)
        assert CANARY in model.requests[0].prefix
        forget(tmp_path, entry)
        say(app, "And now?", session)
        assert FACT not in told(model.requests[1])
        assert CANARY not in model.requests[1].prefix + model.requests[1].delta


@pytest.mark.slow
def test_a_turn_under_way_loses_it_before_its_next_request(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        entry = remember(app)

        def search_on(request: ChatRequest) -> list[ReplyCall]:
            assert FACT in told(request)
            forget(tmp_path, entry)
            return [call("memory_search", query="harbour")]

        model = FakeModel([call("memory_search", query="vault code")], search_on, "I do not know.")
        app.chat.use(model)
        session = app.chat.begin()
        events = say(app, f"What is it? The vault code is {CANARY}.", session)
        assert done(events).why == "stop"
        assert CANARY not in told(model.requests[2])
        assert len(model.requests[2].turns) == 5, "the steps of the turn are still there"
        assert all(CANARY not in one.content for one in app.log.messages(session))


@pytest.mark.slow
def test_a_reply_that_was_under_way_is_kept_without_it(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        entry = remember(app)

        def answer(_: ChatRequest) -> str:
            forget(tmp_path, entry)
            return f"Here it is. {FACT} Anything else?"

        app.chat.use(FakeModel(answer))
        session = app.chat.begin()
        say(app, "What is the code?", session)
        assert [one.content for one in app.log.messages(session)] == [
            "What is the code?",
            "Here it is. [forgotten] Anything else?",
        ]


@pytest.mark.slow
def test_a_conversation_that_was_itself_forgotten_says_so(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        session = app.chat.begin()

        def forget_all(_: ChatRequest) -> list[ReplyCall]:
            forget(tmp_path, "--session", session.id)
            return [call("memory_search", query="vault")]

        model = FakeModel(forget_all, "Never asked.")
        app.chat.use(model)
        events = say(app, FACT, session)
        assert len(model.requests) == 1
        assert done(events).why == "failed"


@pytest.mark.slow
def test_a_summary_that_was_under_way_is_not_kept(tmp_path: Path) -> None:
    with talking(tmp_path) as (app, _):
        entry = remember(app)
        session = app.chat.begin()
        app.chat.use(FakeModel("All right."))
        say(app, f"Listen. {FACT} That is all.", session)
        for number in range(8):
            say(app, f"Line {number}. " + "words " * 600, session)

        def summarise(request: ChatRequest) -> str:
            if request.tools:
                return "NO_REPLY"
            assert FACT in told(request)
            forget(tmp_path, entry)
            return f"They said: {FACT} It mattered."

        app.chat.use(FakeModel(summarise))
        made = asyncio.run(app.chat.compact(session))
        assert made.session.summary
        assert CANARY not in made.session.summary
        assert CANARY not in app.log.find(session.id).summary


def test_nothing_is_asked_of_the_database_again_while_nobody_forgets(tmp_path: Path) -> None:
    """The prefix stays the same byte by byte: what forgets must not be what merely looks."""
    with talking(tmp_path) as (app, model):
        remember(app)
        session = app.chat.begin()
        for _ in range(3):
            asyncio.run(hear(app, "Hello", session))
        assert len({request.prefix for request in model.requests}) == 1
