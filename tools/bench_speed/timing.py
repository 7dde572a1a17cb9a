"""Timers around a search and its parts, without changes to the product."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from everself.search.index import Index

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from everself.search.index_file.view import Snapshot

T = TypeVar("T")

# the timed functions, by part of a search
PARTS = {
    "words": ("everself.search.ranking:match",),
    "choosing": ("everself.search.ranking:choose",),
    "nearest": ("everself.search.index_file.view:Snapshot.nearest",),
    "features": ("everself.search.ranking:measure",),
    "cosines": ("everself.search.index_file.view:Snapshot.cosines",),
    "chunks": ("everself.search.index_file.view:Snapshot.chunks",),
    "reading": ("everself.search.snippets:SnippetSource.data",),
    "wording": ("everself.search.ranking:run_share",),
    "visible": ("everself.search._visibility:visible_chunks",),
    "entries": ("everself.memory.catalog:Catalog.at",),
    "diversity": ("everself.search.recall:diversify", "everself.search.recall:merge_equals"),
    "tokens": ("everself.search.recall:estimate",),
    "query": ("everself.search.recall:read_query", "everself.search.recall:read_dates"),
}


class TimedIndex(Index):
    """An index that sums the time outside the search itself: checking the files and embedding."""

    beside: float = 0.0
    processor_beside: float = 0.0

    def ask(self, question: "Callable[[Snapshot], T]", *, fresh: bool = True) -> T:
        def timed(view: "Snapshot") -> T:
            self._add(1)
            try:
                return question(view)
            finally:
                self._add(-1)

        self._add(-1)
        try:
            return super().ask(timed, fresh=fresh)
        finally:
            self._add(1)

    def query_vector(self, text: str) -> "NDArray[numpy.float32] | str":
        self._add(-1)
        try:
            return super().query_vector(text)
        finally:
            self._add(1)

    def _add(self, sign: int) -> None:
        self.beside += sign * time.perf_counter()
        self.processor_beside += sign * time.process_time()


@dataclass(slots=True)
class Tally:
    seconds: float = 0.0
    calls: int = 0


@contextmanager
def parts_timed() -> Iterator[dict[str, Tally]]:
    """Measure the processor seconds of each part, without nested parts. For analysis only: the timers cost time too."""
    tallies = {name: Tally() for name in PARTS}
    within: list[float] = []
    undo = [_wrap(place, tallies[name], within) for name, places in PARTS.items() for place in places]
    try:
        yield tallies
    finally:
        for one in undo:
            one()


def _wrap(place: str, tally: Tally, within: list[float]) -> Callable[[], None]:
    module, _, name = place.partition(":")
    owner: Any = import_module(module)
    *outer, last = name.split(".")
    for part in outer:
        owner = getattr(owner, part)
    original = getattr(owner, last)

    def timed(*given: Any, **named: Any) -> Any:
        within.append(0.0)
        begin = time.thread_time()
        try:
            return original(*given, **named)
        finally:
            spent = time.thread_time() - begin
            tally.seconds += spent - within.pop()
            tally.calls += 1
            if within:
                within[-1] += spent

    setattr(owner, last, timed)
    return lambda: setattr(owner, last, original)
