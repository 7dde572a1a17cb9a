"""A real browser at a real gateway: Debian's chromium, driven by playwright, signed in by a link as from a terminal.

What a page does beyond its own address, what its policy refused and what it wrote to its console is noted, whatever else a test is about.
"""

import json
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.interfaces.http.running import Running, running_gateway

from everself.clock import system_now
from everself.operations.sign_in_file import SignInFile

Scheme = Literal["light", "dark"]
AXE = Path(__file__).parent / "vendor" / "axe-core-4.14.0.min.js"
# serious and critical, as axe calls them; the rest is a matter of taste
SERIOUS = frozenset({"serious", "critical"})
_PATIENCE = 30_000


def find_chromium() -> str:
    return next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), "")


def need_chromium() -> str:
    """Skips, and says so, only where there is none."""
    found = find_chromium()
    if not found:
        pytest.skip("there is no chromium on this machine: apt-get install chromium")
    return found


@dataclass
class Told:
    """What a page did that it must not: requests to elsewhere, reports of its policy, errors, and scripts that ran."""

    base: str
    elsewhere: list[str] = field(default_factory=list)
    policy: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def check(self) -> None:
        assert not self.elsewhere, self.elsewhere
        assert not self.policy, self.policy
        assert not self.errors, self.errors


@dataclass(frozen=True)
class Site:
    """A gateway with a workspace, and how to open a page of it."""

    gateway: Running
    home: Path
    browser: Any

    @property
    def workspace(self) -> Path:
        return self.home / ".everself" / "workspace"

    def url(self, page: str = "") -> str:
        return f"{self.gateway.url}/web/main/{page}"

    def link(self, *, terminal: bool = True) -> str:
        file = SignInFile(str(self.home / ".everself" / "gateway"))
        return f"{self.gateway.url}/sign-in/{file.make_link('main', 'main', system_now(), terminal=terminal)}"

    @contextmanager
    def open(self, *, scheme: Scheme = "light", width: int = 1280, scripts: bool = True) -> "Iterator[Sheet]":
        """A page that is signed in."""
        context = self.browser.new_context(
            color_scheme=scheme,
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
            reduced_motion="reduce",
            locale="en-GB",
        )
        context.set_default_timeout(_PATIENCE)
        try:
            page = context.new_page()
            told = _watch(page, self.gateway.url)
            page.goto(self.link())
            page.wait_for_url("**/web/**")
            yield Sheet(page, self, told)
        finally:
            context.close()


@dataclass(frozen=True)
class Sheet:
    page: Any
    site: Site
    told: Told

    def go(self, path: str = "") -> Any:
        self.page.goto(self.site.url(path))
        return self.page

    def serious(self) -> list[str]:
        """What axe finds that keeps somebody out."""
        self.page.evaluate(AXE.read_text("utf-8"))
        found = self.page.evaluate("async () => JSON.stringify((await axe.run()).violations)")
        return [
            f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}"
            for one in json.loads(found)
            if one["impact"] in SERIOUS
        ]


def _watch(page: Any, base: str) -> Told:
    told = Told(base)
    page.on("request", lambda request: _note(told, request.url))
    page.on("console", lambda message: _hear(told, message))
    page.on("pageerror", lambda error: told.errors.append(str(error)))
    page.on("dialog", lambda dialog: (told.errors.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    return told


def _note(told: Told, url: str) -> None:
    if not url.startswith((told.base, "data:,", "about:")):
        told.elsewhere.append(url)


def _hear(told: Told, message: Any) -> None:
    if "Content Security Policy" in message.text:
        told.policy.append(message.text)


def _wait_until_it_answers(url: str) -> None:
    """It says where it will listen a moment before it does."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=10) as answer:
                assert answer.status == 200
                return
        except urllib.error.URLError:
            time.sleep(0.05)
    raise AssertionError(f"nothing answers at {url}")


@contextmanager
def a_browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=need_chromium(), args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def a_site(home: Path, browser: Any, fill: Callable[[Path], None] | None = None, *, met: bool = True) -> Iterator[Site]:
    """`met`: the first conversation was had."""
    with running_gateway(home) as gateway:
        site = Site(gateway, home, browser)
        _wait_until_it_answers(gateway.url)
        if met:
            (site.workspace / "BOOTSTRAP.md").unlink(missing_ok=True)
        if fill is not None:
            fill(site.workspace)
        yield site
