"""S17 at CI size, and whether it notices what it is there for."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.interfaces.web.chromium import a_browser, a_site, need_chromium
from tests.interfaces.web.workspaces import HOSTILE, fill_hostile
from tests.trust.rows.s17 import run_s17

pytestmark = pytest.mark.trust


def test_s17_a_strangers_text_does_nothing_in_any_page(seed: int) -> None:
    need_chromium()
    print(run_s17(1, seed))


def test_s17_notices_a_page_that_does_not_escape() -> None:
    """The same texts as markup: they run and ask elsewhere without the policy, and are reported with it."""
    with (
        a_browser() as browser,
        TemporaryDirectory() as top,
        a_site(Path(top) / "home", browser, fill_hostile) as site,
        site.open() as sheet,
    ):
        policy = {"value": ""}

        def raw(route: Any) -> None:
            body = "<!doctype html><title>page</title><body>" + "".join(HOSTILE[:6])
            headers = {"Content-Type": "text/html; charset=utf-8"}
            route.fulfill(
                body=body, headers=headers | ({"Content-Security-Policy": policy["value"]} if policy["value"] else {})
            )

        sheet.page.route("**/web/main/memory*", raw)
        sheet.page.route("http://elsewhere.example/**", lambda route: route.abort())
        sheet.go("memory")
        sheet.page.wait_for_timeout(200)
        assert sheet.page.title() == "run"
        assert sheet.told.elsewhere
        policy["value"] = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"
        sheet.go("memory")
        assert sheet.told.policy
