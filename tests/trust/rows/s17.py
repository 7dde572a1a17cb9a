"""S17: every page and fragment of the web page over a memory full of a stranger's texts, in a real browser. No request goes elsewhere, the
policy has nothing to report, and no script of theirs runs.
"""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from tests.interfaces.web.chromium import Site, a_browser, a_site
from tests.interfaces.web.crawl import FRAGMENTS, crawl, read_routes
from tests.interfaces.web.workspaces import HOSTILE, fill_hostile

# the first search reads all of it
_PATIENCE = 180_000


def run_s17(count: int, seed: int) -> str:
    """`count` walks over all pages, each with other texts in addresses and in the conversation."""
    random = Random(seed)
    pages = elsewhere = policy = ran = 0
    with a_browser() as browser, TemporaryDirectory() as top, a_site(Path(top) / "home", browser, fill_hostile) as site:
        # an earlier soul, and a proposal, that hold such a text
        site.gateway.everself("soul", "verify", "--accept")
        for text in HOSTILE[:2]:
            site.gateway.everself("soul", "propose", text, "--reason", HOSTILE[3])
        site.gateway.everself("soul", "approve", "last", "--yes")
        for number in range(count):
            found = walk(site, random, "dark" if number % 2 else "light")
            pages, elsewhere = pages + found["pages"], elsewhere + found["elsewhere"]
            policy, ran = policy + found["policy"], ran + found["ran"]
    told = (
        f"S17 seed {seed}: {pages} pages and fragments with {len(HOSTILE)} hostile texts: {elsewhere} requests to elsewhere, "
        f"{policy} reports of the policy, {ran} scripts run"
    )
    assert pages >= count * 10, told
    assert elsewhere + policy + ran == 0, told
    return told


def walk(site: Site, random: Random, scheme: Any = "light") -> dict[str, int]:
    """All routes that links lead to, and pages whose addresses hold such texts."""
    ran: list[str] = []
    pages: list[str] = []
    with site.open(scheme=scheme) as sheet:

        def look(path: str) -> None:
            pages.append(path)
            # a script of theirs would have renamed the page
            if sheet.page.title() in ("run", "1"):
                ran.append(path)

        _speak(sheet, random)
        look("chat")
        reached = crawl(sheet, look, ("chat?later=1",))
        assert read_routes() - reached - set(FRAGMENTS) == set(), read_routes() - reached
        for text in random.sample(HOSTILE, 6):
            said = quote(text[:1500])
            for path in (f"memory?q={said}", f"context?message={said}", f"chat/search?q={said}", f"memory?path={said}"):
                sheet.go(path)
                look(path)
        told = sheet.told
        return {"pages": len(pages), "elsewhere": len(told.elsewhere), "policy": len(told.policy), "ran": len(ran)}


def _speak(sheet: Any, random: Random) -> None:
    page = sheet.go("chat?session=new")
    page.fill("#text", random.choice(HOSTILE)[:2000])
    page.keyboard.press("Enter")
    page.wait_for_selector(".said-by.assistant details.receipt", timeout=_PATIENCE)
    page.locator("details.receipt > summary").last.click()
    page.wait_for_selector(".receipt-body")
