"""The routes of Anthropic's wire. A conversation is that of every other interface; this only words it."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
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
from everself.interfaces.http.wire_turns import Turn, begin_turn, need_model
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
            return EventStream(_events(head, turn), turn.headers, worded=_failure)
        return _json(head.message(await turn.whole(request)), turn.headers)

    async def count(self, request: Request) -> Response:
        """About as many tokens as the request itself has; what the agent adds of its own is not counted."""
        asked = read_messages(read_object(await request.body()), counted=True)
        need_model(asked.model, request.state.access)
        texts = [asked.system, json.dumps(asked.more.get("tools", []), ensure_ascii=False)]
        for one in asked.items:
            texts += [one.text, *one.programs, *(f"{call['name']} {call['arguments']}" for call in one.calls)]
        return _json({"input_tokens": sum(map(estimate, texts))})


async def _events(head: Head, turn: Turn) -> AsyncIterator[bytes]:
    """What fails before the first word is raised, and answered with its code; later it is told in the stream."""
    blocks = Blocks()
    begun = False
    async with aclosing(turn.pieces()) as pieces:
        async for piece in pieces:
            if not begun:
                begun = True
                yield _line(*head.start())
            for sent in blocks.feed(piece):
                yield _line(*sent)


def _failure(problem: Problem) -> bytes:
    return _line("error", error_of(problem, "")[0])


def _line(event: str, data: object) -> bytes:
    return event_lines(json.dumps(data, ensure_ascii=False), event)


def _json(value: object, headers: dict[str, str] | None = None) -> Response:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return Response(data, headers=headers, media_type="application/json")


def _routes(service: Service) -> Sequence[BaseRoute]:
    anthropic = Anthropic(service)
    return (
        Route(PREFIX, anthropic.answer, methods=["POST"]),
        Route(f"{PREFIX}/count_tokens", anthropic.count, methods=["POST"]),
    )


# Anthropic's clients list models too, at the address that OpenAI's use
SURFACE: Final = Surface(PREFIX, _routes, error_of, keyed=(PREFIX, "/v1/models"))
