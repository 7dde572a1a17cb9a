"""A turn in the page: begun by a form, listened to by server-sent events, left and come back to, stopped.

A form that a script sends is answered at once with the turn to listen to; one that a browser sends by itself with the page that holds the
reply.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import fields
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from everself.conversation.events import Done, Event, Notice
from everself.errors import EverselfError
from everself.interfaces.http.access import Access
from everself.interfaces.http.event_stream import EventStream, event_lines
from everself.interfaces.http.problems import Problem, Refused, problem_of, refuse
from everself.interfaces.http.service import CHAT, Service
from everself.interfaces.http.turns import RunningTurn
from everself.interfaces.rendering.json_form import to_json
from everself.interfaces.web.dispatch import access_for, read_form
from everself.interfaces.web.responses import PAGE_HEADERS, moved
from everself.interfaces.web.visit import CHANNEL, PREFIX, url_of
from everself.operations.registry import get_operation
from everself.operations.tools import clean

_SCRIPT: Final = "x-everself-script"
_JSON: Final = "application/json"


class TalkRoutes:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def say(self, request: Request) -> Response:
        access = access_for(self._service, request)
        form = await read_form(self._service, request)
        given = {"text": form["text"], "stay": True} | ({"session": form["session"]} if form["session"] else {})
        turn = self._service.turns.start(access, self._events(access, given))
        accepted = await turn.accepted()
        if request.headers.get(_SCRIPT):
            data = {"turn": turn.id, "session": accepted.session, "message": accepted.message}
            return Response(json.dumps(data), 202, dict(PAGE_HEADERS), _JSON)
        done = await _end_of(turn)
        return moved(f"{url_of(access.agent, 'chat', session=accepted.session)}#m-{done.message or accepted.message}")

    async def listen(self, request: Request) -> Any:
        access = access_for(self._service, request)
        turn = self._service.turns.get(request.path_params["turn"], access)
        after = request.headers.get("last-event-id", "") or request.query_params.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) < 10):
            raise refuse(400, "wrong-number", "The number of the last event is none")
        return EventStream(_lines(turn, int(after), access), worded=_worded)

    async def stop(self, request: Request) -> Response:
        access = access_for(self._service, request)
        form = await read_form(self._service, request)
        turn = self._service.turns.get(request.path_params["turn"], access)
        turn.cancel()
        if request.headers.get(_SCRIPT):
            return Response(b"{}", 200, dict(PAGE_HEADERS), _JSON)
        return moved(url_of(access.agent, "chat", session=form["session"]))

    async def _events(self, access: Access, given: dict[str, object]) -> AsyncGenerator[Event, None]:
        operation = get_operation(CHAT)
        request = operation.read(clean(given), "http")
        caller = access.visitor(CHANNEL)
        async with aclosing(self._service.events(access, lambda app: operation(app, caller, request))) as events:
            async for event in events:
                if access.is_owner or not isinstance(event, Notice):
                    yield event


async def _end_of(turn: RunningTurn) -> Done:
    async with aclosing(turn.follow()) as events:
        async for _, event in events:
            if isinstance(event, Done):
                return event
    raise refuse(503, "stopped", "The reply was stopped", "What you said is kept.", Retry_After="1")


async def _lines(turn: RunningTurn, after: int, access: Access) -> AsyncIterator[bytes]:
    # a comment first: whoever comes back to a turn that is silent knows at once that it is there
    yield b": turn\n\n"
    try:
        async for number, event in turn.follow(after):
            data = {"kind": type(event).__name__, **{name: to_json(getattr(event, name)) for name in _names(event)}}
            yield event_lines(json.dumps(data, ensure_ascii=False), "", number)
    except EverselfError as error:
        raise Refused(problem_of(error, to_owner=access.is_owner)) from error
    yield event_lines("{}", "over")


def _names(event: Event) -> tuple[str, ...]:
    return tuple(one.name for one in fields(event))


def _worded(problem: Problem) -> bytes:
    words = " ".join(part for part in (problem.title, problem.detail, problem.mend) if part)
    return event_lines(json.dumps({"kind": "Failed", "text": words}, ensure_ascii=False)) + event_lines("{}", "over")


def talk_routes(service: Service) -> Sequence[BaseRoute]:
    talk = TalkRoutes(service)
    say, listen, stop = talk.say, talk.listen, talk.stop
    return (
        Route(f"{PREFIX}{{agent}}/chat/say", say, methods=["POST"]),
        Route(f"{PREFIX}{{agent}}/chat/turns/{{turn}}", listen, methods=["GET"]),
        Route(f"{PREFIX}{{agent}}/chat/turns/{{turn}}/stop", stop, methods=["POST"]),
    )
