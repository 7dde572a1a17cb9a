"""make bench-peers: the share of evidence that Everself and its peers find on the same questions, the size of their answers, and the time.

usage: python -m tools.bench_peers --data DIR [--sets locomo,beam] [--questions N]
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tools.bench_peers.peers import PEERS
from tools.bench_recall.finding import Finder
from tools.bench_recall.measures import Figures
from tools.bench_recall.running import say
from tools.bench_recall.sets import READERS, BadData, Dataset, Question, Store, load_sets, thin_out
from tools.bench_recall.systems import USUAL_LIMIT, House, Product, System, Unmeasurable

from everself.errors import EverselfError
from everself.testing.embedder import forbid_model_calls


class Reopened(System, Protocol):
    """A system that can be opened again, as in a newly started program."""

    def reopen(self) -> None: ...


@dataclass(slots=True)
class Measured:
    """The results of one system on one set. Times in seconds; `characters`: the length of ten hits together."""

    figures: list[Figures] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    cold: list[float] = field(default_factory=list)

    def mean(self, metric: str) -> float:
        return statistics.fmean(one[metric] for one in self.figures)


# printed in this order, if a set has them
METRICS = ("any@1", "hit@1", "recall@10", "found@500", "found@1500", "found@3000")


def main(arguments: list[str]) -> int:
    chosen = _parse(arguments)
    try:
        datasets = [thin_out(one, chosen.questions) for one in load_sets(Path(chosen.data), chosen.sets)]
        with tempfile.TemporaryDirectory(prefix="everself-peers-") as folder, forbid_model_calls():
            House(Path(folder)).found([store for one in datasets for store in one.stores])
            for dataset in datasets:
                measured = measure_set(dataset, Path(folder))
                for line in render(dataset, measured):
                    print(line, flush=True)
    except (BadData, Unmeasurable, EverselfError) as error:
        print(f"bench-peers: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(f"bench-peers: {error.name} is not installed. make bench-peers DATA=FOLDER installs it.", file=sys.stderr)
        return 2
    return 0


def measure_set(dataset: Dataset, folder: Path) -> dict[str, Measured]:
    found: dict[str, Measured] = {}
    for number, store in enumerate(dataset.stores, 1):
        say(f"{store.name}: store {number} of {len(dataset.stores)}, {len(store.questions)} questions")
        measure_store(dataset, store, folder, found)
    return found


def measure_store(dataset: Dataset, store: Store, folder: Path, found: dict[str, Measured]) -> None:
    house, finder = House(folder), Finder(dataset, store)
    with house.open(store) as app:
        if app.embedder is None:
            raise Unmeasurable("No embedder is configured.")
        ask(finder, Product(app), store.questions, found)
        with tempfile.TemporaryDirectory(prefix="peers-", dir=folder) as place:
            for at, make in enumerate(PEERS):
                own = Path(place) / str(at)
                own.mkdir()
                peer = make(store, own, app.embedder)
                _open_cold(peer, store.questions[0], found)
                ask(finder, peer, store.questions, found)
    begin = time.perf_counter()
    with house.reopen(store) as app:
        Product(app).rank(store.questions[0], USUAL_LIMIT)
    found[Product.name].cold.append(time.perf_counter() - begin)


def _open_cold(peer: Reopened, question: Question, found: dict[str, Measured]) -> None:
    begin = time.perf_counter()
    peer.reopen()
    peer.rank(question, USUAL_LIMIT)
    found.setdefault(peer.name, Measured()).cold.append(time.perf_counter() - begin)


def ask(finder: Finder, system: System, questions: Sequence[Question], found: dict[str, Measured]) -> None:
    held = found.setdefault(system.name, Measured())
    for question in questions:
        begin = time.perf_counter()
        hits = system.rank(question, USUAL_LIMIT)
        held.warm.append(time.perf_counter() - begin)
        held.characters.append(sum(len(hit.text) for hit in hits))
        held.figures.append(finder.ask(system, question))


def render(dataset: Dataset, found: dict[str, Measured]) -> Iterator[str]:
    yield f"── {dataset.name}: {dataset.asked} questions in {len(dataset.stores)} workspace(s)"
    shown = [name for name in METRICS if name in next(iter(found.values())).figures[0]]
    yield f"   {'':16}" + "".join(f"{name:>12}" for name in (*shown, "characters", "warm p50 ms", "cold ms"))
    for name, one in found.items():
        figures = "".join(f"{one.mean(metric):>12.3f}" for metric in shown)
        warm, cold = (1000 * statistics.median(values) for values in (one.warm, one.cold))
        yield f"   {name:16}{figures}{statistics.fmean(one.characters):>12.0f}{warm:>12.1f}{cold:>12.0f}"


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench_peers", description="Measure Everself beside others.")
    parser.add_argument("--data", required=True, metavar="DIR", help="the folder with the sets, see docs/benchmarks.md")
    parser.add_argument("--sets", type=lambda told: tuple(told.split(",")), default=tuple(READERS))
    parser.add_argument("--questions", type=int, default=200, metavar="N", help="at most so many of each set")
    chosen = parser.parse_args(arguments)
    if chosen.questions < 1 or not set(chosen.sets) <= set(READERS):
        parser.error(f"--questions begins with 1, --sets are of {','.join(READERS)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
