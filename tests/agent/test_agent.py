"""An agent from Python alone: made in an empty home, opened again, used from threads and from asyncio."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.agent.homes import share_weights

from everself import Agent
from everself.conversation.events import Accepted, Done
from everself.errors import BadConfig, EverselfError, NotFound
from everself.memory.forgetting.proof import ForgetPlan, ForgetProof
from everself.search.scopes import Scope, SessionKind

# a whole agent a test
pytestmark = pytest.mark.slow


def test_five_lines_work_in_an_empty_home(home: Path) -> None:
    with Agent.create() as agent:
        kept = agent.remember("My heron is called Otto.")
        assert "My heron is called Otto." in str(agent.search("heron"))
    assert kept.entry in (home / ".everself" / "workspace" / kept.path).read_text("utf-8")


@pytest.mark.slow
def test_one_line_of_a_shell_works_in_an_empty_home(tmp_path: Path) -> None:
    words = "from everself import Agent; a = Agent.create(); a.remember('My heron is called Otto.'); print(a.search('heron'))"
    done = subprocess.run(
        [sys.executable, "-c", words], env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "My heron is called Otto." in done.stdout


def test_creating_what_exists_opens_it_as_it_is(home: Path) -> None:
    with Agent.create() as agent:
        kept = agent.remember("My heron is called Otto.")
    soul = home / ".everself" / "workspace" / "SOUL.md"
    before = soul.read_bytes()
    with Agent.create() as agent:
        assert agent.get(kept.path).text
        assert agent.search("heron").hits[0].entry == kept.entry
    assert soul.read_bytes() == before


def test_homes_and_names_are_apart(home: Path) -> None:
    share_weights(home / "one")
    share_weights(home / "two")
    with Agent.create("aria", home=home / "one") as one, Agent.create("aria", home=home / "two") as two:
        one.remember("My heron is called Otto.")
        assert one.workspace != two.workspace
        assert two.search("heron").hits == ()


def test_an_agent_that_does_not_exist_is_not_made_by_opening_it(home: Path) -> None:
    with pytest.raises(EverselfError):
        Agent.open("nobody").remember("Never.")
    with pytest.raises(NotFound, match="workspace"):
        Agent.open().remember("Never.")
    assert not (home / ".everself" / "workspace").exists()


@pytest.mark.usefixtures("home")
def test_forgetting_is_agreed_to_by_calling_it() -> None:
    with Agent.create() as agent:
        kept = agent.remember("My heron is called Otto.")
        assert isinstance(agent.forget(kept.entry, dry_run=True), ForgetPlan)
        assert agent.search("heron").hits
        proof = agent.forget(kept.entry)
        assert isinstance(proof, ForgetProof)
        assert proof.gone
        assert agent.search("heron").hits == ()


@pytest.mark.usefixtures("home")
def test_correcting_closes_what_was_wrong() -> None:
    with Agent.create() as agent:
        wrong = agent.remember("My heron is called Otto.")
        right = agent.correct(wrong.entry, "My heron is called Bruno.")
        assert right.closed == (wrong.entry,)


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_a_turn_is_a_stream_of_events_and_ask_waits_for_its_end() -> None:
    async def talk() -> list[object]:
        async with Agent.open() as agent:
            return [event async for event in agent.converse("My heron is called Otto.")]

    Agent.create().close()
    events = asyncio.run(talk())
    assert isinstance(events[0], Accepted)
    assert isinstance(events[-1], Done)
    with Agent.open() as agent:
        assert "Otto" in agent.ask("What is my heron called?").text


@pytest.mark.usefixtures("home")
def test_threads_share_one_agent() -> None:
    with Agent.create() as agent:
        threads = [threading.Thread(target=agent.remember, args=(f"Fact number {number}.",)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({one.id for one in agent.runtime.memory.catalog.all() if one.text.startswith("Fact number")}) == 8


def test_a_conversation_in_which_nothing_was_said_goes_on_in_its_own_scope_alone() -> None:
    with Agent.create() as agent:
        chat = agent.runtime.chat
        begun = chat.begin()
        assert chat.begin(resume=begun.id) == begun
        with pytest.raises(NotFound):
            chat.begin(Scope(SessionKind.GUEST, "mia"), resume=begun.id)
        asyncio.run(chat.close(begun))
        with pytest.raises(NotFound):
            chat.begin(resume=begun.id)


def test_what_was_said_is_kept_although_no_prompt_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise BadConfig("context.share is wrong.")

    monkeypatch.setattr("everself.conversation.context.assembler.Assembler", broken)
    with Agent.create() as agent:
        reply = agent.ask("My heron is called Otto.")
        assert reply.failed
        texts = [one.text for one in agent.runtime.memory.catalog.all()]
    assert any("heron is called Otto" in text for text in texts)


@pytest.mark.usefixtures("home")
def test_the_former_names_work_and_warn() -> None:
    import everself

    with pytest.warns(DeprecationWarning, match=r"everself\.App is deprecated"):
        assert everself.App is Agent
    with pytest.warns(DeprecationWarning, match=r"everself\.open_app is deprecated"):
        opened = everself.open_app()
    with opened as agent:
        assert isinstance(agent, Agent)
