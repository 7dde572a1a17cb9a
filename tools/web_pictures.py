"""make pictures: every page of the web page as a picture for docs/web, at 390 and 1,280 px, in light and dark.

usage: python -m tools.web_pictures [--to docs/web] [PAGE …]

A gateway with two hundred made-up days is started for it, and Debian's chromium looks at it.
"""

import argparse
import struct
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

SIZES = ((390, 760), (1280, 780))
SCHEMES = ("light", "dark")
PAGES = {
    "chat": "chat",
    "ritual": "chat",
    "memory": "memory",
    "search": "memory?q=garden",
    "entry": "",
    "soul": "soul",
    "review": "review",
    "context": "context?message=What+does+the+garden+cost%3F",
    "health": "health",
    "settings": "settings",
    "people": "people",
}


def main(arguments: list[str]) -> int:
    from tests.interfaces.web.chromium import a_browser, a_site, find_chromium
    from tests.interfaces.web.workspaces import fill_days

    parser = argparse.ArgumentParser(prog="web_pictures")
    parser.add_argument("--to", default="docs/web")
    parser.add_argument("pages", nargs="*", default=list(PAGES))
    chosen = parser.parse_args(arguments)
    if not find_chromium():
        print("There is no chromium on this machine: apt-get install chromium", file=sys.stderr)
        return 1
    folder = Path(chosen.to)
    folder.mkdir(parents=True, exist_ok=True)
    with a_browser() as browser, tempfile.TemporaryDirectory() as top:
        if "ritual" in chosen.pages:
            with a_site(Path(top) / "new", browser, met=False) as site:
                _take(site, "ritual", "chat", folder)
        if set(chosen.pages) != {"ritual"}:
            with a_site(Path(top) / "days", browser, fill_days) as site:
                _live(site)
                for name in chosen.pages:
                    if name != "ritual":
                        _take(site, name, PAGES[name] or _an_entry(site), folder)
    taken = sorted(folder.glob("*.png"))
    print(f"{len(taken)} pictures, {sum(one.stat().st_size for one in taken) / 1e6:.1f} MB, in {folder}")
    return 0


def _live(site: Any) -> None:
    """What an ordinary week leaves: notes that are yours, talk, a correction, a soul that grew, and questions."""
    gateway = site.gateway
    gateway.model.script = _reply
    gateway.everself("memory", "vouch", "--all", "--yes")
    kept = gateway.everself("memory", "add", "Ana prefers trains to planes.")["entry"]
    gateway.everself("memory", "correct", kept, "Ana prefers night trains.")
    propose = ("soul", "propose", "--evidence", f"entry:{kept}")
    gateway.everself(*propose, "Say how sure you are.", "--reason", "asked for twice")
    gateway.everself("soul", "approve", "last", "--yes")
    gateway.everself(*propose, "Never guess a date.", "--reason", "a date was wrong on Monday")
    log = max((site.workspace / "memory").glob("20*.md"))
    log.write_text(log.read_text("utf-8") + "\n## [21:00:00] note\n\nThe boat has a new owner.\n", "utf-8")
    for words in ("What did we say about the garden?", "Who lives in Oslo?"):
        gateway.command("ask", *(() if words.startswith("What did") else ("--resume", "last")), words)
    gateway.command("memory", "search", "zeppelin")


def _reply(asked: Any) -> Any:
    from tests.models.chat.servers import say

    if "Oslo" in asked.words.rpartition("Who lives")[2]:
        return say(
            "Bob does, since 2006. ", "Before that you noted nothing about where he lived.", usage=(2_100, 24, 1_900, 0)
        )
    return say(
        "You decided that the garden comes first this week. ",
        "It costs 222 euros a month, and Ana asked to look at it again in five days.",
        usage=(2_300, 38, 0, 1_900),
    )


def _an_entry(site: Any) -> str:
    return f"memory/entry/{site.gateway.everself('memory', 'list', '--limit', '1')[0]['entry']['id']}"


def _take(site: Any, name: str, path: str, folder: Path) -> None:
    for width, height in SIZES:
        for scheme in SCHEMES:
            with site.open(scheme=scheme, width=width) as sheet:
                page = sheet.go(path)
                page.set_viewport_size({"width": width, "height": height})
                if name == "chat":
                    page.locator("details.receipt > summary").last.click()
                    page.wait_for_selector(".receipt-body")
                    page.locator(".said-by.user").last.evaluate("one => one.scrollIntoView({ block: 'start' })")
                (folder / f"{name}-{width}-{scheme}.png").write_bytes(packed(page.screenshot()))


def packed(picture: bytes) -> bytes:
    """The same PNG, its data packed as tightly as can be: a browser is in a hurry when it packs."""
    head, at = picture[:8], 8
    kept: list[tuple[bytes, bytes]] = []
    data = b""
    while at < len(picture):
        length, kind = struct.unpack(">I4s", picture[at : at + 8])
        body = picture[at + 8 : at + 8 + length]
        at += 12 + length
        if kind == b"IDAT":
            data += body
        else:
            kept.append((kind, body))
    kept.insert(len(kept) - 1, (b"IDAT", zlib.compress(zlib.decompress(data), 9)))
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in kept
    )
    return head + b"".join(chunks)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
