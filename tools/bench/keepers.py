"""How long each keeper takes with rules only, over a large workspace with a full day of messages, and whether it reports progress.

No model and no embedder. Days, messages and corrections are generated; reading, checks, changes and the ledger are the
product's. One thread, in its own process.
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
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from tools.bench.context import ONE_THREAD

if TYPE_CHECKING:
    from everself.runtime import Runtime

DAYS = 5_000
ENTRIES = 5
SESSIONS = 100
SAID = 10
CORRECTIONS = 300
MANNERS = 100
PROMISED = 60
# the Compactor last: it removes days that the others would read
NAMES = (
    "memory-miner",
    "conflict-detector",
    "recall-validator",
    "soul-keeper",
    "weekly-review",
    "memory-compactor",
)

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
    told = subprocess.Popen(
        [sys.executable, "-m", "tools.bench.keepers"],
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert told.stdout is not None
    yield from (line.rstrip("\n") for line in told.stdout)
    if told.wait():
        raise subprocess.CalledProcessError(told.returncode, told.args)


def _sentence(chance: random.Random) -> str:
    words = (chance.choice(SUBJECTS), chance.choice(VERBS), "the", chance.choice(THINGS))
    return f"{' '.join(words)} number {chance.randrange(1000)}."


def _write_days(workspace: Path, today: date, chance: random.Random) -> None:
    (workspace / "memory").mkdir(exist_ok=True)
    # yesterday and the day before stay free for what the agent itself wrote
    for number in range(3, DAYS + 3):
        day = today - timedelta(days=number)
        parts = [f"\n## [0{hour}:00:00] note\n\n{_sentence(chance)}\n" for hour in range(ENTRIES)]
        (workspace / "memory" / f"{day}.md").write_text(f"# Memory Log: {day}\n{''.join(parts)}", "utf-8")


def _write_corrections(app: "Runtime", chance: random.Random) -> None:
    """Write the owner's corrections of two days ago, many of them twice and some stated wrongly again, and behaviour that they praised."""
    from everself.clock import Clock
    from everself.memory.writing import NewEntry
    from everself.testing.origins import origin_of

    owner = origin_of("owner")
    then = datetime.now(UTC) - timedelta(days=2)
    memory = app.memory.at(Clock(app.clock.zone, lambda: then))
    for number in range(CORRECTIONS):
        thing, wrong, right = chance.choice(THINGS), chance.randrange(100), chance.randrange(100, 200)
        words = f"The {thing} of shelf {number // 2} costs"
        known = memory.remember(NewEntry(f"{words} {wrong} euros.", owner))
        memory.correct(known.entry, f"{words} {right} euros.", owner, said=f"No, {words.lower()} {right} euros.")
    for number in range(MANNERS):
        memory.remember(NewEntry(f"I like how you sort the {chance.choice(THINGS)} list {number // 2}.", owner))


def _say(app: "Runtime", chance: random.Random) -> None:
    for _ in range(SESSIONS):
        session = app.log.begin()
        for number in range(SAID):
            more = "What is up?" if number % 3 else f"We decided to keep this: {_sentence(chance)}"
            said = f"No, {_sentence(chance)}" if number == 1 else f"{_sentence(chance)} {more}"
            app.log.add(session, "user", said)
            app.log.add(session, "assistant", "Noted.")


@dataclass(slots=True)
class Heard:
    """The progress reports of a keeper, and the longest time without one."""

    since: float
    times: int = 0
    silence: float = 0.0

    def note(self, *_: object) -> None:
        now = time.monotonic()
        self.silence = max(self.silence, now - self.since)
        self.since = now
        self.times += 1


def _measure(top: Path) -> Iterator[str]:
    from everself.agent import open_runtime
    from everself.keepers.weekly_review import WeeklyReview
    from everself.operations.setup import set_up

    (top / "e").mkdir()
    settings = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}, "history": {"enabled": False}}
    (top / "e" / "everself.json5").write_text(json.dumps(settings), "utf-8")
    environ = {"HOME": str(top), "EVERSELF_HOME": str(top / "e"), "EVERSELF_KEYS": str(top / "k")}
    chance = random.Random(1)
    with open_runtime(environ=environ) as app:
        set_up(app)
        _write_days(Path(app.agent.workspace), app.clock.today(), chance)
        _write_corrections(app, chance)
        app.index.sync()
        _say(app, chance)
    yield f"{DAYS:,} files, {DAYS * ENTRIES:,} entries, {CORRECTIONS} corrections, {SESSIONS * SAID:,} messages of one day"
    for name in NAMES:
        for again in ("", ", again"):
            with open_runtime(environ=environ) as app:
                keeper = WeeklyReview() if name == WeeklyReview.name else app.keepers.find(name)
                started, worked = time.monotonic(), time.process_time()
                heard = Heard(started)
                report = asyncio.run(app.keepers.run(keeper, tell=heard.note))
                taken, worked = time.monotonic() - started, time.process_time() - worked
                heard.note()
            counts = f"{len(report.applied)} done, {len(report.queued)} asked, {len(report.refused)} refused"
            silence = f"silent for {heard.silence:.1f} s at most"
            promised = "" if again else f" (promised < {PROMISED} s)"
            yield f"{name} by rules{again}: {taken:.1f} s ({worked:.1f} s at work), {counts}, {silence}{promised}"


if __name__ == "__main__":
    # background processes may still write into the folder; that is not measured
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for line in _measure(Path(folder)):
            print(line, flush=True)
