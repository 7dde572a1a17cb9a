"""The gateway's side of `everself hook`: one route, only over the gateway's own socket, which only the owner can open."""

import os
from collections.abc import Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Scope as AsgiScope

from everself.interfaces.client_hooks.entry import ROUTE
from everself.interfaces.http.access import PEER, Access, is_local_owner, local_owner
from everself.interfaces.http.app import Surface
from everself.interfaces.http.fields import read_object
from everself.interfaces.http.guard import Door
from everself.interfaces.http.problems import refuse
from everself.interfaces.http.service import Service
from everself.interfaces.rendering.json_form import to_json
from everself.operations.coding_agents import take_event

PREFIX: Final = "/client-hooks/"


async def admit(_: Service, scope: AsgiScope, __: bytes) -> Access:
    """Tokens are not accepted, because the request names local folders and files."""
    if not is_local_owner(scope.get("state", {}).get(PEER), scope["headers"], os.getuid()):
        raise refuse(401, "not-local", "Hooks are told over the gateway's socket alone", mend="everself hook EVENT")
    return local_owner(scope["headers"])


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
