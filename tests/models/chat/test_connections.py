"""Connections are kept on an event loop that keeps them, and nowhere else; none outlives it, and none is left with half an answer on it."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest
from tests.models.chat.asking import REQUEST, model_at
from tests.models.chat.servers import WIRES, Reply, Wire, say, serve

from everself.models.chat import connections
from everself.models.chat._remote import RemoteChatModel, StreamTimeouts
from everself.models.chat.connections import kept_connections
from everself.models.chat.protocol import ReplyText

# the vendors' packages take seconds to import
pytestmark = pytest.mark.slow


async def say_to(model: RemoteChatModel) -> str:
    async with aclosing(model.stream(REQUEST)) as stream:
        return "".join([piece.text async for piece in stream if isinstance(piece, ReplyText)])


def keeping(act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with kept_connections():
            await act()

    asyncio.run(main())
    assert not connections._KEPT


@pytest.mark.parametrize("wire", WIRES)
def test_requests_one_after_the_other_go_by_one_connection(wire: Wire) -> None:
    async def act() -> None:
        for model in (model_at(server), model_at(server)):
            assert [await say_to(model) for _ in range(2)] == ["Yes."] * 2

    with serve(wire, say("Yes.")) as server:
        keeping(act)
        assert len(server.ports) == 4
        assert len(set(server.ports)) == 1


def test_where_nobody_keeps_them_each_request_has_its_own_on_every_event_loop() -> None:
    with serve("openai", say("Yes.")) as server:
        model = model_at(server)
        # kept ones of a loop that ended are of no use to the next
        keeping(lambda: _discard(say_to(model)))
        for _ in range(2):
            assert asyncio.run(say_to(model)) == "Yes."
        keeping(lambda: _discard(say_to(model)))
        assert len(set(server.ports)) == len(server.ports) == 4


async def _discard(asked: Coroutine[Any, Any, str]) -> None:
    assert await asked == "Yes."


def test_many_at_once_do_not_wait_for_each_other_and_accounts_share_nothing() -> None:
    async def act() -> None:
        other = model_at(second)
        said = await asyncio.gather(*(say_to(model) for _ in range(130)), say_to(other))
        assert said == ["Yes."] * 131
        patient = model_at(server, StreamTimeouts(stall=7.0))
        before = set(server.ports)
        assert await say_to(patient) == "Yes."
        assert server.ports[-1] not in before

    with serve("openai", say("Yes.")) as server, serve("openai", say("Yes.")) as second:
        model = model_at(server)
        keeping(act)


def test_an_answer_that_nobody_hears_to_its_end_closes_its_connection() -> None:
    async def act() -> None:
        async with aclosing(model.stream(REQUEST)) as stream:
            async for piece in stream:
                assert isinstance(piece, ReplyText)
                break
        # while they are still kept
        assert await asyncio.to_thread(server.left.wait, 60.0)
        assert await say_to(model) == "Yes."
        assert len(set(server.ports)) == 2

    with serve("openai", Reply(text=("One", "two"), stall=1), say("Yes.")) as server:
        model = model_at(server)
        keeping(act)


def test_a_connection_that_broke_is_not_used_again() -> None:
    async def act() -> None:
        with pytest.raises(Exception, match="broke off"):
            await say_to(model)
        assert await say_to(model) == "Yes."

    with serve("openai", Reply(text=("One", "two"), cut=1), say("Yes.")) as server:
        model = model_at(server)
        keeping(act)


def test_within_another_one_the_outer_one_keeps_them() -> None:
    async def act() -> None:
        async with kept_connections():
            await _discard(say_to(model))
        await _discard(say_to(model))

    with serve("openai", say("Yes.")) as server:
        model: RemoteChatModel = model_at(server)
        keeping(act)
        assert len(set(server.ports)) == 1
