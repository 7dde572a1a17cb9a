"""A large memory of 100,000 entries in 400 files: loading, counting, and writing compared with a bare append in the same run."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from everself.clock import Clock
from everself.memory.catalog import Catalog
from everself.memory.memory import Memory
from everself.memory.tiers import count_tiers
from everself.memory.writing import NewEntry
from everself.testing.origins import origin_of
from everself.testing.workspaces import Bench, real_workspace
from everself.values import new_id
from everself.workspace.assembly import WorkspaceOptions
from everself.workspace.guards import standard_guards

ENTRIES = 100_000
WRITES = 60
# seconds before each append and write: memories arrive one at a time, on a processor that did something else in between
REST = 0.02
WORDS = ("tea", "rust", "tundra", "茶", "봄", "deploy", "meeting", "prefers", "dark", "mode", "river", "chess", "Oslo")


def run() -> Iterator[str]:
    medians: dict[int, float] = {}
    habits = WorkspaceOptions(guards=standard_guards(), background=False)
    for files in (400, 5_000):
        with tempfile.TemporaryDirectory() as folder:
            _grow(Path(folder) / "workspace" / "memory", files)
            with real_workspace(folder, habits, clock=Clock(ZoneInfo("UTC"))) as bench:
                yield from _measure(bench, files, Path(folder), medians)
    yield f"one write at 5,000 files = {medians[5_000] / medians[400]:.2f} × that at 400 (promised within 20 %)"


def _measure(bench: Bench, files: int, folder: Path, medians: dict[int, float]) -> Iterator[str]:
    memory = _memory(bench)
    cold = _time(memory.catalog.all)
    # for two seconds after a write a file's timestamp does not prove that it is unchanged
    time.sleep(2.1)
    memory.catalog.refresh()
    warm = _time(_memory(bench).catalog.all)
    check = _time(_memory(bench).catalog.refresh)
    count = len(memory.catalog.all())
    status = _time(lambda: count_tiers(_memory(bench), bench.state.entries))
    yield f"{count} entries in {files} files: load {warm:.2f} s (promised < 2), first time {cold:.2f} s, freshness {check * 1000:.0f} ms"
    yield f"status: {status * 1000:.0f} ms (promised < 300)"
    random = Random(1)
    loop, _ = _write(bench, memory, folder, random, 0.0)
    rested, kept = _write(bench, memory, folder, random, REST)
    medians[files] = rested[1]
    yield f"one write: p50 {_beside(rested)} (promised ≤ 20)"
    yield f"in a loop without rest: p50 {_beside(loop)}"
    yield f"history commit, beside it: {kept / WRITES * 1000:.1f} ms a write"


def _write(
    bench: Bench, memory: Memory, folder: Path, random: Random, rest: float
) -> tuple[tuple[float, float], float]:
    """Medians of a bare append and of a write, interleaved because disk speed varies; and the time of the history."""
    bare: list[float] = []
    writes: list[float] = []
    kept = 0.0
    for number in range(WRITES):
        # also syncs what the previous write left unsynced
        _bare(folder / "bare.md")
        time.sleep(rest)
        bare.append(_time(lambda: _bare(folder / "bare.md")))
        time.sleep(rest)
        writes.append(_time(lambda: memory.remember(NewEntry(_sentence(random), origin_of("owner")))))
        if number % 5 == 4:
            kept += _time(bench.workspace.close)
    return (statistics.median(bare), statistics.median(writes)), kept


def _beside(medians: tuple[float, float]) -> str:
    bare, write = medians
    return f"{write * 1000:.1f} ms = {write / bare:.1f} × a bare fsynced append of {bare * 1000:.2f} ms"


def _memory(bench: Bench) -> Memory:
    return Memory(
        bench.workspace, Catalog(bench.workspace, bench.state.entries, bench.state.provenance, bench.clock), bench.clock
    )


def _sentence(random: Random) -> str:
    return " ".join(random.choice(WORDS) for _ in range(12)) + f" {random.randrange(10**9)}"


def _grow(folder: Path, files: int) -> None:
    folder.mkdir(parents=True)
    random = Random(0)
    for number in range(files):
        day = date(2010, 1, 1) + timedelta(days=number)
        lines = [f"# Memory Log: {day}\n"]
        for _ in range(ENTRIES // files):
            comment = f"<!-- everself: id={new_id(random.randbytes)} tag=event conf=0.95 src=owner seen={day} n=1 -->"
            lines.append(f"\n## [09:30:00] note\n\n{_sentence(random)}\n{comment}\n")
        (folder / f"{day}.md").write_text("".join(lines))


def _bare(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, b"## [09:30:00] note\n\nLikes green tea in the morning.\n")
    os.fsync(descriptor)
    os.close(descriptor)


def _time(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
