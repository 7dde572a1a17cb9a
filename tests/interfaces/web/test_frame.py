"""Around every page: who is let in, forms that prove where they come from, headers, errors as pages, the files that pages load."""

import asyncio
import hashlib
import json
import re
from pathlib import Path

import pytest
from tests.interfaces.http.gateways import HOME, Gateway, make_agent, make_token, rotate
from tests.interfaces.web.browsers import FORM, PAGE, Browser, Sheet, browse, sign_in, sign_ins

from everself.interfaces.cli.commands.gateway import surfaces
from everself.interfaces.web.assets import all_assets, asset_url
from everself.interfaces.web.tickets import LASTS, confirmation, form_token, is_confirmed, is_form_token
from everself.operations.caller import AT_TERMINAL
from everself.operations.settings import SetRequest, set_value

VENDOR = Path(__file__).parents[3] / "src/everself/interfaces/web/vendor"


def test_pages_are_not_to_be_framed_cached_or_scripted_from_elsewhere() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("memory")
        assert page.status == 200
        policy = page.answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'self'; frame-ancestors 'none'; base-uri 'none'")
        assert "unsafe" not in policy
        assert page.answer.headers["cache-control"] == "no-store"
        assert page.answer.headers["content-type"] == "text/html; charset=utf-8"
        # without a referrer a browser calls the origin of a form `null`
        assert page.answer.headers["referrer-policy"] == "same-origin"
        for tag, found in page.elements:
            assert "style" not in found, (tag, found)
            assert not any(name.startswith("on") for name in found), (tag, found)
            assert tag != "style"
            if tag == "script":
                assert found["src"].startswith("/static/")
        told = next(found["content"] for tag, found in page.elements if found.get("name") == "htmx-config")
        htmx = json.loads(told)
        assert not any(htmx[name] for name in ("allowEval", "includeIndicatorStyles", "allowScriptTags"))
        assert htmx["selfRequestsOnly"]

    browse(act)


def test_every_address_leads_to_a_page_or_to_the_way_in() -> None:
    async def act(browser: Browser) -> None:
        for path in ("/", "/web", "/web/", "/web/main"):
            answer = await browser.get(path)
            assert answer.status == 303
            assert answer.answer.headers["location"].startswith("/web/main/")
        stranger = Browser(browser.gateway, "nobody")
        for path in ("/", "/web/main/memory", "/web/nothing"):
            page = await stranger.get(path)
            assert page.status == 401
            assert "everself web" in page.words
            assert page.answer.headers["content-type"].startswith("text/html")
        missing = await browser.get("no-such-page")
        assert missing.status == 404
        assert "Back to the first page" in missing.words

    browse(act)


def test_a_token_opens_no_page() -> None:
    async def act(browser: Browser) -> None:
        client = browser.gateway.client(make_token())
        assert (await client.get("/web/main/memory")).status_code == 401

    browse(act)


def test_a_form_without_its_proof_is_refused() -> None:
    async def act(browser: Browser) -> None:
        other = await sign_in(browser.gateway)
        for proof in ("", "x.y", form_token("elsewhere"), form_token(other.cookie)):
            answer = await browser.post("undo", {"form_token": proof, "change": "last"})
            assert answer.status == 403
            assert "Nothing was done." in answer.words
        no_origin = browser.gateway.client(Cookie=f"{sign_ins().cookie}={browser.cookie}", **{"Content-Type": FORM})
        assert (await no_origin.post("/web/main/undo", content=b"")).status_code == 403
        wrong = browser.gateway.client(Cookie=f"{sign_ins().cookie}={browser.cookie}", **PAGE)
        assert (await wrong.post("/web/main/undo", json={})).status_code == 415
        # with it, it gets as far as the operation
        answer = await browser.post("undo", {"form_token": form_token(browser.cookie), "change": "AAAAAAAAAAAA"})
        assert answer.status == 404

    browse(act)


def test_every_route_that_changes_something_asks_for_the_proof() -> None:
    async def act(browser: Browser) -> None:
        routes = [route for surface in surfaces() for route in surface.routes(browser.gateway.service)]
        posting = [one.path for one in routes if one.path.startswith("/web/") and "POST" in one.methods]
        assert posting
        for path in posting:
            address = re.sub(r"{[a-z]+}", "AAAAAAAAAAAA", path.replace("{agent}", "main"))
            assert (await browser.post(address, {})).status == 403, path

    browse(act)


def test_rotating_a_token_signs_every_browser_out() -> None:
    async def act(browser: Browser) -> None:
        make_token("editor")
        assert (await browser.get("memory")).status == 200
        rotate("editor")
        assert (await browser.get("memory")).status == 401

    browse(act)


