"""The routes of OpenAI's wire. A conversation is that of every other interface; this only words it."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from everself.conversation.events import ToolCalled
from everself.interfaces.http.access import Access
from everself.interfaces.http.app import Surface
from everself.interfaces.http.event_stream import EventStream, event_lines
from everself.interfaces.http.fields import read_object
from everself.interfaces.http.problems import Problem
from everself.interfaces.http.service import Service
from everself.interfaces.http.wire_turns import Turn, begin_turn, need_model
from everself.interfaces.openai.answers import Head, error_of, model_of, models_of, reason_of
from everself.interfaces.openai.requests import Completion, read_completion
from everself.interfaces.openai.response_answers import Events
from everself.interfaces.openai.response_answers import Head as ResponseHead
from everself.interfaces.openai.response_requests import read_response

CHANNEL: Final = "openai"
RESPONSES: Final = "responses"
PREFIX: Final = "/v1/"


class OpenAI:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def models(self, request: Request) -> Response:
        access: Access = request.state.access
        return _json(models_of(access.agent))

    async def model(self, request: Request) -> Response:
        access: Access = request.state.access
        need_model(request.path_params["model"], access)
        return _json(model_of(access.agent))

    async def complete(self, request: Request) -> Any:
        found = read_completion(read_object(await request.body()))
        need_model(found.asked.model, request.state.access)
        turn = await begin_turn(self._service, request, found.asked.given, CHANNEL)
        head = Head(f"chatcmpl-{turn.message}", turn.created, turn.model)
        if found.asked.stream:
            return EventStream(_chunks(head, turn, found), turn.headers, worded=_failure)
        return _json(head.completion(await turn.whole(request)), turn.headers)

    async def respond(self, request: Request) -> Any:
        found = read_response(read_object(await request.body()))
        need_model(found.asked.model, request.state.access)
        turn = await begin_turn(self._service, request, found.asked.given, RESPONSES, named=found.previous)
        head = ResponseHead(turn.message, turn.created, turn.model, found.echo)
        if found.asked.stream:
            events = Events(head)
            told = _response_events(events, turn)
            return EventStream(told, turn.headers, worded=lambda problem: _event(events.fail(problem)))
        return _json(head.whole(await turn.whole(request)), turn.headers)


async def _response_events(events: Events, turn: Turn) -> AsyncIterator[bytes]:
    """What fails before the first word is raised, and answered with its code; later it is told in the stream."""
    begun = False
    async with aclosing(turn.pieces()) as pieces:
        async for piece in pieces:
            if not begun:
                begun = True
                for sent in events.start():
                    yield _event(sent)
            for sent in events.feed(piece):
                yield _event(sent)


def _event(sent: dict[str, Any]) -> bytes:
    return event_lines(json.dumps(sent, ensure_ascii=False), sent["type"])


async def _chunks(head: Head, turn: Turn, found: Completion) -> AsyncIterator[bytes]:
    """What fails before the first word is raised, and answered with its code; later it is told in the stream."""
    begun = False
    calls = 0
    async with aclosing(turn.pieces()) as pieces:
        async for piece in pieces:
            if not begun:
                begun = True
                yield _line(head.chunk({"role": "assistant", "content": ""}))
            if isinstance(piece, str):
                yield _line(head.chunk({"content": piece}))
            elif isinstance(piece, ToolCalled):
                yield _line(head.call_chunk(piece, calls))
                calls += 1
            else:
                yield _line(head.chunk({}, reason_of(piece)))
                if found.include_usage:
                    yield _line(head.usage_chunk(piece))
    yield event_lines("[DONE]")


def _failure(problem: Problem) -> bytes:
    return _line(error_of(problem, "")[0])


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
        Route("/v1/responses", openai.respond, methods=["POST"]),
    )


SURFACE: Final = Surface(PREFIX, _routes, error_of)
