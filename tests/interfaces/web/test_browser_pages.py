"""Every page in a real browser: for everybody, in light and dark, from 320 px on, with a stranger's texts, and without scripts."""

import hashlib
from pathlib import Path

import pytest
from tests.interfaces.web.chromium import AXE, Scheme, Site
from tests.interfaces.web.crawl import FRAGMENTS, PART, crawl, live, read_routes

pytestmark = pytest.mark.slow

WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# menus that open beyond an edge of the window
OUTSIDE = """
[...document.querySelectorAll("details.switch")].map(one => {
    one.open = true;
    const place = one.querySelector("ul").getBoundingClientRect();
    one.open = false;
    return [place.left, place.right];
}).filter(([left, right]) => left < 0 || right > innerWidth)
"""
# texts whose accents could be piled up over what stands above them
UNBOUNDED = """
[...document.querySelectorAll("main bdi")].filter(one => {
    for (let at = one; at.tagName !== "MAIN"; at = at.parentElement)
        if (getComputedStyle(at).overflowY !== "visible") return false;
    return true;
}).map(one => one.parentElement.outerHTML.slice(0, 200))
"""


def test_axe_is_the_one_that_was_vendored() -> None:
    folder = AXE.parent
    sums = dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text().splitlines())
    for name, wanted in sums.items():
        assert hashlib.sha256(Path(folder, name).read_bytes()).hexdigest() == wanted


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [("days", "light"), ("days", "dark"), ("empty", "light"), ("empty", "dark"), ("strange", "dark")],
)
def test_no_page_keeps_anybody_out(kind: str, scheme: Scheme, request: pytest.FixtureRequest) -> None:
    site: Site = request.getfixturevalue(kind)
    complete = (kind, scheme) == ("days", "light")
    if complete:
        live(site)
    found: dict[str, list[str]] = {}
    with site.open(scheme=scheme) as sheet:

        def look(path: str) -> None:
            if PART in path:
                return
            if serious := sheet.serious():
                found[path] = serious
            assert sheet.page.title().endswith("Everself"), path
            assert sheet.page.locator("h1").count() == 1, path

        reached = crawl(sheet, look)
        sheet.told.check()
    assert not found
    assert not complete or read_routes() - reached - set(FRAGMENTS) == set()


@pytest.mark.parametrize("kind", ["empty", "days", "strange"])
def test_every_page_fits_a_narrow_window_and_asks_nothing_of_elsewhere(
    kind: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(kind)
    with site.open(width=320) as sheet:
        ran: list[str] = []
        wide: dict[str, int] = {}

        def look(path: str) -> None:
            if PART not in path and (beyond := sheet.page.evaluate(WIDE)) > 0:
                wide[path] = beyond
            if sheet.page.title() == "run":
                ran.append(path)
            unbounded, outside = sheet.page.evaluate(UNBOUNDED), sheet.page.evaluate(OUTSIDE)
            assert not unbounded, (path, unbounded[:5])
            assert not outside, (path, outside)
            words = sheet.page.inner_text("body")
            assert "Traceback" not in words, path
            assert "This is a mistake in Everself" not in words, (path, words[:300])

        crawl(sheet, look, ("chat?later=1",))
        sheet.told.check()
        assert not ran
        assert not wide


def test_everything_can_be_read_without_scripts(days: Site) -> None:
    live(days)
    with days.open(scripts=False) as sheet:

        def look(path: str) -> None:
            # a part of a page has no heading of its own
            if PART not in path:
                assert sheet.page.locator("h1").inner_text(), path
            assert len(sheet.page.inner_text("body")) > 20, path

        reached = crawl(sheet, look)
        assert read_routes() - reached - set(FRAGMENTS) == set()


def test_a_page_that_was_open_while_the_gateway_went_away_says_what_helps(days: Site) -> None:
    with days.open() as sheet:
        sheet.go("chat")
        sheet.page.context.set_offline(True)
        sheet.page.fill("#text", "Are you there?")
        sheet.page.keyboard.press("Enter")
        sheet.page.locator("#banner:not([hidden])").wait_for()
        assert "everself web" in sheet.page.inner_text("#banner")
        # what was written is still there
        assert sheet.page.input_value("#text") == "Are you there?"
        sheet.page.context.set_offline(False)
