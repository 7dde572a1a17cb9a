"""R2: kill −9 at random moments under eight writers and maintenance. Nothing acknowledged is missing or doubled, nothing is torn."""

import os
from random import Random

from tests.trust.operations import contents
from tests.trust.workers import Nursery, count_entries, reported

from everself.clock import pause
from everself.storage.filesystem import TEMPORARY_PREFIX
from everself.storage.journal import FOLDER as JOURNAL
from everself.testing.workspaces import real_workspace

WRITERS = 8
MAINTENANCE = "m"
# a fresh workspace after so many kills: documents that grow for ever make every later kill slower
CHUNK = 100
FOR_EVER = 1_000_000_000
# seconds at most between two entries of a writer: else all of them wait for the lock all the time, and only kills of waiters are tried
CALM = 0.02


class Crew:
    """Eight writers and one who maintains; whoever is killed is started again under a new name."""

    def __init__(self, nursery: Nursery, top: str) -> None:
        self._nursery = nursery
        self._top = top
        self._pids: dict[str, int] = {}
        self._lives = 0
        for role in (*(f"w{number}" for number in range(WRITERS)), MAINTENANCE):
            self._start(role)

    def kill_one(self, random: Random) -> None:
        role = random.choice(sorted(self._pids))
        self._end(role)
        self._start(role)

    def kill_all(self) -> None:
        for role in list(self._pids):
            self._end(role)

    def reports(self, maintenance: bool) -> list[str]:
        names = [name for name in sorted(os.listdir(self._top)) if name.startswith("report-")]
        return [
            line
            for name in names
            if name.startswith(f"report-{MAINTENANCE}") == maintenance
            for line in reported(f"{self._top}/{name}")
        ]

    def _start(self, role: str) -> None:
        self._lives += 1
        name = f"{role}.{self._lives}"
        report = f"{self._top}/report-{name}"
        if role == MAINTENANCE:
            pid = self._nursery.start(
                "tests.trust.workers:maintain", top=self._top, name=name, report=report, stop=f"{self._top}/stop"
            )
        else:
            pid = self._nursery.start(
                "tests.trust.workers:write", top=self._top, name=name, report=report, count=FOR_EVER, calm=CALM
            )
        self._pids[role] = pid

    def _end(self, role: str) -> None:
        code = self._nursery.kill(self._pids.pop(role))
        assert code == -9, f"{role} ended by itself with {code}:\n{self._nursery.complaints()}"


def check(top: str, acknowledged: set[str]) -> None:
    with real_workspace(top) as bench:
        bench.workspace.recover()
        bench.workspace.close()
        found = count_entries(contents(bench.workspace))
        lost = sorted(acknowledged - set(found))
        assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged entries are lost: {lost[:5]}"
        doubled = sorted(name for name, times in found.items() if times > 1)
        assert not doubled, f"{len(doubled)} entries stand there more than once: {doubled[:5]}"
        report = bench.state.verify_ledger()
        assert report.ok, report
        assert bench.state.changes_without_commit() == []
        assert not bench.storage.state.list(JOURNAL)
    left = [name for _, _, names in os.walk(top) for name in names]
    assert not [name for name in left if name.startswith(TEMPORARY_PREFIX)], left


def run_chunk(kills: int, seed: int, start: int) -> tuple[int, int]:
    """So many kills on one workspace. How many entries and how much maintenance was acknowledged."""
    random = Random(f"R2 {seed} {start}")
    with Nursery("tests.trust.workers", "dulwich.repo", memory=256) as nursery:
        top = f"{nursery.folder}/top"
        os.mkdir(top)
        # the first start makes the database; it is R1 that kills there
        with real_workspace(top):
            pass
        crew = Crew(nursery, top)
        for _ in range(kills):
            pause(random.uniform(0.0, 0.15))
            crew.kill_one(random)
        pause(random.uniform(0.0, 0.3))
        crew.kill_all()
        acknowledged = {line.split()[0] for line in crew.reports(maintenance=False)}
        check(top, acknowledged)
        return len(acknowledged), len(crew.reports(maintenance=True))


def run_r2(count: int, seed: int, start: int = 0) -> str:
    """Kill `count` times from kill number `start` on."""
    entries = moves = 0
    for first in range(start, start + count, CHUNK):
        try:
            more = run_chunk(min(CHUNK, start + count - first), seed, first)
        except AssertionError as error:
            raise AssertionError(f"R2 seed {seed}, kills from {first}: {error}") from error
        entries, moves = entries + more[0], moves + more[1]
    assert entries, "R2: no writer got anywhere"
    return f"R2 {count} kills, {entries} entries and {moves} changes of maintenance acknowledged, 0 missing, 0 doubled, seed {seed}"
