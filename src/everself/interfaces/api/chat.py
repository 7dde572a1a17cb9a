"""Conversations under `/api/v1/chat`: start, follow, resume and stop a turn, by server-sent events or WebSocket with the same events. In
contrast to `chat.say`, a turn here continues without its connection."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from everself.conversation.events import Event
from everself.errors import EverselfError
from everself.interfaces.http.access import Access
from everself.interfaces.http.event_stream import EventStream, event_lines
from everself.interfaces.http.fields import read_object
from everself.interfaces.http.problems import Problem, Refused, problem_of, refuse
from everself.interfaces.http.service import Service
from everself.interfaces.http.turns import RunningTurn
from everself.interfaces.rendering.json_form import to_json

CHANNEL: Final = "api"
STREAM: Final = "text/event-stream"
TURN: Final = "x-everself-turn"
# close codes of a WebSocket: access ended, and invalid JSON
_SIGNED_OUT, _NOT_TEXT = 4401, 1003
_ACCEPTED: Final = 202


class ChatRoutes:
    def __init__(self, service: Service) -> None:
        self._service = service

    def begin(self, access: Access, given: dict[str, object]) -> RunningTurn:
        return self._service.turns.start(access, self._service.converse(access, given, CHANNEL))

    async def say(self, request: Request) -> Any:
        """Start a turn. With `Accept: text/event-stream` its events follow; otherwise only the acceptance is returned."""
        turn = self.begin(request.state.access, read_object(await request.body()))
        accepted = await turn.accepted()
        if STREAM in request.headers.get("accept", ""):
            return EventStream(_lines(turn, 0), {TURN: turn.id})
        data = {"turn": turn.id, "session": accepted.session, "message": accepted.message}
        return Response(_answer(data), _ACCEPTED, {TURN: turn.id}, "application/json")

    async def listen(self, request: Request) -> Any:
        """The events of a turn after `Last-Event-ID`."""
        turn = self._service.turns.get(request.path_params["turn"], request.state.access)
        return EventStream(_lines(turn, _number(request.headers.get("last-event-id", "0"))), {TURN: turn.id})

    async def cancel(self, request: Request) -> Response:
        """Stop a turn. The message is kept, and so is the part of the reply that arrived."""
        turn = self._service.turns.get(request.path_params["turn"], request.state.access)
        return Response(_answer({"turn": turn.id, "stopped": turn.cancel()}), media_type="application/json")

    async def socket(self, websocket: WebSocket) -> None:
        await websocket.accept()
        await _Socket(self, self._service, websocket).serve()


class _Socket:
    """One WebSocket. It may follow several turns; closing it stops none of them."""

    def __init__(self, routes: ChatRoutes, service: Service, websocket: WebSocket) -> None:
        self._routes = routes
        self._service = service
        self._websocket = websocket
        self._access: Access = websocket.state.access
        self._listening: dict[str, asyncio.Task[None]] = {}
        self._sending = asyncio.Lock()

    async def serve(self) -> None:
        try:
            while True:
                message = await self._websocket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                if (text := message.get("text")) is None:
                    await self._websocket.close(_NOT_TEXT)
                    return
                self._websocket.state.recheck()
                await self._hear(text)
        except WebSocketDisconnect:
            pass
        except Refused as refused:
            # access was revoked while the connection was open
            await self._close(refused.problem)
        finally:
            for task in self._listening.values():
                task.cancel()
            await asyncio.gather(*self._listening.values(), return_exceptions=True)

    async def _hear(self, text: str) -> None:
        given: dict[str, object] = {}
        try:
            if wait := self._service.asked.wait(self._access.token):
                raise refuse(429, "too-often", "Too many requests", f"Try again in {wait:.0f} s.")
            given = read_object(text.encode("utf-8", "replace"))
            await self._obey(given)
        except Refused as refused:
            await self._tell_problem(refused.problem, given.get("ref"))
        except EverselfError as error:
            await self._tell_problem(problem_of(error, to_owner=self._access.is_owner), given.get("ref"))

    async def _obey(self, given: dict[str, object]) -> None:
        match given.pop("type", ""):
            case "say":
                ref = given.pop("ref", None)
                self._follow(self._routes.begin(self._access, given), 0, ref)
            case "resume":
                turn = self._service.turns.get(str(given.get("turn", "")), self._access)
                self._follow(turn, _number(str(given.get("after", 0))), given.get("ref"))
            case "cancel":
                self._service.turns.get(str(given.get("turn", "")), self._access).cancel()
            case _:
                raise refuse(400, "unknown-type", "`type` is say, resume or cancel")

    def _follow(self, turn: RunningTurn, after: int, ref: object) -> None:
        before = self._listening.pop(turn.id, None)
        if before is not None:
            before.cancel()
        task = asyncio.ensure_future(self._pass_on(turn, after, ref))
        self._listening[turn.id] = task
        task.add_done_callback(lambda _: self._listening.pop(turn.id, None) if self._is(turn, task) else None)

    def _is(self, turn: RunningTurn, task: "asyncio.Task[None]") -> bool:
        return self._listening.get(turn.id) is task

    async def _pass_on(self, turn: RunningTurn, after: int, ref: object) -> None:
        try:
            async for number, event in turn.follow(after):
                self._websocket.state.recheck()
                told = {"type": "event", "turn": turn.id, "id": number, "event": name_of(event), "data": to_json(event)}
                await self._send(told | ({} if ref is None else {"ref": ref}))
        except Refused as refused:
            if turn.events:
                await self._close(refused.problem)
            else:
                await self._tell_problem(refused.problem, ref)
        except EverselfError as error:
            await self._tell_problem(problem_of(error, to_owner=self._access.is_owner), ref)

    async def _tell_problem(self, problem: Problem, ref: object) -> None:
        said = {"problem": problem.body(self._websocket.state.request)} | ({} if ref is None else {"ref": ref})
        await self._send({"type": "problem", **said})

    async def _send(self, told: dict[str, Any]) -> None:
        async with self._sending:
            # the other side may have disconnected
            with suppress(WebSocketDisconnect, RuntimeError):
                await self._websocket.send_text(json.dumps(told, ensure_ascii=False))

    async def _close(self, problem: Problem) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.close(_SIGNED_OUT, problem.title)


def chat_routes(service: Service, prefix: str) -> Sequence[BaseRoute]:
    chat = ChatRoutes(service)
    return (
        Route(f"{prefix}/chat/turns", chat.say, methods=["POST"]),
        Route(f"{prefix}/chat/turns/{{turn}}", chat.listen, methods=["GET"]),
        Route(f"{prefix}/chat/turns/{{turn}}/cancel", chat.cancel, methods=["POST"]),
        WebSocketRoute(f"{prefix}/chat/socket", chat.socket),
    )


async def _lines(turn: RunningTurn, after: int) -> AsyncIterator[bytes]:
    # a comment first, so that a resumed but silent turn is seen to exist
    yield b": turn\n\n"
    async for number, event in turn.follow(after):
        yield lines_of(number, event)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise refuse(400, "wrong-number", "The number of the last event is invalid")
    return int(text)


def _answer(data: object) -> bytes:
    return encode({"ok": True, "data": data, "notices": []})


def encode(value: object) -> bytes:
    return json.dumps(to_json(value), ensure_ascii=False).encode("utf-8", "replace")


def name_of(event: Event) -> str:
    """`ToolCalled` → `tool_called`."""
    name = type(event).__name__
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def lines_of(number: int, event: Event) -> bytes:
    """The lines of one server-sent event."""
    return event_lines(encode(event).decode(), name_of(event), number)
