"""Collects the features of every candidate of every question with the product's own index and code."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
from tools.bench_recall.sets import Dataset, Question, Store
from tools.bench_recall.systems import House

from everself.runtime import Runtime
from everself.search._features import MEANING, TRUSTED, WORDS, QueryFacts, measure
from everself.search.matching import choose, match
from everself.search.ranking import COMPARED, RUN, read_wording, run_share
from everself.search.snippets import DocumentCache, SnippetSource
from everself.text.dates import asks_when, read_dates
from everself.text.search import read_query

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from everself.search.index_file.view import Snapshot

    Floats = NDArray[numpy.float32]
    Numbers = NDArray[numpy.int64]

NAMES = (*WORDS, *MEANING, RUN)
_EPOCH = date(1970, 1, 1)
_TRUST_COLUMNS = [NAMES.index(name) for name in (*TRUSTED, RUN)]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: the features of each candidate, and its unit, -1 for none. `trust`: how far its words count beside meaning; in `rows`
    they count fully, see `beside_meaning`. `alone`: the features by which a hit is judged by itself, if not `rows`.

    `second`: the cosines of the better model, None without its vectors; `groups`: the sections of documents.
    """

    dataset: str
    store: str
    question: Question
    rows: "Floats"
    units: "Numbers"
    wanted: frozenset[int]
    groups: "Numbers"
    told: float
    trust: "Floats"
    second: "Floats | None" = None
    alone: "Floats | None" = None

    @property
    def pieces(self) -> "Numbers":
        """The unit of evidence to which each row belongs, -1 for none."""
        return numpy.where(numpy.isin(self.units, list(self.wanted)), self.units, -1)


def beside_meaning(one: Asked) -> Asked:
    """The features as search orders by them where there are vectors."""
    rows = one.rows.copy()
    rows[:, _TRUST_COLUMNS] *= one.trust[:, None]
    return replace(one, rows=rows, alone=one.rows)


def collect(dataset: Dataset, folder: Path, today: date, *, better: bool = False) -> list[Asked]:
    """Collect all questions of a dataset. `better` first computes the better model's vectors; existing ones are used anyway."""
    house = House(folder)
    found: list[Asked] = []
    for store in dataset.stores:
        with house.open(store) as app:
            if better:
                app.index.embed_second()
            found += app.index.ask(partial(_asked, app=app, dataset=dataset.name, store=store, today=today))
    return found


def _asked(view: "Snapshot", app: Runtime, dataset: str, store: Store, today: date) -> list[Asked]:
    served = SnippetSource(view, DocumentCache(app.index).read)
    same = _same(store)
    lines = _lines(store, same)
    if app.index_embedder is None:
        raise ValueError("No embedder is configured.")
    vectors = app.index_embedder.embed([question.text for question in store.questions], purpose="query")
    by_second = _second_vectors(view, app, store)
    found = []
    for at, (question, vector) in enumerate(zip(store.questions, vectors, strict=True)):
        matched = match(view, read_query(question.text))
        chunks = choose(view, matched, view.nearest(vector, 200))
        measured = measure(view, matched, chunks, _facts(question.text, today), vector)
        assert measured.meaning is not None
        table = numpy.hstack([measured.words, measured.meaning])
        rows = numpy.hstack([table, _runs(served, question.text, chunks, table)])
        wanted = frozenset(same[number] for number in question.evidence)
        units = _units(served, lines, chunks.tolist(), wanted)
        groups = view.columns["group"][chunks].astype(numpy.int64)
        second = None if by_second is None else view.second_cosines(by_second[at], chunks)
        found.append(
            Asked(dataset, store.name, question, rows, units, wanted, groups, measured.told, measured.trust, second)
        )
    return found


def _runs(served: SnippetSource, question: str, chunks: "NDArray[numpy.int32]", rows: "Floats") -> "Floats":
    """The word-by-word comparison of the best candidates only, as in a search, but of twice as many, because the
    weights are not known yet.
    """
    plain = rows[:, [NAMES.index(name) for name in ("around", "first", "nearest", "best")]].sum(axis=1)
    best = numpy.sort(numpy.argsort(-plain, kind="stable")[: 2 * COMPARED])
    wording = read_wording(question)
    found = numpy.zeros((len(chunks), 1), numpy.float32)
    found[best, 0] = [run_share(wording, text) for text in served.texts(chunks[best].tolist())]
    return found


def _second_vectors(view: "Snapshot", app: Runtime, store: Store) -> "Floats | None":
    if app.second_embedder is None or not view.second_embedded:
        return None
    return app.second_embedder.embed([question.text for question in store.questions], purpose="query")


def _facts(text: str, today: date) -> QueryFacts:
    spans = tuple(((span.first - _EPOCH).days, (span.last - _EPOCH).days) for span in read_dates(text, today))
    return QueryFacts(asks_when(text), spans)


def _same(store: Store) -> list[int]:
    """The first unit with the same text: equal texts in two places are one piece of evidence."""
    first: dict[str, int] = {}
    return [first.setdefault(unit.body, at) for at, unit in enumerate(store.units)]


def _lines(store: Store, same: Sequence[int]) -> dict[tuple[str, int], int]:
    """The unit at each line of a document."""
    return {
        (unit.path, line): same[at]
        for at, unit in enumerate(store.units)
        for line in range(unit.first_line, unit.last_line + 1)
    }


def _units(
    served: SnippetSource, lines: dict[tuple[str, int], int], chunks: Sequence[int], wanted: frozenset[int]
) -> "Numbers":
    """The unit to which each chunk belongs; if there are several, preferably one that is evidence."""
    found = []
    for chunk in served.chunks(chunks):
        path = served.path(chunk.document)
        held = [lines[path, line] for line in range(chunk.first_line, chunk.last_line + 1) if (path, line) in lines]
        found.append(next((unit for unit in held if unit in wanted), held[0] if held else -1))
    return numpy.array(found, numpy.int64)
