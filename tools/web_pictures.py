"""make pictures: every page of the web page as a picture for docs/web, at 390 and 1,280 px, in light and dark.

usage: python -m tools.web_pictures [--to docs/web] [PAGE …]

Starts a gateway with an invented month of Mina's, who is also the person of `everself demo`, and takes pictures with
Debian's chromium.
"""

import argparse
import struct
import sys
import tempfile
import zlib
from datetime import timedelta
from pathlib import Path
from typing import Any

from everself.clock import system_now

SIZES = ((390, 760), (1280, 780))
SCHEMES = ("light", "dark")
PAGES = {
    "chat": "chat",
    "ritual": "chat",
    "memory": "memory",
    "search": "memory?q=what+does+the+studio+cost",
    "entry": "",
    "soul": "soul",
    "review": "review",
    "context": "context?message=When+is+the+demo%3F",
    "health": "health",
    "settings": "settings",
    "people": "people",
}

# Mina's notes, by how many days ago
NOTES = {
    29: (
        "Tundra is a Rust project that stores sensor data.",
        "Decided to use SQLite for tundra, because it needs no server.",
    ),
    26: ("Jonas joins tundra and takes over the sensor driver.", "The studio in Weserstraße has good light until six."),
    22: ("Tundra is deployed every Friday.", "Jonas prefers pull requests below 300 lines."),
    19: ("Bruno has a vet appointment once a quarter.", "Lena's birthday present is the blue teapot."),
    15: ("The customers of the demo are from Bergen.", "Decided that the demo shows live data, not slides."),
    12: ("The driver drops packets below minus ten degrees.", "Jonas found the cause: a time-out of the radio."),
    9: ("The heating of the studio is repaired.", "Lena recommended the swimming hall in Neukölln."),
    6: ("Decided to keep raw packets for ninety days.", "The museum of technology is free on first Sundays."),
    3: ("Jonas is on leave for two weeks.", "Tundra's nightly job takes eleven minutes."),
    1: ("The invitation to Bergen is sent.", "Swimming twice a week works well."),
}
CORE = (
    "Mina lives in Berlin and works from a studio in Weserstraße.",
    "Mina is allergic to peanuts.",
    "Bruno is Mina's dog, a five-year-old pointer.",
    "The rent of the studio is 800 euros a month.",
    "Mina reads answers on the phone and likes them short.",
    "Lena is Mina's sister and lives in Leipzig.",
    "Tundra's licence is Apache-2.0.",
)


def fill_month(root: Path) -> None:
    """Write the files of the month up to yesterday."""
    from tests.interfaces.web.workspaces import write

    today = system_now().date()
    for ago, notes in NOTES.items():
        day = today - timedelta(days=ago)
        sections = "\n".join(f"## [{9 + at * 5:02}:20:00] note\n\n{note}\n" for at, note in enumerate(notes))
        write(root, f"memory/{day}.md", f"# Memory Log: {day}\n\n{sections}")
    write(root, "MEMORY.md", "# Memory\n\n## Facts\n\n" + "".join(f"- {fact}\n" for fact in CORE))
    write(
        root,
        "users/jonas/MEMORY.md",
        "# Jonas\n\n- Jonas wants answers with a code example.\n- Jonas works from Kiel.\n",
    )
    write(root, "projects/tundra/MEMORY.md", "# Tundra\n\n- Tests of the driver need the board on port 3.\n")
    write(root, "bank/entities/lena.md", "# Lena\n\n- Lena is Mina's sister.\n")


def main(arguments: list[str]) -> int:
    from tests.interfaces.web.chromium import a_browser, a_site, find_chromium

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
            with a_site(Path(top) / "mina", browser, fill_month) as site:
                _live(site)
                for name in chosen.pages:
                    if name != "ritual":
                        _take(site, name, PAGES[name] or _an_entry(site), folder)
    taken = sorted(folder.glob("*.png"))
    print(f"{len(taken)} pictures, {sum(one.stat().st_size for one in taken) / 1e6:.1f} MB, in {folder}")
    return 0


def _live(site: Any) -> None:
    """Add the traces of an ordinary week: the person's own notes, talk, a correction, a grown soul, and questions."""
    gateway = site.gateway
    gateway.model.script = _reply
    gateway.everself("config", "set", "memorySearch.provider", "local")
    gateway.command("memory", "index")
    gateway.everself("memory", "vouch", "--all", "--yes")
    kept = gateway.everself("memory", "add", "The demo for the customers is on 27 November.")["entry"]
    gateway.everself("memory", "correct", kept, "The demo for the customers is on 4 December, in Bergen.")
    propose = ("soul", "propose", "--evidence", f"entry:{kept}")
    gateway.everself(*propose, "Say how sure you are.", "--reason", "asked for twice")
    gateway.everself("soul", "approve", "last", "--yes")
    gateway.everself(*propose, "Give the date and where it was said.", "--reason", "a date was corrected this week")
    log = max((site.workspace / "memory").glob("20*.md"))
    log.write_text(
        log.read_text("utf-8") + "\n## [21:00:00] note\n\nThe landlord wants to talk about the lease.\n", "utf-8"
    )
    for words in ("What did we decide about raw packets?", "When is the demo, and where?"):
        gateway.command("ask", *(() if words.startswith("What did") else ("--resume", "last")), words)
    gateway.command("memory", "search", "tax number")
    gateway.command("memory", "index")


def _reply(asked: Any) -> Any:
    from tests.models.chat.servers import say

    if "When is the demo" in asked.words:
        return say(
            "On 4 December, in Bergen. ",
            "You first had 27 November and corrected it today.",
            usage=(2_100, 24, 1_900, 0),
        )
    return say("You decided to keep raw packets for ninety days.", usage=(2_300, 38, 0, 1_900))


def _an_entry(site: Any) -> str:
    """The id of an entry with a history: the correction."""
    listed = site.gateway.everself("memory", "list")
    return f"memory/entry/{next(one['entry']['id'] for one in listed if 'in Bergen' in one['entry']['text'])}"


def _take(site: Any, name: str, path: str, folder: Path) -> None:
    for width, height in SIZES:
        for scheme in SCHEMES:
            with site.open(scheme=scheme, width=width) as sheet:
                sheet.page.set_viewport_size({"width": width, "height": height})
                page = sheet.go(path)
                # parts that are fetched after the page
                page.wait_for_load_state("networkidle")
                if name == "chat":
                    page.locator("details.receipt > summary").last.click()
                    page.wait_for_selector(".receipt-body")
                    page.locator(".said-by.user").last.evaluate("one => one.scrollIntoView({ block: 'start' })")
                (folder / f"{name}-{width}-{scheme}.png").write_bytes(packed(page.screenshot()))


def packed(picture: bytes) -> bytes:
    """The same PNG with its data compressed better: browsers compress for speed."""
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
