"""The routes of Anthropic's wire format. Conversations are the same as in all interfaces; only the format differs."""

import json
from collections.abc import Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from everself.interfaces.anthropic.answers import Blocks, Head, error_of
from everself.interfaces.anthropic.requests import read_messages
from everself.interfaces.http.app import Surface
from everself.interfaces.http.event_stream import EventStream, event_lines
from everself.interfaces.http.fields import read_object
from everself.interfaces.http.problems import Problem
from everself.interfaces.http.service import Service
from everself.interfaces.http.wire_turns import begin_turn, json_response, need_model, stream_of
from everself.text.tokens import estimate

CHANNEL: Final = "anthropic"
PREFIX: Final = "/v1/messages"


class Anthropic:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def answer(self, request: Request) -> Any:
        asked = read_messages(read_object(await request.body()))
        need_model(asked.model, request.state.access)
        turn = await begin_turn(self._service, request, asked.given, CHANNEL)
        head = Head(f"msg_{turn.message}", turn.model)
        if asked.stream:
            blocks = Blocks()
            told = stream_of(
                turn, lambda: [_line(*head.start())], lambda piece: [_line(*sent) for sent in blocks.feed(piece)]
            )
            return EventStream(told, turn.headers, worded=_failure)
        return json_response(head.message(await turn.whole(request)), turn.headers)

    async def count(self, request: Request) -> Response:
        """An estimate of the request's tokens, without those that the agent adds."""
        asked = read_messages(read_object(await request.body()), counted=True)
        need_model(asked.model, request.state.access)
        texts = [asked.system, json.dumps(asked.more.get("tools", []), ensure_ascii=False)]
        for one in asked.items:
            texts += [one.text, *one.programs, *(f"{call['name']} {call['arguments']}" for call in one.calls)]
        return json_response({"input_tokens": sum(map(estimate, texts))})


def _failure(problem: Problem) -> bytes:
    return _line("error", error_of(problem, "")[0])


def _line(event: str, data: object) -> bytes:
    return event_lines(json.dumps(data, ensure_ascii=False), event)


def _routes(service: Service) -> Sequence[BaseRoute]:
    anthropic = Anthropic(service)
    return (
        Route(PREFIX, anthropic.answer, methods=["POST"]),
        Route(f"{PREFIX}/count_tokens", anthropic.count, methods=["POST"]),
    )


# Anthropic's clients list models at the same address as OpenAI's
SURFACE: Final = Surface(PREFIX, _routes, error_of, keyed=(PREFIX, "/v1/models"))
