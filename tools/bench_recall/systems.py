"""The measured systems behind one protocol, and the product's own search in its own workspace. Independent of baselines and measures."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tools.bench_recall.measures import log_odds
from tools.bench_recall.sets import Question, Store

from everself.agent import open_runtime
from everself.operations.setup import set_up
from everself.runtime import Runtime
from everself.search.recall import RecallRequest, SearchResult
from everself.text.tokens import count
from everself.values import Hit

# number of hits that an agent usually requests
USUAL_LIMIT = 10
# an old timestamp, so that no file is so new that every search must read it again
_WRITTEN = 1_600_000_000


class Unmeasurable(Exception):
    """The figures would be misleading."""


class System(Protocol):
    """One way to search a store."""

    @property
    def name(self) -> str: ...

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        """The best hits, best first."""

    def read(self, question: Question, budget: int) -> str:
        """The text handed to a model within a token budget."""

    def strength(self, hit: Hit) -> float:
        """The strength of a hit on a scale on which means are meaningful."""


class Product:
    """Everself as shipped: every search uses `app.recall`.

    `seconds`: durations of the single searches for ten hits; `searching`: the total of all searches.
    """

    name = "everself"

    def __init__(self, app: Runtime) -> None:
        self._app = app
        self.seconds: list[float] = []
        self.searching = 0.0
        self.meaning_seconds: list[float] = []

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        before = self.searching
        found = self._search(RecallRequest(question.text, limit=limit, min_score=0.0, recorded=False))
        if limit == USUAL_LIMIT:
            self.seconds.append(self.searching - before)
        return found.hits

    def read(self, question: Question, budget: int) -> str:
        text = self._search(RecallRequest(question.text, budget=budget, min_score=0.0, recorded=False)).text
        cost = count(text)
        if cost > budget:
            raise Unmeasurable(f'"{question.text}" was answered with {cost} tokens where {budget} were allowed.')
        return text

    def usual(self, question: Question) -> Sequence[Hit]:
        """The hits with default settings."""
        return self._search(RecallRequest(question.text, recorded=False)).hits

    def strength(self, hit: Hit) -> float:
        return log_odds(hit.score)

    def time_meaning(self, question: Question) -> None:
        """Time the computation of a question's vector, which is part of every search."""
        begin = time.perf_counter()
        self._app.index.query_vector(question.text)
        self.meaning_seconds.append(time.perf_counter() - begin)

    def _search(self, request: RecallRequest) -> SearchResult:
        begin = time.perf_counter()
        found = self._app.recall.search(request)
        self.searching += time.perf_counter() - begin
        if found.provider == "keywords":
            raise Unmeasurable(f"A search went without vectors: {' '.join(found.notices)}")
        return found


class House:
    """A temporary home with one agent per store. Ignores the keys and settings of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environ = {"HOME": str(folder), "EVERSELF_HOME": str(folder / "everself")}

    def found(self, stores: Sequence[Store]) -> None:
        """Write the settings once for all stores."""
        home = self._folder / "everself"
        home.mkdir(mode=0o700)
        listed = [{"id": agent_id(store), "workspace": str(self._folder / agent_id(store))} for store in stores]
        settings = {
            "agents": {"defaults": {"userTimezone": "UTC"}, "list": listed},
            "memorySearch": {"provider": "local"},
        }
        host_file = home / "everself.json5"
        host_file.write_text(json.dumps(settings), encoding="utf-8")
        host_file.chmod(0o600)

    @contextmanager
    def open(self, store: Store, *, better: bool = False) -> Iterator[Runtime]:
        """Open the agent of a store: set up, documents written, a vector for every unit and, with `better`, one of the better model."""
        with open_runtime(agent_id(store), environ=self._environ) as app:
            report = set_up(app)
            write_documents(Path(report.workspace), store)
            app.index.sync()
            done = app.index.embed()
            if done.failure or done.pending:
                raise Unmeasurable(f"{done.pending} units of {store.name} got no vector. {done.failure}")
            if better:
                if app.second_embedder is None:
                    raise Unmeasurable("The better model is not installed: make quality")
                app.index.embed_second()
            yield app

    @contextmanager
    def reopen(self, store: Store) -> Iterator[Runtime]:
        """Open the agent of an existing store again, as a newly started program does."""
        with open_runtime(agent_id(store), environ=self._environ) as app:
            yield app


def agent_id(store: Store) -> str:
    return "".join(char if char.isalnum() else "-" for char in store.name.lower())


def write_documents(workspace: Path, store: Store) -> None:
    for path, content in store.documents:
        place = workspace / path
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
        place.chmod(0o600)
        os.utime(place, (_WRITTEN, _WRITTEN))
