"""The route of webhooks. A message must be signed with the hook's key; a repeated delivery counts once."""

from collections.abc import Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Scope as AsgiScope

from everself.interfaces.http.access import Access
from everself.interfaces.http.app import Surface
from everself.interfaces.http.guard import Door
from everself.interfaces.http.problems import Refused, refuse
from everself.interfaces.http.service import Service
from everself.operations.hooks import Delivery, is_genuine
from everself.operations.webhooks import LONGEST, hear, is_known, needs_model, session_of
from everself.search.scopes import Scope, SessionKind

PREFIX: Final = "/hooks/"
_SIGN: Final = "Sign requests as Standard Webhooks defines: headers webhook-id, webhook-timestamp, webhook-signature."
_ACCEPTED: Final = 202


async def admit(service: Service, scope: AsgiScope, body: bytes) -> Access:
    """The response does not reveal whether the hook exists."""
    hook = service.hooks.find(str(scope["path"]).removeprefix(PREFIX))
    delivery = _delivery(scope)
    if hook is None or delivery is None or not is_genuine(hook, delivery, body, service.now().timestamp()):
        raise refuse(401, "not-signed", "The signature is missing, wrong or too old", mend=_SIGN)
    return Access(f"hook:{hook.name}", hook.agent, Scope(SessionKind.CRON), False)


class Hooks:
    def __init__(self, service: Service) -> None:
        self._service = service
        # sessions being started: the same message may arrive twice at once
        self._taken: set[str] = set()

    async def receive(self, request: Request) -> Any:
        access: Access = request.state.access
        delivery, body = _delivery(request.scope), await request.body()
        hook = self._service.hooks.find(request.path_params["hook"])
        if hook is None or delivery is None:
            raise refuse(401, "not-signed", "The signature is missing, wrong or too old", mend=_SIGN)
        if len(body) > LONGEST:
            raise refuse(413, "too-large", "The message is too large", f"A webhook accepts at most {LONGEST:,} bytes.")
        session = session_of(hook, delivery.id)
        if session in self._taken:
            raise _under_way()
        self._taken.add(session)
        try:
            if await self._service.look(access, lambda app: is_known(app, session)):
                return _answer(200, session, repeated=True)
            if await self._service.look(access, needs_model):
                raise refuse(
                    503, "no-model", "No model is set", "Nothing was kept.", "everself model use PROVIDER/NAME"
                )
            events = self._service.events(access, lambda app: hear(app, hook, session, body))
            await self._service.turns.start(access, events).accepted()
        finally:
            self._taken.discard(session)
        return _answer(_ACCEPTED, session, repeated=False)


def _answer(status: int, session: str, *, repeated: bool) -> Response:
    return JSONResponse({"ok": True, "data": {"session": session, "repeated": repeated}, "notices": []}, status)


def _under_way() -> Refused:
    return refuse(409, "under-way", "This message is being taken at the moment", Retry_After="5")


def _delivery(scope: AsgiScope) -> Delivery | None:
    """The delivery headers; None unless each is present once."""
    found = []
    for wanted in (b"webhook-id", b"webhook-timestamp", b"webhook-signature"):
        given = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == wanted]
        if len(given) != 1:
            return None
        found += given
    return Delivery(*found)


def _routes(service: Service) -> Sequence[BaseRoute]:
    return (Route(f"{PREFIX}{{hook}}", Hooks(service).receive, methods=["POST"]),)


SURFACE: Final = Surface(PREFIX, _routes, door=Door(admit=admit))
