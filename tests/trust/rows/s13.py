"""S13: strangers at every route of the gateway: no token, a wrong, rotated or removed one, one in the address; a foreign Host or
Origin; a body that a form could send; a WebSocket; the cookie of somebody who was signed out, or on another site's page; a webhook that
is not signed, or with the key before; a link used twice, a form without its proof; another user at the unix socket. Each is refused,
and what was rotated by the next request.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import httpx2
from tests.interfaces.http.gateways import BASE, HOME, Gateway, Wire, make_agent, make_token, remove, rotate
from tests.trust.gateway import Target, targets
from tests.trust.rows.r04_full import at_home

from everself.clock import system_now
from everself.interfaces.http.access import AGENT, PEER
from everself.interfaces.web.tickets import form_token
from everself.operations.caller import AT_TERMINAL
from everself.operations.gateway import folder_of
from everself.operations.hooks import (
    TOLERANCE,
    AddHookRequest,
    HookFile,
    HookRequest,
    add_hook,
    new_key,
    remove_hook,
    rotate_hook,
    sign,
)
from everself.operations.sign_in_file import SignInFile

FOREIGN_HOSTS = ("evil.example", "localhost.evil.example", "192.168.1.7", "127.0.0.1.nip.io", "0.0.0.0", "[::2]")
FOREIGN_ORIGINS = ("http://evil.example", "null", "http://localhost:1", "https://127.0.0.1", "file://")
FORMS = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", "")


async def _ask(client: httpx2.AsyncClient, target: Target, query: str = "", **headers: str) -> int:
    content = {("data" if target.form else "json"): target.body} if target.body is not None else {}
    if target.form and target.body is not None:
        headers = {"Content-Type": FORMS[1]} | headers
    answer = await client.request(target.method, target.path + query, headers=headers, **content)  # type: ignore[arg-type]
    return answer.status_code


async def _form(client: httpx2.AsyncClient, target: Target, kind: str) -> int:
    headers = {"Content-Type": kind} if kind else {}
    return (await client.post(target.path, content=b"{}", headers=headers)).status_code


async def _upgrade(gateway: Gateway, target: Target, token: str, host: str = "localhost", **headers: str) -> int:
    """The code with which a socket is refused; 101 where it is opened."""
    sent: list[Any] = []

    told = iter(({"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000}))

    async def receive() -> Any:
        return next(told)

    async def send(message: Any) -> None:
        sent.append(message)

    signed = [(b"authorization", f"Bearer {token}".encode())] if token else []
    scope = {"type": "websocket", "path": target.path, "query_string": b"", "client": ("127.0.0.1", 1)}
    extensions = {"websocket.http.response": {}}
    more = [(name.encode(), value.encode()) for name, value in headers.items()]
    await gateway.app(
        {**scope, "headers": [(b"host", host.encode()), *signed, *more], "extensions": extensions}, receive, send
    )
    if sent[0]["type"] == "websocket.accept":
        return 101
    return 403 if sent[0]["type"] == "websocket.close" else int(sent[0]["status"])


async def _by_cookie(gateway: Gateway, target: Target, expect: Callable[[int, int, str], None]) -> None:
    """The cookie of a browser: where it counts, only from a page of ours; nowhere once its owner is signed out."""
    where = f"{target.method} {target.path}"
    file = SignInFile(folder_of(HOME.places))

    def cookie() -> dict[str, str]:
        _, found = file.use_link(file.make_link("main", "main", system_now()), system_now())
        return {"Cookie": f"{file.cookie}={found}"}

    mine, page = cookie(), {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}
    if not target.by_cookie:
        expect(await _ask(gateway.client(), target, **mine, **page), 401, f"{where} by cookie")
    else:
        for origin in FOREIGN_ORIGINS:
            expect(await _ask(gateway.client(), target, **mine, Origin=origin), 403, f"{where} by cookie from {origin}")
            code = await _upgrade(gateway, target, "", "localhost", cookie=mine["Cookie"], origin=origin)
            expect(code, 403, f"{where} as a socket by cookie from {origin}")
        same = page | {"Sec-Fetch-Site": "same-site"}
        expect(await _ask(gateway.client(), target, **mine, **same), 403, f"{where} by cookie from another port")
        if target.body is not None:
            expect(await _ask(gateway.client(), target, **mine), 403, f"{where} by cookie from nowhere")
            code = await _form(gateway.client(**mine, **page), target, "text/plain")
            expect(code, 415, f"{where} by cookie as a form")
            if target.form:
                # a form of ours shows that it is; one with another's proof, or none, is refused whoever sends it
                other = form_token(next(iter(cookie().values())).partition("=")[2])
                for proof in ("", "x", form_token(""), other):
                    content = urlencode({"form_token": proof}).encode()
                    answer = await gateway.client(**mine, **page).post(
                        target.path, content=content, headers={"Content-Type": FORMS[1]}
                    )
                    expect(answer.status_code, 403, f"{where} as a form with the proof {proof[:8]}")
        code = await _upgrade(gateway, target, "", cookie=mine["Cookie"])
        expect(code, 403, f"{where} as a socket by cookie from nowhere")
    file.clear()
    expect(await _ask(gateway.client(), target, **mine, **page), 401, f"{where} by the cookie of somebody signed out")


async def _by_old_cookie(gateway: Gateway, target: Target, token: str, expect: Callable[[int, int, str], None]) -> None:
    """A link works once; rotating a token signs every browser out, and takes links back that nobody used."""
    file = SignInFile(folder_of(HOME.places))
    used, stolen = (file.make_link("main", "main", system_now()) for _ in range(2))
    _, found = file.use_link(used, system_now())
    rotate(token)
    page = {"Origin": BASE, "Sec-Fetch-Site": "same-origin", "Cookie": f"{file.cookie}={found}"}
    expect(await _ask(gateway.client(), target, **page), 401, f"{target.method} {target.path} after a rotation")
    for link in (used, stolen):
        answer = await gateway.client().get(f"/sign-in/{link}")
        expect(answer.status_code, 401, "a link that was used, or made before a rotation")


async def _by_peer(gateway: Gateway, target: Target, expect: Callable[[int, int, str], None]) -> None:
    """Another user at the unix socket, ours where it does not count, and whoever only says that they are."""
    where, ours = f"{target.method} {target.path}", os.getuid()
    named = {AGENT.decode(): "main", "content-type": "application/json", PEER: str(ours)}
    for user in (None, ours + 1, str(ours), *((ours,) if not target.by_user else ())):
        state = {} if user is None else {"state": {PEER: user}}
        scope = {"type": "http", "method": target.method, "path": target.path, **state}
        async with Wire(gateway.app, scope, headers=named) as wire:
            wire.give({"type": "http.request", "body": b"{}", "more_body": False})
            expect((await wire.take())["status"], 401, f"{where} of the user {user!r}")


async def _by_anybody(gateway: Gateway, target: Target, expect: Callable[[int, int, str], None]) -> None:
    """What tells nothing is read by anybody, but under no other name and by no other site."""
    expect(await _ask(gateway.client(), target), 200, target.path)
    expect((await gateway.client().post(target.path, json={})).status_code, 401, f"{target.path} written to")
    for host in FOREIGN_HOSTS:
        expect(await _ask(gateway.client(), target, Host=host), 403, f"{target.path} as {host}")
    expect(await _ask(gateway.client(), target, **{"Sec-Fetch-Site": "cross-site"}), 403, f"{target.path} elsewhere")
    expect(await _upgrade(gateway, target, ""), 401, f"{target.path} as a socket")


async def _by_signature(gateway: Gateway, target: Target, expect: Callable[[int, int, str], None]) -> None:
    """What is posted to a webhook without its key, or with the one before."""
    add_hook(HOME, AT_TERMINAL, AddHookRequest(name="builds"))
    old = HookFile(folder_of(HOME.places)).get("builds").key
    new = rotate_hook(HOME, AT_TERMINAL, HookRequest(name="builds")).key
    now = int(system_now().timestamp())
    forged = {
        "no key": ("", now),
        "the key before": (old, now),
        "a key of their own": (new_key(), now),
        "a time long ago": (new, now - TOLERANCE - 60),
        "a time to come": (new, now + TOLERANCE + 60),
    }
    for kind, (key, at) in forged.items():
        signature = sign(key, "msg_1", str(at), b"{}") if key else "v1,"
        named = {"webhook-id": "msg_1", "webhook-timestamp": str(at), "webhook-signature": signature}
        answer = await gateway.client().post(
            target.path, content=b"{}", headers=named | {"Content-Type": "application/json"}
        )
        expect(answer.status_code, 401, f"{target.path} with {kind}")
    remove_hook(HOME, AT_TERMINAL, HookRequest(name="builds"))


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
        for target in (one for one in listed if one.public):
            await _by_anybody(gateway, target, expect)
        for target in (one for one in listed if not one.public):
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
            for kind in (
                FORMS if target.body is not None and (target.by_token or target.path.startswith("/hooks/")) else ()
            ):
                expect(await _form(gateway.client(good), target, kind), 415, f"{where} with {kind or 'no type'}")
            if target.path.startswith("/hooks/"):
                await _by_signature(gateway, target, expect)
            if not target.by_token:
                expect(await _ask(gateway.client(good), target), 401, f"{where} with a token")
            await _by_cookie(gateway, target, expect)
            await _by_peer(gateway, target, expect)
            await _by_old_cookie(gateway, target, name, expect)
            good = rotate(name)
            refused = 401 if target.form else 403
            expect(await _upgrade(gateway, target, good), 101 if target.socket else refused, f"{where} as a socket")
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
