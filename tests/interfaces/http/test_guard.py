"""Every route refuses whoever has no token, a wrong one, an old one or one in the address; and whatever comes from elsewhere."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from starlette.routing import Route, WebSocketRoute
from tests.interfaces.http.gateways import Gateway, make_agent, make_token, remove, rotate

from everself.interfaces.cli.commands.gateway import surfaces
from everself.interfaces.http.limits import Limits
from everself.interfaces.http.service import offered_operations

ROUTES = [
    ("GET", "/v1/models"),
    ("GET", "/v1/models/main"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/responses"),
    ("POST", "/v1/messages"),
    ("POST", "/v1/messages/count_tokens"),
    *(("POST", f"/api/v1/{one.name}") for one in offered_operations()),
    ("POST", "/api/v1/chat/turns"),
    ("GET", "/api/v1/chat/turns/7K3QX9M2ABC1"),
    ("POST", "/api/v1/chat/turns/7K3QX9M2ABC1/cancel"),
    ("GET", "/api/v1/openapi.json"),
    ("GET", "/metrics"),
    ("POST", "/mcp"),
    ("POST", "/api/v1/no.such.operation"),
    ("GET", "/nothing/here"),
]
# these let in by something else than a token: test_hooks, test_sign_in and the tests of the web page look at them
TOKENLESS = ("/hooks/", "/client-hooks/", "/sign-in/", "/web", "/static/")
# test_chat looks at it
SOCKETS = {"/api/v1/chat/socket"}
JSON = {"content-type": "application/json"}
# where Anthropic's clients show a token in a header of their own
KEYED = ("/v1/messages", "/v1/models")


def play(act: Callable[[Gateway], Awaitable[None]], **more: Any) -> None:
    async def main() -> None:
        async with Gateway(**more) as gateway:
            await act(gateway)

    make_agent()
    asyncio.run(main())


async def send(client: httpx2.AsyncClient, route: tuple[str, str], **more: Any) -> httpx2.Response:
    method, path = route
    body = {"json": {}} if method == "POST" and "content" not in more else {}
    return await client.request(method, path + more.pop("query", ""), **body, **more)


def test_every_route_is_looked_at() -> None:
    async def act(gateway: Gateway) -> None:
        served = [route for surface in surfaces() for route in surface.routes(gateway.service)]
        assert {route.path for route in served if isinstance(route, WebSocketRoute)} == SOCKETS
        for route in (one for one in served if not isinstance(one, WebSocketRoute)):
            assert isinstance(route, Route)
            assert (
                route.path == "/"
                or route.path.startswith(TOKENLESS)
                or any(route.path_regex.match(path) for _, path in ROUTES)
            ), route.path

    play(act)


def test_no_route_answers_without_the_token_in_force() -> None:
    async def act(gateway: Gateway) -> None:
        old = make_token()
        new = rotate("editor")
        gone = make_token("gone")
        remove("gone")
        strangers = {
            "none": gateway.client(),
            "wrong": gateway.client("evs_" + "x" * 43),
            "rotated": gateway.client(old),
            "removed": gateway.client(gone),
            "cookie": gateway.client(Cookie=f"token={new}"),
            "key": gateway.client(**{"X-Api-Key": new}),
        }
        for route in ROUTES:
            for kind, client in strangers.items():
                if kind == "key" and route[1].startswith(KEYED):
                    # Anthropic's clients have no other header
                    assert (await send(client, route)).status_code != 401, route
                    assert (await send(gateway.client(**{"X-Api-Key": old}), route)).status_code == 401, route
                    continue
                answer = await send(client, route)
                assert answer.status_code == 401, (route, kind)
                assert answer.headers["www-authenticate"] == "Bearer"
                assert "Authorization: Bearer" in answer.text
            for client in (strangers["none"], gateway.client(new)):
                assert (await send(client, route, query=f"?token={new}")).status_code == 401, route

    play(act)


def test_a_rotated_token_is_refused_by_the_next_request() -> None:
    async def act(gateway: Gateway) -> None:
        old = make_token()
        assert (await gateway.client(old).get("/api/v1/openapi.json")).status_code == 200
        new = rotate("editor")
        assert (await gateway.client(old).get("/api/v1/openapi.json")).status_code == 401
        assert (await gateway.client(new).get("/api/v1/openapi.json")).status_code == 200
        remove("editor")
        assert (await gateway.client(new).get("/api/v1/openapi.json")).status_code == 401

    play(act)


def test_no_route_answers_another_site() -> None:
    async def act(gateway: Gateway) -> None:
        token = make_token()
        foreign = {
            "host": gateway.client(token, "http://evil.example"),
            "address": gateway.client(token, "http://192.168.1.7"),
            "origin": gateway.client(token, Origin="http://evil.example"),
            "null": gateway.client(token, Origin="null"),
            "site": gateway.client(token, **{"Sec-Fetch-Site": "cross-site"}),
        }
        for route in (*ROUTES, ("GET", "/healthz")):
            for kind, client in foreign.items():
                assert (await send(client, route)).status_code == 403, (route, kind)

    play(act)


def test_a_body_that_a_form_could_send_is_refused() -> None:
    async def act(gateway: Gateway) -> None:
        client = gateway.client(make_token())
        for route in ROUTES:
            if route[0] == "POST":
                for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
                    answer = await send(client, route, content=b"{}", headers={"content-type": kind} if kind else {})
                    assert answer.status_code == 415, (route, kind)

    play(act)


def test_a_body_above_the_limit_is_refused_whether_it_is_announced_or_not() -> None:
    async def pieces() -> Any:
        for _ in range(3):
            yield b" " * 50

    async def act(gateway: Gateway) -> None:
        client = gateway.client(make_token(), **JSON)
        path = "/api/v1/memory.search"
        assert (await client.post(path, content=b" " * 101)).status_code == 413
        assert (await client.post(path, content=pieces())).status_code == 413
        assert (await client.post(path, content=b'{"query": "x"}' + b" " * 50)).status_code == 200

    play(act, limits=Limits(body=100))


def test_what_is_no_object_is_a_bad_request() -> None:
    bodies = (
        b"{",
        b"[]",
        b'"x"',
        b"\xff",
        b"nul",
        b'{"query": 1e999}',
        b'{"limit": 99999999999999999999}',
        b"[" * 5000,
    )

    async def act(gateway: Gateway) -> None:
        client = gateway.client(make_token(), **JSON)
        for body in bodies:
            answer = await client.post("/api/v1/memory.search", content=body)
            assert answer.status_code == 400, body
            assert answer.json()["type"].startswith("urn:everself:problem:")

    play(act)


def test_whoever_asks_too_often_waits_and_keeps_nobody_else_waiting() -> None:
    async def act(gateway: Gateway) -> None:
        busy, calm = make_token("busy"), make_token("calm")
        for _ in range(3):
            assert (await gateway.client(busy).get("/metrics")).status_code == 200
        late = await gateway.client(busy).get("/metrics")
        assert late.status_code == 429
        assert int(late.headers["retry-after"]) >= 1
        for _ in range(2):
            assert (await gateway.client("evs_wrong").get("/metrics")).status_code == 401
        assert (await gateway.client("evs_wrong").get("/metrics")).status_code == 429
        assert (await gateway.client(calm).get("/metrics")).status_code == 200

    play(act, limits=Limits(rate=0.001, burst=3, failures=0.001, failures_burst=2))


def test_an_unknown_address_is_told_only_to_whoever_has_a_token() -> None:
    async def act(gateway: Gateway) -> None:
        client = gateway.client(make_token())
        assert (await client.get("/nothing")).status_code == 404
        assert (await client.get("/api/v1/memory.search")).status_code == 405
        assert (await client.post("/api/v1/no.such", json={})).status_code == 404
        assert (await client.post("/api/v1/config.show", json={})).status_code == 404

    play(act)


def test_health_says_ok_and_nothing_else() -> None:
    async def act(gateway: Gateway) -> None:
        answer = await gateway.client().get("/healthz")
        assert (answer.status_code, answer.text) == (200, "ok")

    play(act)


def test_answers_are_kept_from_caches_and_frames() -> None:
    async def act(gateway: Gateway) -> None:
        for client in (gateway.client(), gateway.client(make_token())):
            answer = await client.get("/api/v1/openapi.json")
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in answer.headers["content-security-policy"]

    play(act)


def test_a_mistake_of_ours_is_a_code_and_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(gateway: Gateway) -> None:
        async def broken(*_: object, **__: object) -> None:
            raise KeyError("a secret thought")

        client = gateway.client(make_token())
        monkeypatch.setattr(gateway.service.pool, "lease", broken)
        answer = await client.post("/api/v1/memory.search", json={"query": "x"})
        assert answer.status_code == 500
        assert "thought" not in answer.text
        assert "thought" not in gateway.log_file.read_text("utf-8")

    play(act)


def test_the_log_holds_routes_and_codes_and_never_what_was_said() -> None:
    async def act(gateway: Gateway) -> None:
        token = make_token()
        client = gateway.client(token, **{"X-Canary": "header-canary"})
        await client.post("/api/v1/memory.add?canary=query-canary", json={"content": "The word is text-canary."})
        await client.get("/path-canary")
        await gateway.client("evs_" + "c" * 43).get("/metrics")
        text = gateway.log_file.read_text("utf-8")
        assert "canary" not in text
        assert token not in text
        lines = [json.loads(line) for line in text.splitlines()]
        assert [(one["route"], one["status"], one.get("token")) for one in lines] == [
            ("/api/v1/memory.add", 200, "editor"),
            ("-", 404, "editor"),
            ("-", 401, None),
        ]
        assert gateway.log_file.stat().st_mode & 0o777 == 0o600

    play(act)


def test_a_websocket_is_refused_like_any_other_request() -> None:
    async def upgrade(gateway: Gateway, *headers: tuple[bytes, bytes]) -> int:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def note(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "websocket",
            "path": "/api/v1/chat.say",
            "query_string": b"",
            "headers": list(headers),
            "client": ("127.0.0.1", 1),
            "extensions": {"websocket.http.response": {}},
        }
        await gateway.app(scope, receive, note)
        first = sent[0]
        return 403 if first["type"] == "websocket.close" else int(first["status"])

    async def act(gateway: Gateway) -> None:
        signed = (b"authorization", f"Bearer {make_token()}".encode())
        local = (b"host", b"localhost:7373")
        assert await upgrade(gateway, local) == 401
        assert await upgrade(gateway, (b"host", b"evil.example"), signed) == 403
        assert await upgrade(gateway, local, signed, (b"origin", b"http://evil.example")) == 403
        # nothing is served there yet
        assert await upgrade(gateway, local, signed) == 403

    play(act)
