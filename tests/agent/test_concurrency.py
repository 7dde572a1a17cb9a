"""An agent in a program with an event loop, threads and other agents: nothing blocks, nothing is mixed up."""

import ast
import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.agent.homes import plain_agent

import everself.agent_session
from everself.agent_session import AgentSession
from everself.errors import WrongUse

# a whole agent a test
pytestmark = pytest.mark.slow

PATIENCE = 60.0
ANIMALS = (
    *("heron", "zebra", "tapir", "llama", "otter", "panda", "camel", "moose", "bison", "koala", "gecko", "raven"),
    *("robin", "stork", "swan", "toad", "trout", "viper", "whale", "wolf", "donkey", "badger", "beaver", "ferret"),
)
SESSION = Path(everself.agent_session.__file__)


def test_every_slow_step_leaves_the_event_loop_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step waits in its thread for a coroutine that runs beside it; where the loop were blocked, it would wait for ever."""
    held: list[threading.Event] = []

    def slowed(original: Any) -> Any:
        def slow(*arguments: Any, **named: Any) -> Any:
            gate = threading.Event()
            held.append(gate)
            assert gate.wait(PATIENCE), "the event loop was blocked"
            return original(*arguments, **named)

        return slow

    async def tick() -> None:
        while True:
            for gate in held:
                gate.set()
            await asyncio.sleep(0.001)

    async def run() -> dict[str, int]:
        counts: dict[str, int] = {}
        async with plain_agent(tmp_path / "home") as agent:
            runtime = agent.runtime
            monkeypatch.setattr(runtime.chat, "begin", slowed(runtime.chat.begin))
            monkeypatch.setattr(runtime.assembler, "assemble", slowed(runtime.assembler.assemble))
            monkeypatch.setattr(runtime.log, "add", slowed(runtime.log.add))
            monkeypatch.setattr(runtime.checkpoint, "make", slowed(runtime.checkpoint.make))
            monkeypatch.setattr(runtime.memory, "remember", slowed(runtime.memory.remember))
            ticking = asyncio.create_task(tick())

            async def step(name: str, work: Any) -> Any:
                before = len(held)
                done = await work
                counts[name] = len(held) - before
                return done

            s = agent.session()
            await step("open", s.__aenter__())
            await step("prompt", s.prompt("I went rowing with Mia."))
            await step("call", s.call("memory_write", {"content": "Mia likes rowing."}))
            await step("observe", s.observe("clock", "Noon."))
            await step("record", s.record(assistant="Nice."))
            await step("end", s.end())
            await step("close", s.__aexit__())
            ticking.cancel()
        return counts

    counts = asyncio.run(run())
    assert set(counts) == {"open", "prompt", "call", "observe", "record", "end", "close"}
    assert all(counts.values()), counts


def test_a_coroutine_of_a_session_works_only_in_the_worker_thread() -> None:
    """Whatever blocks is behind `_work`: a coroutine touches the agent's parts nowhere else."""
    allowed = {"worker", "closed", "chat"}
    tree = ast.parse(SESSION.read_text("utf-8"))
    coroutines = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
    assert len(coroutines) >= 8
    for coroutine in coroutines:
        hidden = {id(inner) for node in ast.walk(coroutine) if isinstance(node, ast.Lambda) for inner in ast.walk(node)}
        touched = {
            node.attr
            for node in ast.walk(coroutine)
            if isinstance(node, ast.Attribute) and id(node) not in hidden and ast.unparse(node.value) == "self._runtime"
        }
        assert touched <= allowed, f"{coroutine.name} uses {touched - allowed} in the event loop"


