"""The routes of OpenAI's wire. A conversation is that of every other interface; this only words it."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from everself.clock import system_now
from everself.conversation.events import Accepted, Done, Event, Text
from everself.interfaces.http.access import Access
from everself.interfaces.http.app import Surface
from everself.interfaces.http.bodies import read_object
from everself.interfaces.http.event_stream import EventStream, event_lines
from everself.interfaces.http.problems import Problem, Refused, refuse
from everself.interfaces.http.service import Service, failure_of
from everself.interfaces.openai.answers import Head, error_of, model_of, reason_of
from everself.interfaces.openai.requests import Asked, given_of, read_completion
from everself.operations.conversation import reply_of

CHANNEL: Final = "openai"
PREFIX: Final = "/v1/"
SESSION: Final = "x-everself-session"


class OpenAI:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def models(self, request: Request) -> Response:
        access: Access = request.state.access
        return _json({"object": "list", "data": [model_of(access.agent)]})

    async def model(self, request: Request) -> Response:
        access: Access = request.state.access
        _need_model(request.path_params["model"], access)
        return _json(model_of(access.agent))

    async def complete(self, request: Request) -> Any:
        access: Access = request.state.access
        asked = read_completion(read_object(await request.body()))
        _need_model(asked.model, access)
        given = given_of(asked, request.headers.get(SESSION, ""))
        events = self._service.converse(access, given, CHANNEL)
        # what cannot be accepted is raised here, and answered with its code
        accepted = await anext(events)
        if not isinstance(accepted, Accepted):
            raise refuse(502, "model-failed", "There was no reply")
        head = Head(f"chatcmpl-{accepted.message}", int(system_now().timestamp()), access.agent)
        named = {SESSION: accepted.session}
        if asked.stream:
            return EventStream(_chunks(head, events, asked), named)
        async with aclosing(events):
            found = [accepted, *[event async for event in events]]
        return _json(head.completion(_done(found, access.agent)), named)


async def _chunks(head: Head, events: AsyncGenerator[Event, None], asked: Asked) -> AsyncIterator[bytes]:
    """What fails before the first word is raised, and answered with its code; later it is told in the stream."""
    seen: list[Event] = []
    begun = False
    async with aclosing(events):
        async for event in events:
            seen.append(event)
            if isinstance(event, Text):
                if not begun:
                    begun = True
                    yield _line(head.chunk({"role": "assistant", "content": ""}))
                yield _line(head.chunk({"content": event.text}))
    try:
        done = _done(seen, asked.model)
    except Refused as refused:
        if not begun:
            raise
        yield _line(error_of(refused.problem, "")[0])
        return
    if not begun:
        yield _line(head.chunk({"role": "assistant", "content": ""}))
    yield _line(head.chunk({}, reason_of(done)))
    if asked.include_usage:
        yield _line(head.usage_chunk(done))
    yield event_lines("[DONE]")


def _done(events: Sequence[Event], agent: str) -> Done:
    """How the turn ended. Raises Refused where there was no whole reply."""
    reply = reply_of(events, agent)
    if reply.failed:
        raise Refused(failure_of(reply))
    return next(one for one in reversed(events) if isinstance(one, Done))


def _need_model(name: str, access: Access) -> None:
    if name != access.agent:
        detail = (
            f"The model {name[:64]} does not exist. This token opens the agent {access.agent}; its name is the model's."
        )
        raise Refused(Problem(404, "model-not-found", "There is no such model", detail, param="model"))


def _line(value: object) -> bytes:
    return event_lines(json.dumps(value, ensure_ascii=False))


def _json(value: object, headers: dict[str, str] | None = None) -> Response:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return Response(data, headers=headers, media_type="application/json")


def _routes(service: Service) -> Sequence[BaseRoute]:
    openai = OpenAI(service)
    return (
        Route("/v1/models", openai.models, methods=["GET"]),
        Route("/v1/models/{model}", openai.model, methods=["GET"]),
        Route("/v1/chat/completions", openai.complete, methods=["POST"]),
    )


SURFACE: Final = Surface(PREFIX, _routes, error_of)
