"""Asks every system every question, one store and one workspace after the other, and keeps what came of it."""

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tools.bench_recall.baselines import make_baselines
from tools.bench_recall.finding import Finder
from tools.bench_recall.measures import Figures
from tools.bench_recall.sets import Dataset, Question, Store
from tools.bench_recall.systems import House, Product, Unmeasurable

from everself.testing.embedding import forbid_model_calls

if TYPE_CHECKING:
    from everself.models.embedding import Embedder

_SHOWN_EVERY = 25
# enough to know a median, and few enough to cost nothing
_TIMED = 100


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system made of a question."""

    dataset: str
    system: str
    question: Question
    figures: Figures


@dataclass(slots=True)
class Outcome:
    """Everything that was measured. Times are in seconds: of the product's searches for ten hits, of the vector of a question, of all
    that was done for the product, and of the searches in it."""

    answers: list[Answer] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)
    meanings: list[float] = field(default_factory=list)
    asking: float = 0.0
    searching: float = 0.0
    model: str = ""


def run(datasets: Sequence[Dataset]) -> Outcome:
    outcome = Outcome()
    stores = [store for dataset in datasets for store in dataset.stores]
    with tempfile.TemporaryDirectory(prefix="everself-bench-") as folder, forbid_model_calls():
        house = House(Path(folder), stores)
        for dataset in datasets:
            for store in dataset.stores:
                say(f"{store.name}: {len(store.units)} units in {len(store.documents)} files, embedding …")
                with house.open(store) as app:
                    if app.embedder is None:
                        raise Unmeasurable("No embedder is set up.")
                    outcome.model = app.index.model
                    _ask_all(dataset, store, Product(app), app.embedder, outcome)
    return outcome


def _ask_all(dataset: Dataset, store: Store, product: Product, embedder: "Embedder", outcome: Outcome) -> None:
    finder = Finder(dataset, store)
    systems = make_baselines(store, dataset.script, embedder)
    for number, question in enumerate(store.questions, 1):
        begin = time.perf_counter()
        figures = finder.ask(product, question)
        outcome.asking += time.perf_counter() - begin
        outcome.answers.append(Answer(dataset.name, product.name, question, figures))
        if number <= _TIMED:
            product.time_meaning(question)
        for system in systems:
            outcome.answers.append(Answer(dataset.name, system.name, question, finder.ask(system, question)))
        if number % _SHOWN_EVERY == 0 or number == len(store.questions):
            say(f"{store.name}: {number} of {len(store.questions)} questions", passing=number < len(store.questions))
    outcome.searches += product.seconds
    outcome.meanings += product.meaning_seconds
    outcome.searching += product.searching


def say(words: str, *, passing: bool = False) -> None:
    """Progress. What is passing is overwritten on a terminal, and not written anywhere else."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{words}", end="" if passing else "\n", file=sys.stderr, flush=True)
    elif not passing:
        print(words, file=sys.stderr, flush=True)
