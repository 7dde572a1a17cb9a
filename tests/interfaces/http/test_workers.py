"""Blocking work runs in threads, bounded in number and time, and is given back once."""

import asyncio
import threading

import pytest

from everself.interfaces.http.problems import Refused
from everself.interfaces.http.workers import Workers

LONG = 60.0


def status_of(refused: "pytest.ExceptionInfo[Refused]") -> int:
    return refused.value.problem.status


def test_work_runs_in_a_thread_and_is_given_back_after_it() -> None:
    given_back: list[str] = []

    async def main() -> None:
        workers = Workers(1, 0)
        here = threading.get_ident()
        assert await workers.run(threading.get_ident, LONG, lambda: given_back.append("once")) != here
        assert workers.busy == 0

    asyncio.run(main())
    assert given_back == ["once"]


def test_what_takes_too_long_goes_on_and_is_given_back_when_it_ends() -> None:
    go = threading.Event()
    given_back: list[str] = []

    async def main() -> None:
        workers = Workers(1, 1)
        with pytest.raises(Refused) as refused:
            await workers.run(lambda: go.wait(LONG), 0.01, lambda: given_back.append("first"))
        assert status_of(refused) == 504
        assert given_back == []
        # what was never begun is not done at all
        with pytest.raises(Refused) as refused:
            await workers.run(lambda: given_back.append("done"), 0.01, lambda: given_back.append("second"))
        assert status_of(refused) == 503
        go.set()
        while workers.busy:
            await asyncio.sleep(0.001)

    asyncio.run(main())
    assert sorted(given_back) == ["first", "second"]


def test_beyond_the_queue_nothing_is_taken() -> None:
    go = threading.Event()
    given_back: list[str] = []

    async def main() -> None:
        workers = Workers(1, 1)
        waiting = [asyncio.ensure_future(workers.run(lambda: go.wait(LONG), LONG)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refused) as refused:
            await workers.run(lambda: True, LONG, lambda: given_back.append("refused"))
        assert status_of(refused) == 503
        assert given_back == ["refused"]
        go.set()
        await asyncio.gather(*waiting)

    asyncio.run(main())


def test_whoever_leaves_does_not_take_the_work_with_them() -> None:
    begun, go = threading.Event(), threading.Event()
    given_back: list[str] = []

    def work() -> None:
        begun.set()
        go.wait(LONG)
        given_back.append("done")

    async def main() -> None:
        workers = Workers(1, 0)
        task = asyncio.ensure_future(workers.run(work, LONG, lambda: given_back.append("back")))
        await asyncio.to_thread(begun.wait, LONG)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert given_back == []
        go.set()
        while workers.busy:
            await asyncio.sleep(0.001)

    asyncio.run(main())
    assert given_back == ["done", "back"]


def test_what_goes_wrong_in_a_thread_is_raised() -> None:
    async def main() -> None:
        workers = Workers(1, 0)
        with pytest.raises(ZeroDivisionError):
            await workers.run(lambda: 1 / 0, LONG)
        assert workers.busy == 0

    asyncio.run(main())