def test_the_owner_sees_every_agent_and_a_guest_none() -> None:
    async def act(browser: Browser) -> None:
        make_agent("aria")
        page = await browser.get("memory")
        assert "/web/aria/memory" in page.links
        assert (await browser.get("/web/aria/memory")).status == 200
        assert (await browser.get("/web/nobody/memory")).status == 404
        guest = await sign_in(browser.gateway, "guest/anna")
        assert (await guest.get("memory")).status == 403
        assert (await guest.get("/web/aria/memory")).status == 404

    browse(act)


def test_an_agent_that_cannot_be_opened_is_a_page_with_what_helps() -> None:
    async def main() -> None:
        async with Gateway() as gateway:
            browser = await sign_in(gateway)
            page = await browser.get("memory")
            assert page.status >= 400
            assert "everself setup" in page.words
            assert "Traceback" not in page.html

    asyncio.run(main())


def test_a_mistake_of_ours_is_a_page() -> None:
    async def act(browser: Browser) -> None:
        def fail(_: str) -> None:
            raise ZeroDivisionError

        browser.gateway.service.pool._open_runtime = fail  # type: ignore[assignment]
        page = await browser.get("memory")
        assert page.status == 500
        assert "This is a mistake in Everself" in page.words
        assert "ZeroDivision" not in page.html

    browse(act)


def test_files_are_kept_for_good_under_a_name_that_holds_their_hash() -> None:
    async def act(browser: Browser) -> None:
        client = browser.gateway.client()
        for name, one in all_assets().items():
            answer = await client.get(asset_url(name))
            assert answer.status_code == 200
            assert answer.content == one.plain
            assert answer.headers["content-type"] == one.media_type
            assert "immutable" in answer.headers["cache-control"]
            assert hashlib.sha256(answer.content).hexdigest()[:12] in asset_url(name)
        assert (await client.get("/static/everself.css")).status_code == 404
        script = (await client.get(asset_url("everself.js"))).text
        assert asset_url("banner.js").removeprefix("/static/") in script

    browse(act)


def test_vendored_files_are_those_that_were_vendored() -> None:
    listed = dict(reversed(line.split("  ")) for line in (VENDOR / "SHA256SUMS").read_text().splitlines())
    found = {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in VENDOR.iterdir() if one.name in listed}
    assert found == listed
    assert {one.name for one in VENDOR.iterdir()} == {*listed, "SHA256SUMS"}
    assert {name.partition("-")[0] for name in listed} == {
        name.partition("-")[0] for name in listed if name.endswith("LICENSE")
    }


def test_a_page_is_compressed_where_the_browser_can_read_it() -> None:
    async def act(browser: Browser) -> None:
        page = await browser.get("memory", **{"Accept-Encoding": "gzip"})
        assert page.answer.headers["content-encoding"] == "gzip"
        assert "<main" in page.html
        plain = await browser.get("memory", **{"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.answer.headers

    browse(act)


def test_a_cookie_has_the_name_of_its_home(tmp_path: Path) -> None:
    from everself.operations.sign_in_file import SignInFile

    one, other = SignInFile(str(tmp_path / "a")), SignInFile(str(tmp_path / "b"))
    assert one.cookie != other.cookie
    assert one.cookie.startswith("everself-")


def test_proofs_are_of_one_cookie_one_subject_and_not_for_long() -> None:
    assert is_form_token("a", form_token("a"))
    assert form_token("a") != form_token("a")
    assert not is_form_token("b", form_token("a"))
    given = confirmation("a", "forget X", 1000.0)
    assert is_confirmed("a", "forget X", given, 1000.0 + LASTS)
    assert not is_confirmed("a", "forget X", given, 1001.0 + LASTS)
    assert not is_confirmed("a", "forget X", given, 999.0)
    assert not is_confirmed("a", "forget Y", given, 1000.0)
    assert not is_confirmed("b", "forget X", given, 1000.0)


@pytest.mark.parametrize("given", ["", ".", "١٢.x", "1e3.x", "-1.x", "9" * 400])
def test_what_is_no_proof_is_none(given: str) -> None:
    assert not is_confirmed("a", "x", given, 1000.0)
    assert not is_form_token("a", given)


def test_settings_that_cannot_be_read_are_a_page() -> None:
    async def act(browser: Browser) -> None:
        set_value(HOME, AT_TERMINAL, SetRequest(key="gateway.port", value="7374"))
        Path(HOME.places.host_file).write_text("{ nothing")
        page = await browser.get("memory")
        assert page.status == 500
        assert isinstance(page, Sheet)
        assert "everself" in page.words

    browse(act)
