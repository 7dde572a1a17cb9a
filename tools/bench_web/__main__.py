"""make bench-web: server time and compressed bytes of each page, over a memory of 10,000 and of 100,000 entries.

usage: python -m tools.bench_web [--entries 10000,100000] [--rounds 20] [--json FILE]

Each size runs in its own process without a socket and measures the server's processor time. The sizes are asked in turn, request by
request, so that other load on the machine slows them alike. Asserts nothing.
"""

import argparse
import json
import multiprocessing
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from tools.bench_web.server import PAGES, WORK, serve

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
    with ExitStack() as stack:
        sides = {entries: stack.enter_context(_server(entries)) for entries in map(int, chosen.entries.split(","))}
        # the first answer says that the pages do, and what comes with the first of them
        files = max(side.recv() for side in sides.values())
        costs = _measure(sides, PAGES, chosen.rounds)
        work = _measure(sides, WORK, chosen.rounds)
    _print("page", costs)
    _print("work that a page asks for", work)
    print(f"styles and scripts of the first page, loaded once: {files:,} bytes")
    if chosen.json:
        Path(chosen.json).write_text(json.dumps([asdict(one) for one in (*costs, *work)], indent=1) + "\n", "utf-8")
    return 0


def _measure(sides: dict[int, Connection], pages: Sequence[str], rounds: int) -> list[Cost]:
    costs: list[Cost] = []
    for page in pages:
        times: dict[int, list[float]] = {entries: [] for entries in sides}
        sent: dict[int, int] = {}
        for _ in range(rounds):
            for entries, side in sides.items():
                side.send(page)
                took, sent[entries] = side.recv()
                times[entries].append(took)
        for entries, measured in times.items():
            ordered = sorted(measured)
            late = ordered[int(0.95 * (len(ordered) - 1))]
            costs.append(Cost(page, entries, statistics.median(ordered), late, sent[entries]))
    return sorted(costs, key=lambda one: one.entries)


@contextmanager
def _server(entries: int) -> Iterator[Connection]:
    """A process that remembers so much: it is sent a page, and answers with milliseconds and bytes."""
    ours, theirs = multiprocessing.Pipe()
    with tempfile.TemporaryDirectory(prefix="bench-web-") as folder:
        process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, folder, entries))
        process.start()
        theirs.close()
        try:
            yield ours
            ours.send("")
        finally:
            ours.close()
            process.join()


def _print(what: str, costs: list[Cost]) -> None:
    print(f"{what:<30} {'entries':>8} {'p50 ms':>8} {'p95 ms':>8} {'bytes':>8}  growth")
    first = {one.page: one for one in reversed(costs)}
    for one in costs:
        base = first[one.page]
        grown = f"{one.p50 / base.p50:.2f} x" if one is not base else ""
        over = " over" if (one is base and (one.sent > LIMIT_BYTES or one.p50 > LIMIT_MS)) else ""
        over = " over" if one is not base and one.p50 / base.p50 > GROWTH else over
        print(f"{one.page:<30} {one.entries:>8,} {one.p50:>8.1f} {one.p95:>8.1f} {one.sent:>8,}  {grown}{over}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
