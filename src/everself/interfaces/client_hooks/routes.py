"""The gateway's side of `everself hook`: one route, for whoever connects to the gateway's own socket, which only the owner may open."""

from collections.abc import Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Scope as AsgiScope

from everself.config.places import is_agent_id
from everself.interfaces.client_hooks.entry import AGENT, ROUTE
from everself.interfaces.http.access import Access
from everself.interfaces.http.app import Surface
from everself.interfaces.http.bodies import read_object
from everself.interfaces.http.guard import Door
from everself.interfaces.http.problems import refuse
from everself.interfaces.http.service import Service
from everself.interfaces.rendering.json_form import to_json
from everself.operations.coding_agents import take_event
from everself.search.scopes import Scope, SessionKind

PREFIX: Final = "/client-hooks/"
_NAME: Final = "socket"


async def admit(_: Service, scope: AsgiScope, __: bytes) -> Access:
    if scope.get("client") is not None or (scope.get("server") or ("", 0))[1] is not None:
        raise refuse(401, "not-local", "Hooks are told over the gateway's socket alone", mend="everself hook EVENT")
    named = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == AGENT.encode()]
    if len(named) != 1 or not is_agent_id(named[0]):
        raise refuse(400, "no-agent", "No agent is named", mend=f"Send the header {AGENT}.")
    return Access(_NAME, named[0], Scope(SessionKind.MAIN), False)


class ClientHooks:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def take(self, request: Request) -> Any:
        access: Access = request.state.access
        asked = take_event.read(read_object(await request.body()), "cli")
        caller = access.caller(asked.client)
        answer = await self._service.look(access, lambda runtime: take_event(runtime, caller, asked))
        return JSONResponse({"ok": True, "data": to_json(answer), "notices": []})


def _routes(service: Service) -> Sequence[BaseRoute]:
    return (Route(ROUTE, ClientHooks(service).take, methods=["POST"]),)


SURFACE: Final = Surface(PREFIX, _routes, door=Door(admit=admit))
