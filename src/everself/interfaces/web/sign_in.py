"""How a browser signs in: a link that works once is exchanged for a cookie that only this site gets back."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from everself.errors import NotFound
from everself.interfaces.http.access import Access, signed_in
from everself.interfaces.http.problems import refuse
from everself.interfaces.http.service import Service
from everself.interfaces.web.responses import html
from everself.interfaces.web.templates import render
from everself.operations.sign_in_file import LASTS
from everself.operations.token_file import PREFIX as TOKEN

PREFIX: Final = "/sign-in/"
_SECONDS: Final = 15.0
_STATE: Final = "everself.cookie"


async def admit(service: Service, scope: Scope, _: bytes) -> Access:
    """Uses the link. What only looks at an address (HEAD, a browser that loads ahead) does not use it up."""
    headers = [(name.lower(), value) for name, value in scope["headers"]]
    ahead = any(name in (b"sec-purpose", b"purpose") and b"prefetch" in value.lower() for name, value in headers)
    secret = str(scope["path"]).removeprefix(PREFIX)
    if scope["method"] != "GET" or ahead or TOKEN.encode() in scope["query_string"]:
        raise refuse(401, "no-link", "Nobody was signed in", mend="everself web")
    now = service.now()
    try:
        # changes a file, which blocks
        found, cookie = await service.workers.run(lambda: service.sign_ins.use_link(secret, now), _SECONDS)
    except NotFound as error:
        raise refuse(
            401, "no-link", "This link does not work", "It works once, for five minutes.", "everself web"
        ) from error
    scope.setdefault("state", {})[_STATE] = cookie
    return signed_in(found)


def welcome(service: Service, first_page: str) -> object:
    """The route behind a link. It answers with a page that moves on, not with a redirect: where another site's page led here, the
    browser would not send the new cookie along with a redirect."""

    async def show(request: Request) -> Response:
        answer = html(request, render("signed_in.html", to=first_page))
        # not Secure: on loopback there is no TLS; behind a proxy that speaks it, the proxy adds it
        answer.set_cookie(
            service.sign_ins.cookie,
            request.scope["state"][_STATE],
            max_age=int(LASTS.total_seconds()),
            path="/",
            httponly=True,
            samesite="strict",
        )
        return answer

    return show
