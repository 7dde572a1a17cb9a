"""make bench-web: server time and compressed bytes of each page, over a memory of 10,000 and of 100,000 entries.

usage: python -m tools.bench_web [--entries 10000,100000] [--rounds 20] [--json FILE]

Everything runs in one process without a socket and measures the server's processor time, so that other load on the
machine changes no figure. Asserts nothing.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

PAGES = (
    *("chat?session=new", "memory", "memory?tier=core", "memory?q=garden", "soul", "review", "context"),
    *("health", "settings"),
)
LIMIT_BYTES, LIMIT_MS, GROWTH = 100_000, 150.0, 2.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor milliseconds, and bytes as they are sent."""

    page: str
    entries: int
    p50: float
    p95: float
    sent: int


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench_web")
    parser.add_argument("--entries", default="10000,100000")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", default="")
    chosen = parser.parse_args(arguments)
    costs: list[Cost] = []
    for entries in map(int, chosen.entries.split(",")):
        with tempfile.TemporaryDirectory(prefix="bench-web-") as folder:
            costs += _measure(Path(folder), entries, chosen.rounds)
    _print(costs)
    if chosen.json:
        Path(chosen.json).write_text(json.dumps([asdict(one) for one in costs], indent=1) + "\n", "utf-8")
    return 0


def _measure(folder: Path, entries: int, rounds: int) -> list[Cost]:
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

    async def run() -> list[Cost]:
        from tests.interfaces.web.browsers import sign_in

        async with Gateway() as gateway:
            browser = await sign_in(gateway)
            # load every page once first: the first search builds the index, which would continue during the other
            # measurements
            for page in PAGES:
                first = await browser.get(page)
                if first.status != 200:
                    raise RuntimeError(f"{page} answers {first.status}: {first.words[:300]}")
            return [await _cost(gateway, browser, page, entries, rounds) for page in PAGES]

    return asyncio.run(run())


async def _cost(gateway: Any, browser: Any, page: str, entries: int, rounds: int) -> Cost:
    times: list[float] = []
    sent = 0
    client = gateway.client(**browser._headers)
    for _ in range(rounds):
        begun = time.process_time()
        async with client.stream("GET", f"/web/main/{page}", headers={"Accept-Encoding": "gzip"}) as answer:
            sent = sum([len(chunk) async for chunk in answer.aiter_raw()])
        times.append((time.process_time() - begun) * 1000)
    ordered = sorted(times)
    return Cost(page, entries, statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))], sent)


def _print(costs: list[Cost]) -> None:
    print(f"{'page':<18} {'entries':>8} {'p50 ms':>8} {'p95 ms':>8} {'bytes':>8}  growth")
    first = {one.page: one for one in reversed(costs)}
    for one in costs:
        base = first[one.page]
        grown = f"{one.p50 / base.p50:.2f} x" if one is not base else ""
        over = " over" if (one is base and (one.sent > LIMIT_BYTES or one.p50 > LIMIT_MS)) else ""
        over = " over" if one is not base and one.p50 / base.p50 > GROWTH else over
        print(f"{one.page:<18} {one.entries:>8,} {one.p50:>8.1f} {one.p95:>8.1f} {one.sent:>8,}  {grown}{over}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
