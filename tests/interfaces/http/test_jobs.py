"""Jobs that the gateway runs: each slot once, by its policy, for every agent; and BOOT.md once a start."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.interfaces.http.gateways import HOME, Gateway, make_agent, make_token

from everself.agent import open_runtime
from everself.config.sections import AgentSettings
from everself.errors import ModelFailed
from everself.interfaces.http.app import build_app
from everself.interfaces.http.job_runner import THREADS
from everself.keepers.scheduler import NewJob
from everself.runtime import Runtime
from everself.testing.chat_model import FakeModel, Wait
from everself.testing.frozen_time import FrozenTime
from everself.values import Author, Change, Create, JobRun

HOUR = timedelta(hours=1)
TEA = NewJob("tea", "every", "1h", "message", "Remember that I love tea. Is there any?")


def opener(time: FrozenTime, model: FakeModel) -> Callable[[str], Runtime]:
    def made(agent: str) -> Runtime:
        runtime = open_runtime(agent)
        runtime.clock = time.clock("UTC")
        runtime.chat.use(model)
        return runtime

    return made


def play(act: Callable[[Gateway, FrozenTime], Awaitable[None]], model: FakeModel, *agents: str) -> None:
    time = FrozenTime()

    async def main() -> None:
        async with Gateway(opener=opener(time, model)) as gateway:
            gateway.service.jobs.now = time
            try:
                await act(gateway, time)
            finally:
                await gateway.service.jobs.close(10.0)

    for name in agents or ("main",):
        make_agent(name)
        with opener(time, FakeModel())(name) as app:
            app.schedule.due()
    asyncio.run(main())


def settings(agent: str = "main") -> AgentSettings:
    return HOME.load().config.agent(agent)


def add_job(time: FrozenTime, job: NewJob, agent: str = "main") -> None:
    """As another process does it."""
    with opener(time, FakeModel())(agent) as app:
        app.schedule.add(job)


def runs(job: str, agent: str = "main") -> list[JobRun]:
    with open_runtime(agent) as app:
        return app.state.jobs.runs(app.schedule.jobs.find(job).id, 1_000)


async def look(gateway: Gateway) -> None:
    await gateway.service.jobs.look()
    await gateway.service.jobs.idle()


def test_asleep_for_eight_hours_each_missed_slot_is_run_or_written_down_once() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        add_job(time, TEA)
        await look(gateway)
        assert runs("tea") == []
        time.advance(8 * HOUR)
        for _ in range(3):
            await look(gateway)
        found = runs("tea")
        assert [one.state for one in found] == ["done"] + ["skipped"] * 7
        assert len({one.slot for one in found}) == 8
        beats = runs("heartbeat")
        assert (len(beats), {one.state for one in beats}) == (16, {"skipped"})
        assert [one.detail for one in beats].count("HEARTBEAT.md holds nothing to do.") == 1
        with open_runtime() as app:
            entries = [one for one in app.memory.catalog.all() if "tea" in one.text]
            assert [(one.category, one.source) for one in entries] == [("heartbeat", "agent")]
            assert [one.text for one in entries] == ["tea: There is green tea."]

    model = FakeModel("There is green tea.")
    play(act, model)
    assert len(model.requests) == 1


def test_it_sleeps_until_the_next_slot_but_looks_at_the_clock_meanwhile() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        jobs = gateway.service.jobs
        await look(gateway)
        assert jobs._pause() == jobs.look_seconds
        time.advance(timedelta(minutes=29, seconds=50))
        assert jobs._pause() == pytest.approx(10.0)
        time.advance(timedelta(minutes=1))
        assert jobs._pause() == pytest.approx(0.05)

    play(act, FakeModel())


def test_a_job_that_another_process_adds_is_found_and_a_look_that_finds_nothing_opens_nobody() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        await look(gateway)
        await gateway.service.pool.close_idle(0.0)
        while len(gateway.service.pool):
            await asyncio.sleep(0.01)
        for _ in range(3):
            await look(gateway)
        assert len(gateway.service.pool) == 0
        # sooner than anything that was known
        add_job(time, replace(TEA, said="5m"))
        await look(gateway)
        time.advance(timedelta(minutes=5))
        await look(gateway)
        assert [one.state for one in runs("tea")] == ["done"]

    play(act, FakeModel("There is."))


def test_every_agent_has_its_jobs_and_one_that_cannot_be_opened_keeps_nobody_waiting() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        for name in ("aria", "main"):
            add_job(time, TEA, name)
        state = Path(settings("broken").state, "state.db")
        state.write_bytes(b"x" * 8192)
        time.advance(HOUR)
        await look(gateway)
        for name in ("aria", "main"):
            assert [one.state for one in runs("tea", name)] == ["done"]

    play(act, FakeModel("There is."), "main", "aria", "broken")


@pytest.mark.slow
def test_the_jobs_of_many_agents_run_a_few_at_a_time() -> None:
    names = [f"a{number}" for number in range(7)]
    used: list[int] = []

    async def act(gateway: Gateway, time: FrozenTime) -> None:
        for name in names:
            add_job(time, TEA, name)
        time.advance(HOUR)
        await gateway.service.jobs.look()
        while gateway.service.jobs._running:
            used.append(sum(one.users > 0 for one in gateway.service.pool._held))
            await asyncio.sleep(0.001)
        assert [one.state for name in names for one in runs("tea", name)] == ["done"] * 7
        assert 1 <= max(used) <= THREADS

    play(act, FakeModel((Wait(0.02), "There is.")), *names)


@pytest.mark.slow
def test_a_clock_that_was_weeks_ahead_and_is_put_right_silences_nothing() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        add_job(time, TEA)
        time.advance(timedelta(days=30))
        jobs = gateway.service.jobs
        marks: list[object] = []
        # until nothing of it is written any more
        while len(marks) < 2 or marks[-1] != marks[-2]:
            await look(gateway)
            marks.append(jobs._plans["main"].mark)
            await asyncio.sleep(0.1)
        time.advance(-timedelta(days=30))
        await look(gateway)
        coming = jobs._plans["main"].next_at
        assert coming is not None
        assert coming - time() <= timedelta(minutes=30)
        # the first slot has a row already: that it and those up to the fiftieth before the jump were passed over
        for _ in range(3):
            time.advance(HOUR)
            await look(gateway)
        assert [one.state for one in runs("tea") if one.slot < "2026-03-20"] == ["done", "done", "skipped"]

    play(act, FakeModel("There is."))


@pytest.mark.slow
def test_a_clock_that_is_set_back_runs_nothing_again_and_silences_nothing() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        add_job(time, TEA)
        time.advance(HOUR)
        await look(gateway)
        time.advance(-3 * HOUR)
        await look(gateway)
        assert len(runs("tea")) == 1
        time.advance(4 * HOUR)
        await look(gateway)
        assert [one.state for one in runs("tea")] == ["done", "done"]

    play(act, FakeModel("There is."))


def test_a_job_that_is_stopped_with_the_gateway_is_written_down_and_what_was_said_is_kept() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        add_job(time, TEA)
        time.advance(HOUR)
        await gateway.service.jobs.look()
        while not model.requests:
            await asyncio.sleep(0.01)
        assert await gateway.service.jobs.close(10.0) == 0
        (run,) = runs("tea")
        assert (run.state, run.detail) == ("skipped", "The gateway was stopped while it ran.")
        with open_runtime() as app:
            assert [one.role for one in app.log.messages(app.log.list()[0])] == ["user", "assistant"]

    model = FakeModel(("One ", Wait()))
    play(act, model)


def boot(agent: str, text: str) -> None:
    with open_runtime(agent) as app:
        app.workspace.apply(Change(Author.OWNER, "at a start", (Create("BOOT.md", text.encode()),)))


@pytest.mark.slow
def test_what_boot_md_asks_for_is_done_once_a_start() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        for _ in range(3):
            time.advance(HOUR)
            await look(gateway)
        assert len(model.requests) == 1
        prompt = model.requests[0].prefix + model.requests[0].delta
        assert "Say that you are back." in prompt
        with open_runtime() as app:
            (entry,) = [one for one in app.memory.catalog.all() if "I am back" in one.text]
            assert (entry.category, entry.source) == ("heartbeat", "agent")
            (session,) = app.log.list()
            assert (session.scope.kind.value, session.channel) == ("heartbeat", "boot")
        told = [json.loads(line) for line in gateway.log_file.read_text().splitlines()]
        ends = {one["agent"]: one["state"] for one in told if one["event"] == "boot"}
        assert ends == {"main": "done", "idle": "skipped"}

    model = FakeModel("I am back.")
    make_agent()
    make_agent("idle")
    boot("main", "Say that you are back.\n")
    boot("idle", "# Nothing\n")
    play(act, model, "main", "idle", "bare")


def test_a_start_that_fails_does_not_keep_jobs_from_running() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        add_job(time, TEA)
        time.advance(HOUR)
        await look(gateway)
        assert [one.state for one in runs("tea")] == ["done"]

    make_agent()
    boot("main", "Say that you are back.\n")
    play(act, FakeModel(ModelFailed("Nobody is there.", reason="network"), "There is."))


@pytest.mark.slow
def test_a_gateway_that_runs_looks_for_jobs_by_itself() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        make_token()
        gateway.service.jobs.look_seconds = 0.05
        add_job(time, TEA)
        app = build_app(gateway.service, ())
        started, stopping = asyncio.Event(), asyncio.Event()

        async def receive() -> dict[str, str]:
            if started.is_set():
                await stopping.wait()
                return {"type": "lifespan.shutdown"}
            return {"type": "lifespan.startup"}

        async def send(_: object) -> None:
            started.set()

        living = asyncio.ensure_future(app({"type": "lifespan"}, receive, send))  # type: ignore[arg-type]
        await started.wait()
        time.advance(HOUR)
        while not model.requests:
            await asyncio.sleep(0.01)
        await gateway.service.jobs.idle()
        stopping.set()
        await living
        assert [one.state for one in runs("tea")] == ["done"]

    model = FakeModel("There is.")
    play(act, model)
