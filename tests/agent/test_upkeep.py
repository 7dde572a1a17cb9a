"""Vectors are kept fresh for whoever opens an agent from Python: in the background, and when it is closed."""

import threading
from pathlib import Path

import pytest
from tests.agent.homes import plain_agent

from everself import Agent
from everself.operations.upkeep import Upkeep

# a whole agent a test
pytestmark = pytest.mark.slow


def pending(agent: Agent) -> int:
    agent.runtime.index.sync()
    return agent.runtime.index.pending()


@pytest.mark.usefixtures("home")
def test_what_a_short_program_wrote_is_embedded_when_it_closes() -> None:
    with Agent.create() as agent:
        agent.remember("My heron is called Otto.")
    with Agent.open(fresh=False) as agent:
        assert pending(agent) == 0
        agent.remember("My zebra is called Zoe.")
    with Agent.open(fresh=False) as agent:
        assert pending(agent) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_while_an_agent_is_open_vectors_come_by_themselves() -> None:
    with Agent.create() as agent:
        agent.remember("My heron is called Otto.")
        waited = threading.Event()
        for _ in range(600):
            if "freshness" in agent.runtime.__dict__ and not pending(agent):
                break
            waited.wait(0.1)
        assert pending(agent) == 0
    assert not [one.name for one in threading.enumerate() if one.name in ("everself-freshness", "everself-embedding")]


def test_the_background_starts_once_and_not_after_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    begun = threading.Event()
    with plain_agent(tmp_path / "home") as agent:

        def start() -> None:
            started.append("fresh")
            begun.set()

        monkeypatch.setattr(agent.runtime, "keep_index_fresh", start)
        upkeep = Upkeep(agent.runtime, after=0.0)
        for _ in range(3):
            upkeep.start()
        assert begun.wait(60)
        upkeep.stop()
        assert started == ["fresh"]
        before = threading.active_count()
        late = Upkeep(agent.runtime, after=3_600.0)
        late.stop()
        late.start()
        assert threading.active_count() == before


def test_reading_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(Upkeep, "start", lambda _: calls.append("start"))
    plain_agent(tmp_path / "home").close()
    with Agent.open(home=tmp_path / "home", config=tmp_path / "home" / "everself.json5") as agent:
        agent.run("memory.list")
        agent.context()
        assert calls == []
        agent.search("heron")
        agent.remember("My heron is called Otto.")
        agent.session()
        assert len(calls) == 3
