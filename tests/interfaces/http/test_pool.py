"""Agents are opened at first use, anew where what was read once changed, and closed when nobody uses them."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.http.gateways import HOME, make_agent

from everself.agent import open_runtime
from everself.errors import NotFound
from everself.interfaces.http.pool import AgentPool
from everself.interfaces.http.problems import Refused
from everself.interfaces.http.workers import Workers
from everself.operations.caller import AT_TERMINAL
from everself.operations.settings import SetRequest, set_value
from everself.runtime import Runtime


class Opener:
    def __init__(self) -> None:
        self.opened: list[Runtime] = []

    def __call__(self, agent: str) -> Runtime:
        self.opened.append(open_runtime(agent))
        return self.opened[-1]


def play(act: "Callable[[AgentPool, Opener], object]", most: int = 4, opener: Opener | None = None) -> Opener:
    opener = opener or Opener()

    async def main() -> None:
        pool = AgentPool(opener, HOME.places, most, Workers(4, 64))
        await act(pool, opener)  # type: ignore[misc] # a coroutine function
        await pool.close(10.0)
        assert len(pool) == 0

    asyncio.run(main())
    assert all(one.closed for one in opener.opened)
    return opener


async def visit(pool: AgentPool, agent: str = "main") -> Runtime:
    async with pool.using(agent) as runtime:
        return runtime


async def until(ready: Callable[[], bool]) -> None:
    while not ready():
        await asyncio.sleep(0.005)


def workspace(agent: str = "main") -> Path:
    return Path(HOME.load().config.agent(agent).workspace)


def test_many_at_once_share_one_opened_agent() -> None:
    make_agent()

    async def act(pool: AgentPool, _: Opener) -> None:
        found = await asyncio.gather(*(visit(pool) for _ in range(20)))
        assert len(set(map(id, found))) == 1

    assert len(play(act).opened) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda: set_value(HOME, AT_TERMINAL, SetRequest(key="memorySearch.query.maxResults", value="3")),
        lambda: (workspace() / "CONFIG.md").write_text("promotion_sessions: 5\n", "utf-8"),
        lambda: (workspace() / "USER.md").write_text("- **Time zone:** Pacific/Apia\n", "utf-8"),
    ],
    ids=["settings", "CONFIG.md", "time zone"],
)
def test_it_is_opened_anew_where_something_changed_that_is_read_once(change: Callable[[], object]) -> None:
    make_agent()

    async def act(pool: AgentPool, _: Opener) -> None:
        before = await visit(pool)
        assert await visit(pool) is before
        change()
        after = await visit(pool)
        assert after is not before
        assert await visit(pool) is after

    assert len(play(act).opened) == 2


def test_another_word_about_the_owner_is_no_reason() -> None:
    make_agent()

    async def act(pool: AgentPool, _: Opener) -> None:
        before = await visit(pool)
        with (workspace() / "USER.md").open("a", encoding="utf-8") as file:
            file.write("\n- Likes tea.\n")
        assert await visit(pool) is before

    play(act)


def test_one_that_is_in_use_is_closed_only_when_it_is_left() -> None:
    make_agent()

    async def act(pool: AgentPool, _: Opener) -> None:
        async with pool.using("main") as before:
            set_value(HOME, AT_TERMINAL, SetRequest(key="memorySearch.query.maxResults", value="3"))
            assert await visit(pool) is not before
            await pool.close_idle(3_600.0)
            assert not before.closed
        await until(lambda: before.closed)
        assert len(pool) == 1

    play(act)


def test_one_that_two_use_stays_open_for_the_second() -> None:
    make_agent()

    async def act(pool: AgentPool, _: Opener) -> None:
        first, second = await pool.lease("main"), await pool.lease("main")
        assert first is second
        set_value(HOME, AT_TERMINAL, SetRequest(key="memorySearch.query.maxResults", value="3"))
        await visit(pool)
        pool.release(first)
        assert not pool._closing
        assert not second.runtime.closed
        pool.release(second)
        await until(lambda: second.runtime.closed)

    play(act)


def test_idle_ones_are_closed_and_used_ones_are_not() -> None:
    make_agent()

    async def act(pool: AgentPool, _: Opener) -> None:
        async with pool.using("main") as runtime:
            await pool.close_idle(0.0)
            assert len(pool) == 1
        await pool.close_idle(3_600.0)
        assert not runtime.closed
        await pool.close_idle(0.0)
        await until(lambda: runtime.closed)

    play(act)


def test_at_most_so_many_are_open_and_the_least_recently_used_goes_first() -> None:
    for name in ("a", "b", "c"):
        make_agent(name)

    async def act(pool: AgentPool, _: Opener) -> None:
        first = await visit(pool, "a")
        second = await visit(pool, "b")
        assert await visit(pool, "a") is first
        await visit(pool, "c")
        await until(lambda: second.closed)
        assert not first.closed
        async with pool.using("a"), pool.using("c"):
            with pytest.raises(Refused) as refused:
                await visit(pool, "b")
            assert refused.value.problem.status == 503

    play(act, most=2)


def test_an_agent_that_is_gone_is_not_found() -> None:
    make_agent()

    async def act(pool: AgentPool, _: Opener) -> None:
        with pytest.raises(NotFound):
            await visit(pool, "nobody")

    play(act)


def test_those_that_are_being_opened_count_as_well() -> None:
    for name in ("main", "second", "third"):
        make_agent(name)
    most_open = 0

    async def act(pool: AgentPool, _: Opener) -> None:
        nonlocal most_open

        async def use(name: str) -> str:
            nonlocal most_open
            try:
                async with pool.using(name):
                    most_open = max(most_open, len(pool))
                    await asyncio.sleep(0.05)
            except Refused as refused:
                return refused.problem.kind
            return "served"

        told = await asyncio.gather(*map(use, ("main", "second", "third")))
        assert sorted(told) == ["busy", "served", "served"]

    play(act, most=2)
    assert most_open == 2


def test_one_whose_place_is_taken_is_closed_before_another_is_opened() -> None:
    for name in ("a", "b"):
        make_agent(name)
    open_then: list[int] = []

    class Counting(Opener):
        def __call__(self, agent: str) -> Runtime:
            open_then.append(sum(not one.closed for one in self.opened))
            return super().__call__(agent)

    async def act(pool: AgentPool, _: Opener) -> None:
        for name in ("a", "b", "a"):
            await visit(pool, name)

    play(act, most=1, opener=Counting())
    assert open_then == [0, 0, 0]


def test_an_agent_that_nobody_waits_for_any_more_is_opened_once_and_closed_with_the_others() -> None:
    make_agent()
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Opener):
        def __call__(self, agent: str) -> Runtime:
            begun.set()
            assert go_on.wait(60.0)
            return super().__call__(agent)

    async def act(pool: AgentPool, opener: Opener) -> None:
        left = asyncio.ensure_future(visit(pool))
        await until(begun.is_set)
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        waiting = asyncio.ensure_future(visit(pool))
        await asyncio.sleep(0.05)
        go_on.set()
        assert await waiting is opener.opened[0]

    assert len(play(act, opener=Slow()).opened) == 1
