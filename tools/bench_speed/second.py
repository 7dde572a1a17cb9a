"""Search with the second stage of the better model: time and memory with both models loaded.

The vectors of texts are generated; those of questions come from the models, because their time and memory are part of
the measurement.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy
from tools.bench_speed.directions import Floats
from tools.bench_speed.searching import Times, rss, times_of
from tools.bench_speed.store import environ_of, load_questions, open_index

from everself.agent import open_runtime
from everself.models.embedding.protocol import Embedder, Purpose
from everself.search.index import Index, IndexOptions
from everself.search.recall import RecallRequest
from everself.search.sync.embedding import Bounds

ASKED = 100
# texts per batch while the store gets its generated vectors
BATCH = 4_096
VARIANTS = 64


class MadeUpTexts:
    """The better model for questions, generated vectors for texts."""

    provider = "made-up"
    paid = False

    def __init__(self, own: Embedder) -> None:
        self._own = own
        self.model = f"texts/1 {own.model}"
        self.dimensions = own.embed(["a question"], purpose="query").shape[1]
        rows = numpy.random.default_rng(11).standard_normal((VARIANTS, self.dimensions)).astype(numpy.float32)
        self._rows: Floats = rows / numpy.linalg.norm(rows, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> Floats:
        if purpose == "query":
            return self._own.embed(texts, purpose=purpose)
        return self._rows[[crc32(text.encode()) % VARIANTS for text in texts]]


class FilledIndex(Index):
    def fill_second(self) -> None:
        self._embed_second(Bounds(None, self._is_stopped, None, BATCH))


@dataclass(frozen=True, slots=True)
class Again:
    """Elapsed and processor times of searches; `question`: the better model's vector of a question, which is part of a
    search. Memory in megabytes.
    """

    search: Times
    processor: Times
    question: Times
    rss: float


def measure(folder: Path) -> Again | None:
    """Measure the second stage; None if the better model is not installed."""
    questions, stub = load_questions(folder)
    with open_runtime(environ=environ_of(folder)) as app:
        if app.second_embedder is None or app.embedder is None:
            return None
        app.embedder.embed(["both models are in memory"], purpose="query")
        second = MadeUpTexts(app.second_embedder)
        index = open_index(app, stub, FilledIndex, IndexOptions(second=second))
        assert isinstance(index, FilledIndex)
        index.fill_second()
        vars(app)["index"] = index
        spent, processor, alone = [], [], []
        for at, question in enumerate(questions[-2 * ASKED :]):
            begin, cpu = time.perf_counter(), time.process_time()
            app.recall.search(RecallRequest(question, recorded=False, fresh=at == 0))
            spent.append(time.perf_counter() - begin)
            processor.append(time.process_time() - cpu)
            cpu = time.process_time()
            index.second_query_vector(question, index.view(fresh=False))
            alone.append(time.process_time() - cpu)
        return Again(times_of(spent[ASKED:]), times_of(processor[ASKED:]), times_of(alone[ASKED:]), rss())
