"""Turns that go on without their connection: listened to, left, come back to, and stopped; by events and by WebSocket."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.interfaces.http.gateways import Gateway, Wire, make_agent, make_token, rotate
from tests.interfaces.http.test_api import scripted

from everself.interfaces.http import turns
from everself.testing.chat_model import FakeModel, Wait

JSON = {"content-type": "application/json"}
STREAM = JSON | {"accept": "text/event-stream"}
TURNS = "/api/v1/chat/turns"


class Gate:
    """A model that says one word, waits until it is let on, and says another."""

    name, window, most_output, paid = "fake/1", 128_000, 4_096, False

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self._model = FakeModel("One ")
        self._rest = FakeModel("two.")

    async def stream(self, request: Any) -> Any:
        async for part in self._model.stream(request):
            if type(part).__name__ == "ReplyText":
                yield part
        await self.open.wait()
        async for part in self._rest.stream(request):
            yield part


def play(act: Callable[[Gateway, Any], Awaitable[None]], make: Callable[[], Any] = Gate) -> None:
    async def main() -> None:
        model = make()
        async with Gateway(opener=scripted(model)) as gateway:
            await act(gateway, model)

    make_agent()
    asyncio.run(main())


def read(chunk: dict[str, Any]) -> list[tuple[int, str, dict[str, Any]]]:
    """Number, name and data of the events of a chunk."""
    found = []
    for block in chunk["body"].decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return found


async def until(wire: Wire, name: str) -> list[tuple[int, str, dict[str, Any]]]:
    seen: list[tuple[int, str, dict[str, Any]]] = []
    while not seen or seen[-1][1] != name:
        message = await wire.take()
        if message["type"] == "http.response.body":
            seen += read(message)
    return seen


def test_a_turn_goes_on_when_its_listener_leaves_and_is_heard_to_its_end_by_the_next() -> None:
    async def act(gateway: Gateway, model: Gate) -> None:
        token = make_token()
        body = json.dumps({"text": "Count."}).encode()
        async with gateway.stream("POST", TURNS, token, body, **STREAM) as wire:
            start = await wire.take()
            assert start["status"] == 200
            turn = dict(start["headers"])[b"x-everself-turn"].decode()
            first = await until(wire, "text")
        assert [one[1] for one in first] == ["accepted", "text"]
        assert len(gateway.service.turns) == 1
        last = {"last-event-id": str(first[-1][0])}
        async with gateway.stream("GET", f"{TURNS}/{turn}", token, **last) as wire:
            assert (await wire.take())["status"] == 200
            model.open.set()
            rest = await until(wire, "done")
        numbers = [one[0] for one in (*first, *rest)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert rest[-1][2]["text"] == "One two."
        # it is over, and told once more to whoever comes late
        again = (await gateway.client(token).get(f"{TURNS}/{turn}")).text
        assert again.count("event: done") == 1

    play(act)


def test_a_turn_is_stopped_and_what_was_said_is_kept() -> None:
    async def act(gateway: Gateway, _: Gate) -> None:
        token = make_token()
        client = gateway.client(token)
        begun = await client.post(TURNS, json={"text": "Count.", "stay": True})
        assert begun.status_code == 202
        data = begun.json()["data"]
        turn = data["turn"]
        running = gateway.service.turns.get(turn, gateway.service.turns._known[turn].access)
        async with gateway.stream("GET", f"{TURNS}/{turn}", token) as wire:
            await until(wire, "text")
            stopped = (await client.post(f"{TURNS}/{turn}/cancel", json={})).json()["data"]
            assert stopped == {"turn": turn, "stopped": True}
            (*_, done) = await until(wire, "done")
        assert (done[2]["why"], done[2]["text"]) == ("cancelled", "One ")
        await asyncio.wait({running.task})
        shown = (await gateway.ask(token, "sessions.show", name=data["session"])).json()["data"]
        assert "Count." in json.dumps(shown)
        assert (await client.post(f"{TURNS}/{turn}/cancel", json={})).json()["data"]["stopped"] is False

    play(act)


def test_a_turn_belongs_to_whoever_began_it() -> None:
    async def act(gateway: Gateway, model: Gate) -> None:
        mine = make_token()
        others = [make_token("other"), make_token("anna", "guest/anna"), make_token("look", read=True)]
        turn = (await gateway.client(mine).post(TURNS, json={"text": "Count."})).json()["data"]["turn"]
        for token in others:
            assert (await gateway.client(token).get(f"{TURNS}/{turn}")).status_code == 404
            assert (await gateway.client(token).post(f"{TURNS}/{turn}/cancel", json={})).status_code == 404
        assert (await gateway.client(others[2]).post(TURNS, json={"text": "Hello."})).status_code == 403
        bad = await gateway.client(mine).get(f"{TURNS}/{turn}", headers={"Last-Event-ID": "many"})
        assert bad.status_code == 400
        assert (await gateway.client(mine).post(TURNS, json={"text": " "})).status_code == 400
        model.open.set()

    play(act)


def test_so_many_turns_run_at_once_for_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MOST", 2)

    async def act(gateway: Gateway, _: object) -> None:
        client = gateway.client(make_token())
        codes = [(await client.post(TURNS, json={"text": "Count."})).status_code for _ in range(3)]
        assert codes == [202, 202, 429]

    play(act, lambda: FakeModel(("One ", Wait())))


def test_a_socket_has_the_same_events_and_comes_back_to_a_turn() -> None:
    async def act(gateway: Gateway, model: Gate) -> None:
        token = make_token()
        async with gateway.socket(token) as wire:
            assert (await wire.take())["type"] == "websocket.accept"
            wire.say(type="say", text="Count.", ref="a")
            accepted, text = await wire.hear(), await wire.hear()
            assert [one["event"] for one in (accepted, text)] == ["accepted", "text"]
            assert (accepted["ref"], text["data"]) == ("a", {"text": "One "})
        async with gateway.socket(token) as wire:
            await wire.take()
            wire.say(type="resume", turn=text["turn"], after=text["id"])
            model.open.set()
            told = [await wire.hear()]
            while told[-1]["event"] != "done":
                told.append(await wire.hear())
        assert [one["id"] for one in told] == list(range(3, 3 + len(told)))
        assert told[-1]["data"]["text"] == "One two."

    play(act)


def test_a_socket_stops_a_turn_and_says_what_is_wrong_without_closing() -> None:
    async def act(gateway: Gateway, _: Gate) -> None:
        token = make_token()
        async with gateway.socket(token) as wire:
            await wire.take()
            for told, status in (
                ({"type": "dance"}, 400),
                ({"type": "say", "text": " ", "ref": 7}, 400),
                ({"type": "say", "words": "x"}, 400),
                ({"type": "resume", "turn": "nothing"}, 404),
                ({"type": "cancel", "turn": "nothing"}, 404),
            ):
                wire.say(**told)
                said = await wire.hear()
                assert (said["type"], said["problem"]["status"], said.get("ref")) == (
                    "problem",
                    status,
                    told.get("ref"),
                )
            wire.give({"type": "websocket.receive", "text": "no json"})
            assert (await wire.hear())["problem"]["status"] == 400
            wire.say(type="say", text="Count.")
            (_, text) = await wire.hear(), await wire.hear()
            wire.say(type="cancel", turn=text["turn"])
            done = await wire.hear()
            assert (done["event"], done["data"]["why"]) == ("done", "cancelled")
            wire.give({"type": "websocket.receive", "bytes": b"x"})
            assert (await wire.take())["code"] == 1003

    play(act)


def test_a_token_that_is_rotated_closes_its_sockets() -> None:
    async def act(gateway: Gateway, model: Gate) -> None:
        token = make_token()
        async with gateway.socket(token) as speaking, gateway.socket(token) as listening:
            for wire in (speaking, listening):
                await wire.take()
            listening.say(type="say", text="Count.")
            await listening.hear()
            await listening.hear()
            rotate("editor")
            speaking.say(type="say", text="Hello.")
            assert (await speaking.take())["code"] == 4401
            model.open.set()
            assert (await listening.take())["code"] == 4401

    play(act)


def test_a_socket_needs_a_token_and_a_page_of_ours() -> None:
    async def act(gateway: Gateway, _: object) -> None:
        for token, headers, status in (
            ("", {}, 401),
            (make_token(), {"origin": "http://evil.example"}, 403),
            (make_token("other"), {"host": "evil.example"}, 403),
        ):
            async with gateway.socket(token, **headers) as wire:
                told = await wire.take()
                assert (told["type"], told["status"]) == ("websocket.http.response.start", status)

    play(act)


def test_turns_that_nobody_listens_to_are_stopped_with_the_gateway() -> None:
    async def act(gateway: Gateway, _: object) -> None:
        token = make_token()
        begun = (await gateway.client(token).post(TURNS, json={"text": "Count."})).json()["data"]
        await gateway.service.turns.close(0.0, 60.0)
        assert len(gateway.service.turns) == 0
        shown = await gateway.ask(token, "sessions.show", name=begun["session"])
        assert "Count." in shown.text

    play(act, lambda: FakeModel(("One ", Wait())))
