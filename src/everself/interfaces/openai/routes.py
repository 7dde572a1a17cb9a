"""The routes of OpenAI's wire format. Conversations are the same as in all interfaces; only the format differs."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from everself.interfaces.http.access import Access
from everself.interfaces.http.app import Surface
from everself.interfaces.http.event_stream import EventStream, event_lines
from everself.interfaces.http.fields import read_object
from everself.interfaces.http.problems import Problem
from everself.interfaces.http.service import Service
from everself.interfaces.http.wire_turns import begin_turn, json_response, need_model, stream_of
from everself.interfaces.openai.answers import Chunks, Head, error_of, model_of, models_of
from everself.interfaces.openai.requests import read_completion
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
        return json_response(models_of(access.agent))

    async def model(self, request: Request) -> Response:
        access: Access = request.state.access
        need_model(request.path_params["model"], access)
        return json_response(model_of(access.agent))

    async def complete(self, request: Request) -> Any:
        found = read_completion(read_object(await request.body()))
        need_model(found.asked.model, request.state.access)
        turn = await begin_turn(self._service, request, found.asked.given, CHANNEL)
        head = Head(f"chatcmpl-{turn.message}", turn.created, turn.model)
        if found.asked.stream:
            chunks = Chunks(head, found.include_usage)
            told = stream_of(turn, lambda: map(_line, chunks.start()), lambda piece: map(_line, chunks.feed(piece)))
            return EventStream(_done(told), turn.headers, worded=_failure)
        return json_response(head.completion(await turn.whole(request)), turn.headers)

    async def respond(self, request: Request) -> Any:
        found = read_response(read_object(await request.body()))
        need_model(found.asked.model, request.state.access)
        turn = await begin_turn(self._service, request, found.asked.given, RESPONSES, named=found.previous)
        head = ResponseHead(turn.message, turn.created, turn.model, found.echo)
        if found.asked.stream:
            events = Events(head)
            told = stream_of(turn, lambda: map(_event, events.start()), lambda piece: map(_event, events.feed(piece)))
            return EventStream(told, turn.headers, worded=lambda problem: _event(events.fail(problem)))
        return json_response(head.whole(await turn.whole(request)), turn.headers)


def _event(sent: dict[str, Any]) -> bytes:
    return event_lines(json.dumps(sent, ensure_ascii=False), sent["type"])


async def _done(told: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    async with aclosing(told) as lines:
        async for line in lines:
            yield line
    yield event_lines("[DONE]")


def _failure(problem: Problem) -> bytes:
    return _line(error_of(problem, "")[0])


def _line(value: object) -> bytes:
    return event_lines(json.dumps(value, ensure_ascii=False))


def _routes(service: Service) -> Sequence[BaseRoute]:
    openai = OpenAI(service)
    return (
        Route("/v1/models", openai.models, methods=["GET"]),
        Route("/v1/models/{model}", openai.model, methods=["GET"]),
        Route("/v1/chat/completions", openai.complete, methods=["POST"]),
        Route("/v1/responses", openai.respond, methods=["POST"]),
    )


SURFACE: Final = Surface(PREFIX, _routes, error_of)
