"""Signing in with a browser: a link that works once, a cookie that only a page of ours may use."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from datetime import timedelta
from http.cookies import SimpleCookie
from pathlib import Path

import httpx2
import pytest
from tests.interfaces.http.gateways import BASE, HOME, Gateway, make_agent, make_token

from everself.errors import NotFound, RefusedByRule
from everself.operations.caller import AT_TERMINAL
from everself.operations.declaration import NoRequest
from everself.operations.gateway import Listening, folder_of, only_gateway, tell_listening
from everself.operations.sign_in_file import LASTS, LINK_LASTS, SignInFile
from everself.operations.sign_ins import SignInRequest, make_link, sign_out
from everself.testing.frozen_time import FrozenTime

PAGE = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}


def links() -> SignInFile:
    return SignInFile(folder_of(HOME.places))


def play(act: Callable[[Gateway, FrozenTime], Awaitable[None]]) -> None:
    time = FrozenTime()

    async def main() -> None:
        async with Gateway() as gateway:
            gateway.service.now = time
            await act(gateway, time)

    make_agent()
    asyncio.run(main())


async def enter(gateway: Gateway, time: FrozenTime, session: str = "main") -> str:
    """The cookie of a browser that signs in."""
    answer = await gateway.client().get(f"/sign-in/{links().make_link('main', session, time())}")
    assert answer.status_code == 200
    return SimpleCookie(answer.headers["set-cookie"])[links().cookie].value


async def ask(gateway: Gateway, cookie: str, name: str = "memory.list", **headers: str) -> httpx2.Response:
    return await gateway.client(Cookie=f"a=b; everself=no; {links().cookie}={cookie}", **headers).post(
        f"/api/v1/{name}", json={}
    )


def test_a_link_signs_in_once_and_the_cookie_is_out_of_reach_of_scripts_and_other_sites() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        secret = links().make_link("main", "main", time())
        client = gateway.client()
        assert (await client.head(f"/sign-in/{secret}")).status_code == 401
        assert (await client.get(f"/sign-in/{secret}", headers={"Sec-Purpose": "prefetch"})).status_code == 401
        first = await client.get(f"/sign-in/{secret}")
        assert first.status_code == 200
        cookie = SimpleCookie(first.headers["set-cookie"])[links().cookie]
        assert (cookie["httponly"], cookie["samesite"].lower(), cookie["path"]) == (True, "strict", "/")
        assert (await client.get(f"/sign-in/{secret}")).status_code == 401
        assert (await ask(gateway, cookie.value, **PAGE)).status_code == 200
        stored = Path(links().path).read_text()
        log = gateway.log_file.read_text()
        for one in (secret, cookie.value):
            assert one not in stored
            assert one not in log

    play(act)


def test_a_link_works_for_five_minutes_and_a_cookie_for_thirty_days() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        late = links().make_link("main", "main", time())
        time.advance(LINK_LASTS)
        assert (await gateway.client().get(f"/sign-in/{late}")).status_code == 401
        cookie = await enter(gateway, time)
        time.advance(LASTS - timedelta(seconds=1))
        assert (await ask(gateway, cookie, **PAGE)).status_code == 200
        time.advance(timedelta(seconds=1))
        assert (await ask(gateway, cookie, **PAGE)).status_code == 401
        time.advance(-timedelta(days=365))
        assert (await ask(gateway, cookie, **PAGE)).status_code == 401

    play(act)


def test_only_a_page_of_ours_uses_the_cookie() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        cookie = await enter(gateway, time)
        for headers in (
            {},
            {"Origin": "http://evil.example"},
            {"Origin": "http://localhost:8080"},
            {"Origin": "null"},
            {**PAGE, "Sec-Fetch-Site": "same-site"},
            {**PAGE, "Sec-Fetch-Site": "cross-site"},
            {**PAGE, "Host": "evil.example"},
        ):
            assert (await ask(gateway, cookie, **headers)).status_code == 403, headers
        document = "/api/v1/openapi.json"
        signed = {"Cookie": f"{links().cookie}={cookie}"}
        assert (await gateway.client(**signed).get(document)).status_code == 200
        assert (await gateway.client(**signed, **{"Sec-Fetch-Site": "same-site"}).get(document)).status_code == 403
        form = await gateway.client(**signed, **PAGE).post("/api/v1/memory.list", content=b"{}")
        assert form.status_code == 415
        for path in ("/v1/models", "/metrics"):
            assert (await gateway.client(**signed, **PAGE).get(path)).status_code == 401
        hook = await gateway.client(**signed, **PAGE).post("/hooks/builds", json={})
        assert hook.status_code == 401

    play(act)


def test_a_socket_by_cookie_says_where_it_comes_from() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        cookie = {"cookie": f"{links().cookie}={await enter(gateway, time)}"}
        async with gateway.socket(**cookie) as wire:
            assert (await wire.take())["status"] == 403
        async with gateway.socket(**cookie, origin="http://localhost:8080") as wire:
            assert (await wire.take())["status"] == 403
        async with gateway.socket(**cookie, origin=BASE) as wire:
            assert (await wire.take())["type"] == "websocket.accept"
            sign_out(HOME, AT_TERMINAL, NoRequest())
            wire.say(type="say", text="Hello.")
            assert (await wire.take())["code"] == 4401

    play(act)


def test_whoever_signs_in_is_who_the_link_was_made_for() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        guest = await enter(gateway, time, "guest/anna")
        assert (await ask(gateway, guest, "memory.list", **PAGE)).status_code == 403
        # a token beside the cookie decides
        both = gateway.client(make_token(), Cookie=f"{links().cookie}={guest}")
        assert (await both.post("/api/v1/memory.list", json={})).status_code == 200
        wrong = gateway.client("evs_wrong", Cookie=f"{links().cookie}={await enter(gateway, time)}", **PAGE)
        assert (await wrong.post("/api/v1/memory.list", json={})).status_code == 401

    play(act)


def test_signing_out_counts_at_once_and_takes_links_back() -> None:
    async def act(gateway: Gateway, time: FrozenTime) -> None:
        cookie, link = await enter(gateway, time), links().make_link("main", "main", time())
        assert sign_out(HOME, AT_TERMINAL, NoRequest()).count == 1
        assert (await ask(gateway, cookie, **PAGE)).status_code == 401
        assert (await gateway.client().get(f"/sign-in/{link}")).status_code == 401

    play(act)


def test_of_many_that_use_one_link_one_signs_in() -> None:
    from concurrent.futures import ThreadPoolExecutor

    make_agent()
    time = FrozenTime()
    secret = links().make_link("main", "main", time())

    def use(_: int) -> bool:
        try:
            links().use_link(secret, time())
        except NotFound:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(use, range(8))) == 1


def test_a_link_is_made_only_for_a_gateway_that_runs() -> None:
    make_agent()
    with pytest.raises(RefusedByRule):
        make_link(HOME, AT_TERMINAL, SignInRequest())
    with only_gateway(HOME.places) as folder:
        tell_listening(folder, Listening(os.getpid(), "http://127.0.0.1:7373", "s", ""))
        made = make_link(HOME, AT_TERMINAL, SignInRequest())
        assert made.link.startswith("http://127.0.0.1:7373/sign-in/evs_")
        tell_listening(folder, Listening(os.getpid(), "http://0.0.0.0:7373", "s", ""))
        assert make_link(HOME, AT_TERMINAL, SignInRequest()).link.startswith("http://localhost:7373/sign-in/")
