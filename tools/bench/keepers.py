"""How long the Memory Miner takes by rules alone over a large workspace, when a thousand things were said since its last run.

No model and no embedder. Days and messages are made up; messages, checks, changes and the ledger are the product's. One thread, in a
process of its own.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from pathlib import Path

from tools.bench.context import ONE_THREAD

DAYS = 5_000
ENTRIES = 5
SESSIONS = 100
SAID = 10
PROMISED = 60

SUBJECTS = (
    "The billing service",
    "My sister",
    "The garden",
    "Our office",
    "The backup",
    "My bike",
    "The server in Oslo",
)
VERBS = ("moved to", "broke because of", "was paid with", "needs", "depends on", "was fixed with", "runs on")
THINGS = tuple(
    map(" ".join, product(("red", "slow", "new", "Danish", "cheap"), ("paint", "Postgres", "lamp", "router")))
)


def run() -> Iterator[str]:
    told = subprocess.run(
        [sys.executable, "-m", "tools.bench.keepers"],
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    yield from told.stdout.splitlines()


def _sentence(chance: random.Random) -> str:
    words = (chance.choice(SUBJECTS), chance.choice(VERBS), "the", chance.choice(THINGS))
    return f"{' '.join(words)} number {chance.randrange(1000)}."


def _write_days(workspace: Path, today: date, chance: random.Random) -> None:
    (workspace / "memory").mkdir(exist_ok=True)
    for number in range(1, DAYS + 1):
        day = today - timedelta(days=number)
        parts = [f"\n## [0{hour}:00:00] note\n\n{_sentence(chance)}\n" for hour in range(ENTRIES)]
        (workspace / "memory" / f"{day}.md").write_text(f"# Memory Log: {day}\n{''.join(parts)}", "utf-8")


def _mine(top: Path) -> Iterator[str]:
    from everself.app.opening import open_app
    from everself.verbs.seeding import set_up

    (top / "e").mkdir()
    settings = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}, "history": {"enabled": False}}
    (top / "e" / "everself.json5").write_text(json.dumps(settings), "utf-8")
    environ = {"HOME": str(top), "EVERSELF_HOME": str(top / "e"), "EVERSELF_KEYS": str(top / "k")}
    chance = random.Random(1)
    with open_app(environ=environ) as app:
        set_up(app)
        _write_days(Path(app.agent.workspace), app.clock.today(), chance)
        app.index.sync()
        for _ in range(SESSIONS):
            session = app.log.begin()
            for number in range(SAID):
                more = "What is up?" if number % 3 else f"We decided to keep this: {_sentence(chance)}"
                app.log.add(session, "user", f"{_sentence(chance)} {more}")
                app.log.add(session, "assistant", "Noted.")
    size = f"{DAYS:,} files, {DAYS * ENTRIES:,} entries, {SESSIONS * SAID:,} messages of one day"
    with open_app(environ=environ) as app:
        for name in ("first", "again"):
            started = time.monotonic()
            report = asyncio.run(app.keepers.run(app.keepers.find("memory-miner")))
            taken = time.monotonic() - started
            promised = f" (promised < {PROMISED} s)" if name == "first" else ""
            yield f"memory-miner by rules, {size}, {name}: {taken:.1f} s, {len(report.applied)} written{promised}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for line in _mine(Path(folder)):
            print(line, flush=True)
