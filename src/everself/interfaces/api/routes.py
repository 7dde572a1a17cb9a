"""The routes of `/api/v1`: one per operation, by name, with their descriptions."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from everself.conversation.events import Event
from everself.interfaces.api.chat import CHANNEL, STREAM, chat_routes, encode, lines_of
from everself.interfaces.api.openapi import document
from everself.interfaces.http.access import Access
from everself.interfaces.http.app import Surface
from everself.interfaces.http.event_stream import EventStream
from everself.interfaces.http.fields import read_object
from everself.interfaces.http.guard import Door
from everself.interfaces.http.problems import Refused, refuse
from everself.interfaces.http.service import Service, failure_of, offered_operations
from everself.interfaces.rendering.view import view_of
from everself.operations.conversation import reply_of
from everself.operations.declaration import Operation

PREFIX: Final = "/api/v1"


class Api:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._operations = {one.name: one for one in offered_operations()}

    async def operate(self, request: Request) -> Any:
        name = request.path_params["name"]
        operation = self._operations.get(name)
        if operation is None:
            raise refuse(404, "not-found", "Unknown operation", mend=f"GET {PREFIX}/openapi.json lists them.")
        request.state.operation = name
        given = read_object(await request.body())
        access: Access = request.state.access
        if operation.stream:
            return await self._converse(request, access, given)
        data = await self._service.operate(access, operation, given, lambda _, found: _shown(operation, found), CHANNEL)
        return Response(data, media_type="application/json")

    async def _converse(self, request: Request, access: Access, given: dict[str, object]) -> Any:
        events = self._service.converse(access, given, CHANNEL)
        if STREAM in request.headers.get("accept", ""):
            return EventStream(_lines(events))
        found = [event async for event in events]
        reply = reply_of(found, access.agent)
        if reply.failed:
            raise Refused(failure_of(reply))
        notices = [one.text for one in reply.notices]
        data = encode({"ok": True, "data": reply, "notices": notices})
        return Response(data, media_type="application/json")

    async def describe(self, request: Request) -> Response:
        access: Access = request.state.access
        return Response(encode(document(self._operations.values(), access)), media_type="application/json")

    async def measure(self, request: Request) -> Response:
        access: Access = request.state.access
        if not access.is_owner:
            raise refuse(403, "refused-by-rule", "Permission denied", "Only the owner's tokens see the figures.")
        return Response(render_metrics(self._service), media_type="text/plain; version=0.0.4")


def _routes(service: Service) -> Sequence[BaseRoute]:
    api = Api(service)
    return (
        Route(f"{PREFIX}/openapi.json", api.describe, methods=["GET"]),
        *chat_routes(service, PREFIX),
        Route(f"{PREFIX}/{{name}}", api.operate, methods=["POST"]),
        Route("/metrics", api.measure, methods=["GET"]),
    )


SURFACE: Final = Surface(PREFIX, _routes, door=Door(cookies=True))


def _shown(operation: Operation[Any, Any], result: Any) -> bytes:
    """The result as in `--json`. A result that its view treats as an error is raised as one."""
    view = view_of(operation)
    error = view.error(result)
    if error is not None:
        raise error
    return encode({"ok": True, "data": view.data(result), "notices": list(view.notices(result))})


async def _lines(events: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    number = 0
    async for event in events:
        number += 1
        yield lines_of(number, event)


def render_metrics(service: Service) -> str:
    return "".join(f"{line}\n" for line in _metric_lines(service))


def _metric_lines(service: Service) -> Iterator[str]:
    yield "# TYPE everself_requests_total counter"
    for (route, status), count in sorted(service.answered.items()):
        yield f'everself_requests_total{{route="{route}",status="{status}"}} {count}'
    figures = (
        ("everself_open_agents", len(service.pool)),
        ("everself_busy_workers", service.workers.busy),
        ("everself_lost_log_lines", service.log.lost),
    )
    for name, value in figures:
        yield f"# TYPE {name} gauge"
        yield f"{name} {value}"
