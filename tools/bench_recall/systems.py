"""What is measured, behind one protocol: the product's own search in a workspace of its own. Knows no baseline and no measure."""

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

# what an agent usually asks for
USUAL_LIMIT = 10
# long ago, so that no file is so fresh that every search has to look at it again
_WRITTEN = 1_600_000_000


class Unmeasurable(Exception):
    """Figures would not mean what they say."""


class System(Protocol):
    """One way to search a store."""

    @property
    def name(self) -> str: ...

    def rank(self, question: Question, limit: int) -> Sequence[Hit]:
        """The best hits, best first."""

    def read(self, question: Question, budget: int) -> str:
        """What a model is handed that has room for so many tokens."""

    def strength(self, hit: Hit) -> float:
        """How much a hit says, on a scale where means make sense."""


class Product:
    """Everself as it is: every search goes through `app.recall`.

    `seconds` is how long the searches for ten hits took, one by one, and `searching` all searches together.
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
        """What a user gets who sets nothing."""
        return self._search(RecallRequest(question.text, recorded=False)).hits

    def strength(self, hit: Hit) -> float:
        return log_odds(hit.score)

    def time_meaning(self, question: Question) -> None:
        """How long the vector of a question takes, which is part of every search."""
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
    """A temporary home with an agent for every store. No key and no setting of this machine is seen in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environ = {"HOME": str(folder), "EVERSELF_HOME": str(folder / "everself")}

    def found(self, stores: Sequence[Store]) -> None:
        """Write the settings, once for all."""
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
        """The agent of a store: seeded, its documents written, every unit with its vector, and with one of the better model if wanted."""
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
        """The agent of a store that was opened before, as a program finds it that was just started."""
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
