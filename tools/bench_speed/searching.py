"""The product's search on a generated store, warm and with one thread: total time, time per part, and memory.

The check of the files and the embedder are reported separately from the search. Runs in its own process, because memory
is measured.
"""

import resource
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from tools.bench_speed.store import environ_of, load_questions, open_index
from tools.bench_speed.timing import TimedIndex, parts_timed

from everself.agent import open_runtime
from everself.runtime import Runtime
from everself.search.recall import RecallRequest

# Unmeasured questions first, none asked twice: they bring the process into the state of long use.
WARM = 200


@dataclass(frozen=True, slots=True)
class Times:
    """Times in milliseconds."""

    p50: float
    p95: float
    worst: float
    count: int


@dataclass(frozen=True, slots=True)
class Searched:
    search: Times
    recorded: Times
    keywords: Times
    freshness: Times
    # for repeated questions, whose posting lists are in memory
    again: Times
    # until the first answer of a process that has the index open
    first: float
    hits: float
    # processor time, independent of other load on the machine
    processor: float
    # megabytes
    rss: float
    size: float
    parts: dict[str, float]


def times_of(seconds: list[float]) -> Times:
    ordered = sorted(one * 1000 for one in seconds)
    return Times(
        statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], ordered[-1], len(ordered)
    )


def rss() -> float:
    """The peak memory of this process, in megabytes."""
    try:
        told = Path("/proc/self/status").read_text("utf-8")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    # not getrusage: its peak includes the memory of the parent before exec
    return next(int(line.split()[1]) / 1024 for line in told.splitlines() if line.startswith("VmHWM"))


def measure(folder: Path, *, profile: bool = False) -> Searched:
    """Measure searches of an existing store."""
    questions, stub = load_questions(folder)
    with open_runtime(environ=environ_of(folder)) as app:
        vars(app)["index"] = open_index(app, stub, TimedIndex)
        first = _ask(app, questions[0]).search
        for one in questions[:WARM]:
            _ask(app, one)
        fresh = questions[WARM:]
        plain = [_ask(app, one) for one in fresh]
        memory = rss()
        again = [_ask(app, one).search for one in fresh]
        recorded = [_ask(app, one, recorded=True).search for one in fresh]
        parts = _parts(app, fresh) if profile else {}
        hits = statistics.mean(len(app.recall.search(RecallRequest(one, recorded=False)).hits) for one in fresh[:20])
        size = app.index.status().size / 2**20
    with open_runtime(environ=environ_of(folder)) as app:
        vars(app)["index"] = open_index(app, None, TimedIndex)
        keywords = [_ask(app, one).search for one in questions][WARM:]
    return Searched(
        search=times_of([one.search for one in plain]),
        again=times_of(again),
        recorded=times_of(recorded),
        keywords=times_of(keywords),
        freshness=times_of([one.beside for one in plain]),
        first=first * 1000,
        hits=hits,
        processor=statistics.median(one.processor for one in plain) * 1000,
        rss=memory,
        size=size,
        parts=parts,
    )


@dataclass(frozen=True, slots=True)
class _Spent:
    search: float
    beside: float
    processor: float


def _ask(app: Runtime, question: str, *, recorded: bool = False) -> _Spent:
    index = app.index
    if not isinstance(index, TimedIndex):
        raise AssertionError("the index of a measurement tells what is not search")
    before, processor_before = index.beside, index.processor_beside
    processor, begin = time.process_time(), time.perf_counter()
    app.recall.search(RecallRequest(question, recorded=recorded))
    spent, processor = time.perf_counter() - begin, time.process_time() - processor
    beside = index.beside - before
    return _Spent(spent - beside, beside, processor - (index.processor_beside - processor_before))


def _parts(app: Runtime, questions: list[str]) -> dict[str, float]:
    """Processor milliseconds of each part of a search."""
    with parts_timed() as tallies:
        spent = sum(_ask(app, one).processor for one in questions)
    told = {name: tally.seconds / len(questions) * 1000 for name, tally in tallies.items()}
    return {**told, "everything": spent / len(questions) * 1000}
