"""A process with one size of memory that serves pages: the processor time of each, and its bytes as they are sent."""

import asyncio
import os
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

PAGES = (
    *("chat?session=new", "memory", "memory?tier=core", "memory?q=garden", "soul", "review", "context"),
    *("health", "people", "settings"),
    # what these lead to
    *("chat/search?q=garden", "memory/contents", "memory/entry/{entry}", "memory/lines?at=MEMORY.md", "memory/changes"),
    *("memory/searches", "memory/candidates", "memory/topic?page=ana"),
    *("context/prompt", "health/runs", "health/log"),
    *("people/person?name=bob", "settings/values", "settings/agent", "settings/programs"),
)
# Work on all of memory that a page asks for after it is shown, or that a button or link of a page begins: the count of the index (health),
# the examination (health) and the plan of a forgetting (an entry, a person).
WORK = ("health/index", "health/doctor", "memory/forget?entries={entry}")


def serve(asked: Connection, top: str, entries: int) -> None:
    folder = Path(top)
    os.environ.update(HOME=str(folder), EVERSELF_HOME=str(folder / ".everself"), XDG_CONFIG_HOME=str(folder / ".c"))
    os.environ["EVERSELF_KEYS"] = str(folder / "keys")
    # imported after the environment variables for the home are set
    from tests.interfaces.http.gateways import HOME, Gateway, make_agent
    from tests.interfaces.web.workspaces import fill_days

    # no vectors: computing so many takes minutes in the background and would be measured with the pages
    host = Path(HOME.places.host_file)
    host.parent.mkdir(parents=True)
    host.write_text('{"agents": {"defaults": {"memorySearch": {"provider": "none"}}}}', "utf-8")
    make_agent()
    workspace = Path(HOME.load().config.agent("").workspace)
    (workspace / "BOOTSTRAP.md").unlink(missing_ok=True)
    fill_days(workspace, entries // 50, 50)
    print(f"{entries:,} entries are written; reading them …", file=sys.stderr, flush=True)

    async def run() -> None:
        from tests.interfaces.web.browsers import sign_in

        async with Gateway() as gateway:
            browser = await sign_in(gateway)
            # load every page once first: the first search builds the index, which would continue during the measurements
            listed = (await browser.get("memory")).links
            entry = next(one for one in listed if "/memory/entry/" in one).rpartition("/")[2]
            for page in (*PAGES, *WORK):
                first = await browser.get(page.format(entry=entry))
                if first.status != 200:
                    raise RuntimeError(f"{page} answers {first.status}: {first.words[:300]}")
            client = gateway.client(**browser._headers)
            asked.send(await _weight(client, await browser.get(PAGES[0])))
            while page := asked.recv():
                asked.send(await _cost(client, page.format(entry=entry)))

    asyncio.run(run())


async def _weight(client: Any, page: Any) -> int:
    """Bytes of the files that a page loads once, as they are sent: its styles and scripts."""
    files = {found.get("src") or found.get("href", "") for tag, found in page.elements if tag in ("script", "link")}
    answers = [await client.get(one, headers={"Accept-Encoding": "gzip"}) for one in files]
    return sum(int(one.headers["content-length"]) for one in answers)


async def _cost(client: Any, page: str) -> tuple[float, int]:
    begun = time.process_time()
    async with client.stream("GET", f"/web/main/{page}", headers={"Accept-Encoding": "gzip"}) as answer:
        sent = sum([len(chunk) async for chunk in answer.aiter_raw()])
    return (time.process_time() - begun) * 1000, sent