@pytest.mark.slow
def test_what_conversations_need_is_not_imported_in_the_event_loop(tmp_path: Path) -> None:
    program = (
        "import sys; from everself import Agent; a = Agent.create(fresh=False); s = a.session();"
        "print([one for one in sys.modules if one.startswith(('everself.operations.loop_turns', 'everself.classify'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout == "[]\n", done.stderr


def test_conversations_that_wait_leave_the_default_pool_of_the_program_alone(tmp_path: Path) -> None:
    async def run() -> str:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(2))
        gate = threading.Event()
        async with plain_agent(tmp_path / "home") as agent:
            waiting = [asyncio.ensure_future(agent.runtime.worker(lambda: gate.wait(PATIENCE))) for _ in range(8)]
            await asyncio.sleep(0)
            answer = await asyncio.wait_for(asyncio.to_thread(lambda: "free"), PATIENCE / 2)
            gate.set()
            await asyncio.gather(*waiting)
        return answer

    assert asyncio.run(run()) == "free"


def test_calls_of_one_turn_may_run_at_once(tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with plain_agent(tmp_path / "home") as agent, agent.session() as s:
            await s.prompt("I went rowing with Mia.")
            facts = [f"Fact number {number} about Mia." for number in range(6)]
            await asyncio.gather(*(s.call("memory_write", {"content": fact}) for fact in facts))
            await s.record(assistant="Noted.")
            users = [one for one in agent.runtime.log.messages(s.id) if one.role == "user"]
            assert len(users) == 1
            return sorted(one.text for one in agent.runtime.memory.catalog.all() if one.text.startswith("Fact"))

    assert asyncio.run(run()) == [f"Fact number {number} about Mia." for number in range(6)]


def test_a_call_whose_caller_is_cancelled_is_completed(tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with plain_agent(tmp_path / "home") as agent, agent.session() as s:
            task = asyncio.create_task(s.record(user="My heron is called Otto.", assistant="Noted."))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return [one.content for one in agent.runtime.log.messages(s.id)]

    assert asyncio.run(run()) == ["My heron is called Otto.", "Noted."]


@pytest.mark.slow
def test_two_agents_and_eight_threads_keep_everything_apart(tmp_path: Path) -> None:
    """Each thread has an event loop and a session of its own; half of them share one agent, half another."""
    turns = 3

    def words_of(number: int, turn: int) -> tuple[str, str]:
        animal = ANIMALS[number * turns + turn]
        return f"My {animal} is called Otto.", f"Feeding the {animal} takes an hour."

    with plain_agent(tmp_path / "home") as one, plain_agent(tmp_path / "home", "aria") as two:

        async def lead(number: int, s: AgentSession) -> None:
            for turn in range(turns):
                words, note = words_of(number, turn)
                await s.prompt(words)
                written = await s.call("memory_write", {"content": note})
                assert not written.failed, written
                await s.record(user=words, assistant="Noted.")

        async def run(number: int) -> None:
            async with (one, two)[number % 2].session(channel=f"thread-{number}") as s:
                await lead(number, s)

        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(lambda number=number: asyncio.run(run(number))) for number in range(8)]:
                done.result(PATIENCE * 10)
        for place, agent in enumerate((one, two)):
            catalog = [entry for entry in agent.runtime.memory.catalog.all() if not entry.closed]
            pairs = [words_of(number, turn) for number in range(place, 8, 2) for turn in range(turns)]
            expected = {("owner", words) for words, _ in pairs} | {("agent", note) for _, note in pairs}
            assert {(entry.source, entry.text) for entry in catalog} == expected
            assert len(catalog) == len(expected)
            sessions = agent.run("sessions.list")
            assert [line.messages for line in sessions] == [turns * 4] * 4


def test_waiting_for_a_reply_within_an_event_loop_says_what_to_do_instead(tmp_path: Path) -> None:
    async def run() -> str:
        async with plain_agent(tmp_path / "home") as agent:
            with pytest.raises(WrongUse, match="block the event loop"):
                agent.ask("Hello?")
            return (await asyncio.to_thread(agent.ask, "Hello?")).why

    assert asyncio.run(run()) == "stop"


@pytest.mark.slow
def test_an_agent_that_nobody_closes_does_not_keep_the_program_from_ending(tmp_path: Path) -> None:
    program = (
        "import time; from everself import Agent; a = Agent.create(); a.remember('My heron is called Otto.');"
        "[time.sleep(0.1) for _ in range(600) if 'freshness' not in a.runtime.__dict__];"
        "assert 'freshness' in a.runtime.__dict__; print('done')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
