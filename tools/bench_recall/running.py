"""Asks every system every question, store by store, each in its own workspace, and collects the results."""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

from tools.bench_recall.baselines import make_baselines
from tools.bench_recall.finding import Finder
from tools.bench_recall.measures import Figures
from tools.bench_recall.sets import Dataset, Question, Store
from tools.bench_recall.systems import House, Product, System, Unmeasurable

from everself.errors import EverselfError
from everself.search._weights import Model, read_model, read_second
from everself.testing.embedder import forbid_model_calls

_SHOWN_EVERY = 25
# enough for a median, and cheap
_TIMED = 100


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's figures for a question."""

    dataset: str
    system: str
    question: Question
    figures: Figures


@dataclass(frozen=True, slots=True)
class UsualAnswer:
    """The answer with default settings: the share of evidence in it, and for each hit its score and whether it is evidence."""

    dataset: str
    share: float
    scores: tuple[float, ...]
    right: tuple[bool, ...]
    weak: int


@dataclass(frozen=True, slots=True)
class Task:
    """One store to measure, in a home that already exists; `alone`: nothing else is measured at the same time.

    `ranker`: a file of weights, learnt without this set, that replaces the product's own. `better`: also compute a
    vector of the better model for every unit.
    """

    folder: str
    dataset: Dataset
    store: Store
    alone: bool
    ranker: str = ""
    better: bool = False

    @property
    def size(self) -> int:
        """A measure of the work: every budget adds a search to a question."""
        return len(self.store.questions) * (1 + len(self.dataset.budgets))


@dataclass(slots=True)
class Outcome:
    """All results. Times in seconds: searches for ten hits, the vector of a question, all work of the product, and its searches alone."""

    answers: list[Answer] = field(default_factory=list)
    usual: list[UsualAnswer] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)
    meanings: list[float] = field(default_factory=list)
    asking: float = 0.0
    searching: float = 0.0
    model: str = ""


def run(datasets: Sequence[Dataset], jobs: int = 1, rankers: Path | None = None, *, better: bool = False) -> Outcome:
    """Measure all stores, `jobs` at a time. The figures do not depend on the number; for times use one.

    `rankers`: a folder with the weights learnt without each set (`python -m tools.train_recall --left-out`).
    """
    with tempfile.TemporaryDirectory(prefix="everself-bench-") as folder:
        House(Path(folder)).found([store for dataset in datasets for store in dataset.stores])
        tasks = [
            Task(folder, dataset, store, jobs == 1, _ranker(rankers, dataset), better)
            for dataset in datasets
            for store in dataset.stores
        ]
        if jobs == 1:
            return joined([measure(task) for task in tasks])
        # the longest first, so that none runs alone at the end
        order = sorted(range(len(tasks)), key=lambda at: -tasks[at].size)
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as workers:
            found = dict(zip(order, workers.map(measure, [tasks[at] for at in order]), strict=True))
        return joined([found[at] for at in range(len(tasks))])


def _ranker(folder: Path | None, dataset: Dataset) -> str:
    if folder is None:
        return ""
    place = folder / f"{dataset.name.partition('/')[0]}.json"
    if not place.is_file():
        raise Unmeasurable(f"{place} is missing. python -m tools.train_recall --left-out FOLDER writes it.")
    return str(place)


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    whole = Outcome()
    for one in outcomes:
        whole.answers += one.answers
        whole.usual += one.usual
        whole.searches += one.searches
        whole.meanings += one.meanings
        whole.asking += one.asking
        whole.searching += one.searching
        whole.model = one.model
    return whole


def measure(task: Task) -> Outcome:
    """Measure one store in its own workspace."""
    dataset, store = task.dataset, task.store
    say(f"{store.name}: {len(store.units)} units in {len(store.documents)} files, embedding …")
    try:
        house = House(Path(task.folder))
        with forbid_model_calls(), ranking_by(task.ranker), house.open(store, better=task.better) as app:
            if app.index_embedder is None:
                raise Unmeasurable("No embedder is configured.")
            product = Product(app)
            systems: list[System] = [product, *make_baselines(store, dataset.script, app.index_embedder)]
            outcome = _ask_all(task, product, systems)
            outcome.model = app.index.model
            return outcome
    except EverselfError as error:
        # the product's exceptions cannot be pickled between processes; their message can
        raise Unmeasurable(f"{store.name}: {error}") from error


@contextmanager
def ranking_by(ranker: str) -> Iterator[None]:
    """Use other weights than the product's own."""
    if not ranker:
        yield
        return

    def other(*, meaning: bool) -> Model:
        return read_model(Path(ranker).read_text(encoding="utf-8"), meaning=meaning)

    def second() -> Model:
        return read_second(Path(ranker).read_text(encoding="utf-8"))

    with patch("everself.search.ranking.load_model", other), patch("everself.search.ranking.load_second", second):
        yield


def _usual(finder: Finder, product: Product, dataset: str, question: Question) -> UsualAnswer:
    hits = product.usual(question)
    share, right = finder.given(hits, finder.wanted(question))
    return UsualAnswer(
        dataset, share, tuple(hit.score for hit in hits), tuple(right), sum(1 for hit in hits if hit.weak)
    )


def _ask_all(task: Task, product: Product, systems: Sequence[System]) -> Outcome:
    outcome = Outcome()
    name, questions = task.store.name, task.store.questions
    finder = Finder(task.dataset, task.store)
    for number, question in enumerate(questions, 1):
        for system in systems:
            begin = time.perf_counter()
            outcome.answers.append(Answer(task.dataset.name, system.name, question, finder.ask(system, question)))
            if system is product:
                outcome.usual.append(_usual(finder, product, task.dataset.name, question))
                outcome.asking += time.perf_counter() - begin
        if number <= _TIMED:
            product.time_meaning(question)
        if number % _SHOWN_EVERY == 0 or number == len(questions):
            say(f"{name}: {number} of {len(questions)} questions", passing=number < len(questions), alone=task.alone)
    outcome.searches, outcome.meanings = product.seconds, product.meaning_seconds
    outcome.searching = product.searching
    return outcome


def say(words: str, *, passing: bool = False, alone: bool = False) -> None:
    """Print progress. `passing` lines overwrite each other on a terminal without other output, and are not printed elsewhere."""
    if alone and sys.stderr.isatty():
        print(f"\r\x1b[K{words}", end="" if passing else "\n", file=sys.stderr, flush=True)
    elif not passing:
        print(words, file=sys.stderr, flush=True)
