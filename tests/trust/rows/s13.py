"""S13: strangers at every route of the gateway: no token, a wrong, rotated or removed one, one in the address; a foreign Host or
Origin; a body that a form could send; a WebSocket. Each is refused, and a token that was rotated by the next request.
"""

import asyncio
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
from tests.interfaces.http.gateways import Gateway, make_agent, make_token, remove, rotate
from tests.trust.gateway import Target, targets
from tests.trust.rows.r04_full import at_home

FOREIGN_HOSTS = ("evil.example", "localhost.evil.example", "192.168.1.7", "127.0.0.1.nip.io", "0.0.0.0", "[::2]")
FOREIGN_ORIGINS = ("http://evil.example", "null", "http://localhost:1", "https://127.0.0.1", "file://")
FORMS = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", "")


async def _ask(client: httpx2.AsyncClient, target: Target, query: str = "", **headers: str) -> int:
    content = {"json": target.body} if target.body is not None else {}
    answer = await client.request(target.method, target.path + query, headers=headers, **content)  # type: ignore[arg-type]
    return answer.status_code


async def _form(client: httpx2.AsyncClient, target: Target, kind: str) -> int:
    headers = {"Content-Type": kind} if kind else {}
    return (await client.post(target.path, content=b"{}", headers=headers)).status_code


async def _upgrade(gateway: Gateway, target: Target, token: str, host: str = "localhost") -> int:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    signed = [(b"authorization", f"Bearer {token}".encode())] if token else []
    scope = {"type": "websocket", "path": target.path, "query_string": b"", "client": ("127.0.0.1", 1)}
    extensions = {"websocket.http.response": {}}
    await gateway.app(
        {**scope, "headers": [(b"host", host.encode()), *signed], "extensions": extensions}, receive, send
    )
    return 403 if sent[0]["type"] == "websocket.close" else int(sent[0]["status"])


async def _visit(random: Random) -> tuple[int, int]:
    asked = 0

    def expect(found: int, wanted: int, what: str) -> None:
        nonlocal asked
        asked += 1
        assert found == wanted, f"{what}: {found}, not {wanted}"

    async with Gateway() as gateway:
        listed = targets(gateway)
        random.shuffle(listed)
        name = f"good{random.randrange(10**9)}"
        good, gone = make_token(name), make_token("gone")
        remove("gone")
        for target in listed:
            old, good = good, rotate(name)
            where = f"{target.method} {target.path}"
            strangers = {"no token": "", "wrong token": good[:-1] + "~", "rotated token": old, "removed token": gone}
            for kind, token in strangers.items():
                expect(await _ask(gateway.client(token), target), 401, f"{where} with {kind}")
                expect(await _upgrade(gateway, target, token), 401, f"{where} as a socket with {kind}")
            for field in ("token", "access_token", "api_key", "key"):
                for client in (gateway.client(), gateway.client(good)):
                    expect(await _ask(client, target, f"?{field}={good}"), 401, f"{where} with a token in the address")
            for host in FOREIGN_HOSTS:
                expect(await _ask(gateway.client(good), target, Host=host), 403, f"{where} as {host}")
                expect(await _upgrade(gateway, target, good, host), 403, f"{where} as a socket of {host}")
            for origin in FOREIGN_ORIGINS:
                expect(await _ask(gateway.client(good), target, Origin=origin), 403, f"{where} from {origin}")
            for kind in FORMS if target.body is not None else ():
                expect(await _form(gateway.client(good), target, kind), 415, f"{where} with {kind or 'no type'}")
            expect(await _upgrade(gateway, target, good), 403, f"{where} as a socket")
    return len(listed), asked


def run_s13(count: int, seed: int) -> str:
    """Visit every route `count` times."""
    routes = asked = 0
    with TemporaryDirectory(prefix="everself-s13-") as top, at_home(Path(top)):
        make_agent()
        for number in range(count):
            try:
                routes, more = asyncio.run(_visit(Random(seed + number)))
            except AssertionError as error:
                raise AssertionError(f"S13 seed {seed}: {error}") from error
            asked += more
    return f"S13 {routes} routes, {asked} requests of strangers, 0 let in, seed {seed}"
