"""How fast an index is built and kept up to date: units per second with words only, texts per second with the bundled
model, and the check of the files.

Each measurement has its own files. The model's own rate is measured in the same run, with the number of threads that
suits its package best.
"""

import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tools.bench.embedding import open_package, rate_of
from tools.bench_speed.language import Language
from tools.bench_speed.searching import Times, times_of
from tools.bench_speed.store import Store, environ_of, name_of, open_index

from everself.agent import open_runtime
from everself.models.embedding.local._cores import count_cores

FEW, MANY = 400, 5_000
CHECKS = 21
UNITS = 20_000
EMBEDDED = 2_048
PARTS = 4
_EVERYDAY = (
    *("rain", "coffee", "garden", "meeting", "Anna", "train", "budget", "letter", "doctor", "piano", "winter", "plan"),
    *("the", "and", "with", "about", "we", "a", "new", "she", "said", "to", "for", "of", "my", "at", "in", "old"),
)


@dataclass(frozen=True, slots=True)
class Kept:
    """`rate` in units per second, `check` in milliseconds, for one number of files."""

    files: int
    rate: float
    check: Times


@dataclass(frozen=True, slots=True)
class Embedded:
    """Texts per second through the index and by the model alone; one query in milliseconds."""

    rate: float
    own: float
    query: float

    @property
    def ratio(self) -> float:
        return self.rate / self.own


def measure_words(top: Path, files: int) -> Kept:
    """Build an index of words only, then check it while nothing changes."""
    store = Store(top / f"files-{files}", UNITS, Language(), files)
    store.write_files()
    with open_runtime(environ=environ_of(store.folder)) as app:
        index = open_index(app, None)
        begin = time.perf_counter()
        units = index.sync().chunks
        rate = units / (time.perf_counter() - begin)
        index.view()
        checks = []
        for _ in range(CHECKS):
            begin = time.perf_counter()
            index.view()
            checks.append(time.perf_counter() - begin)
        index.close()
    return Kept(files, rate, times_of(checks))


def measure_embedding(top: Path) -> Embedded:
    """Embed the same texts through the index and by the model alone, interleaved, so that other load on the machine affects both."""
    folder = top / "embedding"
    package, set_threads = open_package("use")
    texts = make_texts(EMBEDDED)
    package(texts[:8])
    ours: list[float] = []
    own: dict[int, list[float]] = {}
    with open_runtime(environ=environ_of(folder)) as app:
        workspace = Path(app.agent.workspace)
        (workspace / "memory").mkdir(parents=True)
        # weights are prepared once per installation; that is not measured here
        write_log(workspace, 0, [f"Before {one}" for one in texts[:8]])
        app.index.sync()
        app.index.embed()
        share = EMBEDDED // PARTS
        for part in range(PARTS):
            some = texts[part * share : (part + 1) * share]
            for threads in sorted({1, count_cores()}):
                set_threads(threads)
                own.setdefault(threads, []).append(rate_of(package, some))
            set_threads(1)
            write_log(workspace, part + 1, some)
            app.index.sync()
            begin = time.perf_counter()
            report = app.index.embed()
            ours.append(report.done / (time.perf_counter() - begin))
        spent = []
        for text in texts[:30]:
            begin = time.perf_counter()
            app.index.query_vector(f"{text}?")
            spent.append(time.perf_counter() - begin)
    best = max(statistics.median(rates) for rates in own.values())
    return Embedded(statistics.median(ours), best, statistics.median(spent) * 1000)


def write_log(workspace: Path, number: int, texts: list[str]) -> None:
    (workspace / name_of(number)).write_text("".join(f"- {text}\n" for text in texts), "utf-8")


def make_texts(count: int) -> list[str]:
    """Sentences of real words: a model splits unknown words into many pieces."""
    chance = Random(5)
    return [f"On day {at} " + " ".join(chance.choices(_EVERYDAY, k=18)) for at in range(count)]
