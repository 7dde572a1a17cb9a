"""The route by which a browser signs in: a link that works once is exchanged for a cookie that only this site gets back."""

from collections.abc import Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Scope

from everself.errors import NotFound
from everself.interfaces.http.access import COOKIE, Access, signed_in
from everself.interfaces.http.app import Surface
from everself.interfaces.http.guard import Door
from everself.interfaces.http.problems import refuse
from everself.interfaces.http.service import Service
from everself.operations.sign_in_file import LASTS
from everself.operations.token_file import PREFIX as TOKEN

PREFIX: Final = "/sign-in/"
_PAGE: Final = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Everself</title>'
    "<p>You are signed in. This window can be closed.</p></html>"
)
_SECONDS: Final = 15.0
_STATE: Final = "everself.cookie"


async def admit(service: Service, scope: Scope, _: bytes) -> Access:
    """Uses the link. What only looks at an address (HEAD, a browser that loads ahead) does not use it up."""
    headers = [(name.lower(), value) for name, value in scope["headers"]]
    ahead = any(name in (b"sec-purpose", b"purpose") and b"prefetch" in value.lower() for name, value in headers)
    secret = str(scope["path"]).removeprefix(PREFIX)
    if scope["method"] != "GET" or ahead or TOKEN.encode() in scope["query_string"]:
        raise refuse(401, "no-link", "Nobody was signed in", mend="everself gateway sign-in")
    now = service.now()
    try:
        # changes a file, which blocks
        found, cookie = await service.workers.run(lambda: service.sign_ins.use_link(secret, now), _SECONDS)
    except NotFound as error:
        raise refuse(
            401, "no-link", "This link does not work", "It works once, for five minutes.", "everself gateway sign-in"
        ) from error
    scope.setdefault("state", {})[_STATE] = cookie
    return signed_in(found)


async def _welcome(request: Request) -> Response:
    answer = HTMLResponse(_PAGE)
    # not Secure: on loopback there is no TLS; behind a proxy that speaks it, the proxy adds it
    answer.set_cookie(
        COOKIE,
        request.scope["state"][_STATE],
        max_age=int(LASTS.total_seconds()),
        path="/",
        httponly=True,
        samesite="strict",
    )
    return answer


def _routes(_: Service) -> Sequence[BaseRoute]:
    return (Route(f"{PREFIX}{{secret}}", _welcome, methods=["GET"]),)


SURFACE: Final = Surface(PREFIX, _routes, door=Door(admit=admit))
