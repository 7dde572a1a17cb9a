"""A turn for wire formats: text, calls of the client's tools, and the end. Knows no wire format."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from everself.clock import system_now
from everself.conversation.events import Accepted, Done, Event, Text, ToolCalled
from everself.frozen import Frozen
from everself.interfaces.http.access import Access
from everself.interfaces.http.event_stream import left
from everself.interfaces.http.fields import wrong
from everself.interfaces.http.problems import Problem, Refused, refuse
from everself.interfaces.http.service import Service, failure_of
from everself.operations.conversation import reply_of

SESSION: Final = "x-everself-session"
# RFC draft-ietf-httpapi-idempotency-key-header
ONCE: Final = "idempotency-key"
_LONGEST: Final = 255

# text, a call of a client's tool, or the end
Piece = str | ToolCalled | Done


class Told(Frozen):
    """A complete turn."""

    text: str
    calls: tuple[ToolCalled, ...]
    done: Done


class Turn:
    """A running turn whose message is stored. `created` is in seconds since 1970."""

    def __init__(self, accepted: Accepted, events: AsyncGenerator[Event, None], access: Access) -> None:
        self.message = accepted.message
        self.created = int(system_now().timestamp())
        self.model = access.agent
        self.headers = {SESSION: accepted.session}
        self._accepted = accepted
        self._events = events

    async def pieces(self) -> AsyncGenerator[Piece, None]:
        """The parts of the turn; the end comes last. Raises Refused if there is no whole reply."""
        seen: list[Event] = [self._accepted]
        async with aclosing(self._events) as events:
            async for event in events:
                seen.append(event)
                if isinstance(event, Text):
                    yield event.text
                elif isinstance(event, ToolCalled) and event.client:
                    yield event
        reply = reply_of(seen, self.model)
        if reply.failed:
            raise Refused(failure_of(reply))
        done = next(one for one in reversed(seen) if isinstance(one, Done))
        if done.why == "cancelled":
            raise refuse(503, "cancelled", "The reply was stopped", "What was said is kept.")
        yield done

    async def whole(self, request: Request) -> Told:
        """Collect the whole turn. A disconnecting client stops the reply."""
        reading = asyncio.ensure_future(self._read())
        leaving = asyncio.ensure_future(left(request.receive))
        try:
            await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                return reading.result()
            raise refuse(499, "gone", "The client disconnected")
        finally:
            for task in (reading, leaving):
                task.cancel()
            # wait for the end of the turn, so that its data is stored before the request ends
            await asyncio.gather(reading, leaving, return_exceptions=True)

    async def _read(self) -> Told:
        text: list[str] = []
        calls: list[ToolCalled] = []
        async with aclosing(self.pieces()) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    text.append(piece)
                elif isinstance(piece, ToolCalled):
                    calls.append(piece)
                else:
                    return Told("".join(text), tuple(calls), piece)
        raise refuse(502, "model-failed", "There was no reply")


async def stream_of(
    turn: Turn, begin: Callable[[], Iterable[bytes]], feed: Callable[[Piece], Iterable[bytes]]
) -> AsyncGenerator[bytes, None]:
    """The stream of a turn. An error before the first part is raised and gets a status code; later ones are sent in the stream."""
    begun = False
    async with aclosing(turn.pieces()) as pieces:
        async for piece in pieces:
            for sent in () if begun else begin():
                yield sent
            begun = True
            for sent in feed(piece):
                yield sent


def json_response(value: object, headers: Mapping[str, str] | None = None) -> Response:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return Response(data, headers=headers, media_type="application/json")


async def begin_turn(
    service: Service, request: Request, given: Mapping[str, object], channel: str, *, named: str = ""
) -> Turn:
    """Start the turn; raises if the message is not accepted. `named` is the message of an earlier turn to continue from."""
    access: Access = request.state.access
    session, once = request.headers.get(SESSION, ""), request.headers.get(ONCE, "")
    if len(once) > _LONGEST:
        raise wrong(ONCE, f"The header {ONCE} has at most {_LONGEST} characters.")
    # a named session contains the earlier messages
    earlier: dict[str, object] = {"earlier": []} if session else {}
    events = service.converse(access, {**given, **earlier, "session": session, "after": named, "id": once}, channel)
    accepted = await anext(events)
    if not isinstance(accepted, Accepted):
        raise refuse(502, "model-failed", "There was no reply")
    return Turn(accepted, events, access)


def need_model(name: str, access: Access) -> None:
    if name != access.agent:
        detail = (
            f"The model {name[:64]} does not exist. This token opens the agent {access.agent}; its name is the model's."
        )
        raise Refused(Problem(404, "model-not-found", "Unknown model", detail, param="model"))
