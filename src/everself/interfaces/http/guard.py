"""The outermost layer: checks access, reads the body, formats errors, logs the outcome.

Nothing behind it sees a refused request. Knows only the route `/healthz`, which reveals nothing.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everself.clock import monotonic
from everself.errors import EverselfError
from everself.frozen import Frozen
from everself.interfaces.http.access import (
    PEER,
    Access,
    access_of,
    bearer,
    check_page,
    check_place,
    find_cookie,
    is_local_owner,
    local_owner,
    signed_in,
)
from everself.interfaces.http.problems import MEDIA_TYPE, Problem, Refused, problem_of, refuse
from everself.interfaces.http.service import Service
from everself.logs import get_logger
from everself.values import new_id

_log = get_logger(__name__)

HEALTH: Final = "/healthz"
_UNMATCHED: Final = "-"
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_JSON: Final = "application/json"
_FORM: Final = "application/x-www-form-urlencoded"
_ALWAYS: Final = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)

# formats a problem as a JSON body
Wording = Callable[[Problem, str], tuple[dict[str, object], str]]
# formats a problem as a whole response, if the interface does not use JSON
Answering = Callable[["Service", Scope, Problem, str], Awaitable[Response]]
# checks access by something other than a token; receives the whole body. Raises Refused
Admit = Callable[["Service", Scope, bytes], Awaitable[Access]]


class Door(Frozen):
    """The access rules of an interface. By a token, with `keyed` also in the header of Anthropic's clients; `cookies`: also by a browser's
    sign-in; `local`: also a process of the same user over the unix socket; or by its own check. Without `tokens` only a cookie counts.
    `public`: anybody may read, and learns nothing about agents. `forms`: bodies are form data, and the interface itself checks their
    origin."""

    cookies: bool = False
    local: bool = False
    keyed: bool = False
    tokens: bool = True
    public: bool = False
    forms: bool = False
    admit: Admit | None = None


TOKENS_ONLY: Final = Door()


def plain_wording(problem: Problem, request: str) -> tuple[dict[str, object], str]:
    return problem.body(request), MEDIA_TYPE


class Guard:
    def __init__(
        self,
        app: ASGIApp,
        service: Service,
        wording: Callable[[str], Wording],
        door: Callable[[str], Door],
        answering: Callable[[str], Answering | None],
    ) -> None:
        """`wording` gives the format of problems for a path, `door` the access rules, `answering` the formatter instead of JSON."""
        self._app = app
        self._service = service
        self._wording = wording
        self._door = door
        self._answering = answering

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send)
        access: Access | None = None
        try:
            check_place(scope["headers"], self._service.hosts)
            if scope["type"] == "http" and scope["path"] == HEALTH and scope["method"] in ("GET", "HEAD"):
                await PlainTextResponse("ok")(scope, receive, answer.send)
                return
            door = self._door(scope["path"])
            if scope["type"] == "http" and door.public and scope["method"] in ("GET", "HEAD"):
                await self._app(scope, receive, answer.send)
                return
            own = door.admit if scope["type"] == "http" else None
            body = await self._read(scope, receive) if own is not None else b""
            access = await self._admit(scope, own, body)
            scope["app"] = self
            state = {"access": access, "request": answer.id, "recheck": lambda: self._recheck(scope, access)}
            scope.setdefault("state", {}).update(state)
            if scope["type"] == "http":
                receive = _replay(body if own is not None else await self._read(scope, receive), receive)
            await self._app(scope, receive, answer.send)
        except Refused as refused:
            await self._answer(scope, receive, answer, refused.problem)
        except HTTPException as error:
            await self._answer(scope, receive, answer, _unmatched(error))
        except EverselfError as error:
            to_owner = access is not None and access.is_owner
            await self._answer(scope, receive, answer, problem_of(error, to_owner=to_owner))
        except Exception as error:  # noqa: BLE001 the fence of the gateway: a mistake of ours ends one request and not the process
            _log.error("The request %s failed: %s.", answer.id, type(error).__name__)
            await self._answer(scope, receive, answer, Problem(500, "mistake", "This is a mistake in Everself"))
        finally:
            self._note(scope, answer, access)

    async def _admit(self, scope: Scope, own: Admit | None, body: bytes) -> Access:
        """Determine the access of the request."""
        service = self._service
        try:
            access = self._identify(scope) if own is None else await own(service, scope, body)
        except Refused as refused:
            # only failures are counted, so that a stranger on the same address does not lock out valid tokens
            peer = str((scope.get("client") or ("unix", 0))[0])
            if wait := service.failed.wait(peer):
                raise _too_often(wait) from refused
            raise
        if wait := service.asked.wait(access.token):
            raise _too_often(wait)
        return access

    def _identify(self, scope: Scope) -> Access:
        service, headers, query = self._service, scope["headers"], scope["query_string"]
        door = self._door(scope["path"])
        cookie = find_cookie(headers, service.sign_ins.cookie) if door.cookies else ""
        if cookie:
            check_page(headers, query, scope.get("method", ""))
            return signed_in(service.sign_ins.find(cookie, service.now()))
        if door.local and is_local_owner(scope.get("state", {}).get(PEER), headers, os.getuid()):
            return local_owner(headers)
        if not door.tokens:
            return signed_in(None)
        return access_of(service.tokens.find(bearer(headers, query, keyed=door.keyed)), headers)

    def _recheck(self, scope: Scope, access: Access) -> None:
        """Whether the access is still valid, because a socket stays open for days. Raises Refused."""
        if self._identify(scope) != access:
            raise refuse(401, "no-token", "The token now belongs to another person")

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        """Read the whole body, within its limits."""
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
        wanted = _FORM if self._door(scope["path"]).forms else _JSON
        if scope["method"] in _WITH_BODY and kind != wanted:
            what, title = ("json", "A JSON body is needed") if wanted == _JSON else ("form", "A form's body is needed")
            raise refuse(415, f"not-{what}", title, mend=f"Send the header “Content-Type: {wanted}”.")
        most = self._service.limits.body
        said = headers.get(b"content-length", "")
        if said.isdigit() and int(said) > most:
            raise _too_large(most)
        body = bytearray()
        more = True
        try:
            async with asyncio.timeout(self._service.limits.body_seconds):
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise refuse(400, "gone", "The request was not sent to its end")
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > most:
                        raise _too_large(most)
        except TimeoutError:
            raise refuse(408, "slow", "The body did not arrive in time") from None
        return bytes(body)

    async def _answer(self, scope: Scope, receive: Receive, answer: "_Answer", problem: Problem) -> None:
        if answer.status:
            # the response has started: close the connection early, so that it is not taken for complete
            return
        answering = self._answering(scope["path"]) if scope["type"] == "http" else None
        if answering is not None:
            await (await answering(self._service, scope, problem, answer.id))(scope, receive, answer.send)
            return
        said, media_type = self._wording(scope["path"])(problem, answer.id)
        data = json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")
        headers = dict(problem.headers)
        if problem.status in (408, 413):
            headers["Connection"] = "close"
        await Response(data, problem.status, headers, media_type)(scope, receive, answer.send)

    def _note(self, scope: Scope, answer: "_Answer", access: Access | None) -> None:
        route = str(getattr(scope.get("route"), "path", HEALTH if scope["path"] == HEALTH else _UNMATCHED))
        if operation := scope.get("state", {}).get("operation"):
            route = route.replace("{name}", operation)
        service = self._service
        service.answered[(route, answer.status)] += 1
        values: dict[str, Any] = {
            "id": answer.id,
            "method": str(scope.get("method", scope["type"]))[:16],
            "route": route,
            "status": answer.status,
            "ms": round((monotonic() - answer.begun) * 1000, 1),
            "bytes": answer.bytes,
        }
        if access is not None:
            values |= {"token": access.token, "agent": access.agent}
        service.log.write("request", values)


class _Answer:
    """Counts what is sent. Each response gets headers against caching and framing, unless an interface sets others. `status` is 0 before it
    starts."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.id = new_id()
        self.begun = monotonic()
        self.status = 0
        self.bytes = 0
        self._send = send
        self._start = "websocket.http.response.start" if scope["type"] == "websocket" else "http.response.start"

    async def send(self, message: Message) -> None:
        if message["type"] == self._start:
            self.status = message["status"]
            said = [*message.get("headers", ())]
            named = {name.lower() for name, _ in said}
            extra = [(name, value) for name, value in _ALWAYS if name not in named]
            message = {**message, "headers": [*said, *extra, (b"x-request-id", self.id.encode())]}
        elif message["type"] == "websocket.close" and not self.status:
            # not accepted yet, so the server answers with this code
            self.status = 403
        self.bytes += len(message.get("body", b""))
        await self._send(message)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _unmatched(error: HTTPException) -> Problem:
    titles = {404: ("not-found", "There is nothing at this address"), 405: ("method", "This method is not served here")}
    kind, title = titles.get(error.status_code, ("http", str(error.detail)))
    return Problem(error.status_code, kind, title, headers=tuple((error.headers or {}).items()))


def _too_often(wait: float) -> Refused:
    seconds = str(max(1, int(wait + 0.999)))
    return refuse(429, "too-often", "Too many requests", f"Try again in {seconds} s.", Retry_After=seconds)


def _too_large(most: int) -> Refused:
    return refuse(413, "too-large", "The body is too large", f"At most {most:,} bytes are read.")
