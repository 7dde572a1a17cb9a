"""One signed-in page that somebody without a mouse goes through: what is looked at wherever they come, and which forms they sent."""

import re
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import urlsplit

from tests.interfaces.web.chromium import Sheet, Site
from tests.interfaces.web.keyboard import press

from everself.interfaces.web.pages.stream import talk_routes
from everself.interfaces.web.routes import PAGES
from everself.interfaces.web.visit import PREFIX

WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def sent_routes() -> set[str]:
    """Every route that does something when a form is sent to it."""
    below = f"{PREFIX}{{agent}}/"
    # only their paths are looked at; nothing is served
    talk = [cast(Any, one) for one in talk_routes(cast(Any, None))]
    posted = {one.path.removeprefix(below) for one in talk if "POST" in one.methods}
    return posted | {one.path for one in PAGES if one.method == "POST"}


def _pattern(route: str) -> "re.Pattern[str]":
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route)))


class Walk:
    """`look` is called wherever a step leads; each kind of page is examined once, in the state in which it is reached first."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.page = sheet.page
        self.sent: set[str] = set()
        self._examined: set[str] = set()
        self._routes = {route: _pattern(route) for route in sent_routes()}
        self.page.on("request", self._note)

    @property
    def site(self) -> Site:
        return self.sheet.site

    def _note(self, request: Any) -> None:
        if request.method == "POST":
            self.sent |= {
                route for route, pattern in self._routes.items() if pattern.fullmatch(self._below(request.url))
            }

    @staticmethod
    def _below(url: str) -> str:
        """The path below an agent."""
        return urlsplit(url).path.removeprefix(PREFIX).partition("/")[2]

    def go(self, path: str = "") -> Any:
        self.sheet.go(path)
        self.look()
        return self.page

    def look(self) -> None:
        page = self.page
        words = page.inner_text("main")
        assert page.locator("h1").count() == 1, (page.url, words[:300])
        assert page.title() not in ("run", "1"), page.url
        assert "Traceback" not in words, page.url
        assert "This is a mistake in Everself" not in words, (page.url, words[:300])
        assert page.evaluate(WIDE) <= 0, page.url
        place = re.sub(r"[0-9A-Z]{12}", "{id}", self._below(page.url))
        kind = f"{place} {page.locator('h1').inner_text()[:20]}"
        if kind not in self._examined:
            self._examined.add(kind)
            serious = self.sheet.serious()
            assert not serious, (page.url, serious)

    def press(self, name: str, role: str = "", told: str = "", timeout: int = 30_000) -> None:
        """Go there by Tab, press Enter, and see what is `told`."""
        press(self.page, name, role)
        if told:
            self.page.locator(".notice", has_text=told).first.wait_for(timeout=timeout)
            self.look()

    def undo(self) -> None:
        """What was just done is taken back, which the page says."""
        self.press("Undo", "BUTTON", "Undone.")

    def arrive(self, heading: str, timeout: int = 30_000) -> None:
        self.page.locator("h1", has_text=heading).wait_for(timeout=timeout)
        self.look()

    def step(self, act: Callable[["Walk"], None]) -> None:
        act(self)
        self.sheet.told.check()
