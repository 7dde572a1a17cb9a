"""Every page that links lead to: one address of each route, found as somebody would find it."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from tests.interfaces.web.chromium import Sheet, Site

from everself.interfaces.web.routes import PAGES, TABS

# pages that are asked for by scripts, or shown only when something was done
FRAGMENTS = {"chat/message/{message}": "a reply that was listened to is fetched by its id"}
PART = "?part=1"
_MOST = 200


def live(site: Site) -> None:
    """Something was said, and the soul has grown."""
    if "Say how sure you are." in (site.workspace / "SOUL.md").read_text("utf-8"):
        return
    site.gateway.command("ask", "What did we say about the garden?")
    site.gateway.everself("soul", "propose", "Say how sure you are.", "--reason", "asked for")
    site.gateway.everself("soul", "approve", "last", "--yes")


def route_of(path: str) -> str:
    """The route that serves a path below an agent; empty where none does."""
    return next((one.path for one in PAGES if one.method == "GET" and _pattern(one.path).fullmatch(path)), "")


def read_routes() -> set[str]:
    return {one.path for one in PAGES if one.method == "GET"}


def _pattern(path: str) -> "re.Pattern[str]":
    return re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)))


def crawl(sheet: Sheet, look: Callable[[str], None], start: tuple[str, ...] = ()) -> set[str]:
    """Load one page of each route, and call `look` with its path after each. The routes that were reached."""
    waiting = [*(name for name, _ in TABS), *start]
    seen: set[str] = set()
    loaded = 0
    while waiting and loaded < _MOST:
        path = waiting.pop(0)
        route = route_of(urlsplit(path).path)
        # a part of a page is another answer of the same route
        key = f"{route}{PART}" if PART in path else route
        if not route or key in seen:
            continue
        seen.add(key)
        loaded += 1
        sheet.go(path)
        look(path)
        waiting += list(_links(sheet))
    return seen


def _links(sheet: Sheet) -> Iterator[str]:
    base = sheet.site.url()
    for found in sheet.page.eval_on_selector_all("a[href], [data-receipt]", _HREFS):
        if found.startswith(base):
            yield found.removeprefix(base).partition("#")[0]


_HREFS = "all => all.map(one => one.dataset.receipt ? location.origin + one.dataset.receipt : one.href)"
