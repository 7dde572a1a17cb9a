"""Turns measurements into named figures. Does not measure."""

from collections.abc import Iterator

from tools.bench_speed.baselines import Raw
from tools.bench_speed.cold import Cold
from tools.bench_speed.report import Figure
from tools.bench_speed.searching import Searched, Times
from tools.bench_speed.second import Again
from tools.bench_speed.store import Filled
from tools.bench_speed.upkeep import Embedded, Kept


def of_filling(filled: Filled) -> Iterator[Figure]:
    yield Figure("files", filled.units, filled.files, "")
    yield Figure("filling with words and vectors", filled.units, filled.units / filled.filling, "units/s")


def of_search(size: int, found: Searched) -> Iterator[Figure]:
    yield from _times("search", size, found.search)
    yield Figure("search p50, processor time", size, found.processor, "ms")
    yield from _times("search, asked before", size, found.again)
    yield from _times("search, recorded", size, found.recorded)
    yield from _times("search by keywords", size, found.keywords)
    yield Figure("first search of a process", size, found.first, "ms")
    yield Figure("freshness beside it", size, found.freshness.p50, "ms")
    yield Figure("hits a search", size, found.hits, "")
    yield Figure("memory", size, found.rss, "MB")
    yield Figure("index.db", size, found.size, "MB")
    for name, spent in found.parts.items():
        yield Figure(f"part: {name}", size, spent, "ms")


def of_second(size: int, found: Again | None) -> Iterator[Figure]:
    if found is None:
        return
    yield from _times("search with the better model", size, found.search)
    yield Figure("search with the better model p50, processor time", size, found.processor.p50, "ms")
    yield Figure("… of which its vector of the question", size, found.question.p50, "ms")
    yield Figure("memory with both models", size, found.rss, "MB")


def of_baselines(size: int, raw: Raw) -> Iterator[Figure]:
    if raw.scan is not None and raw.codes is not None:
        yield from _times("numpy float32 scan", size, raw.scan)
        yield from _times("numpy 1-bit scan and re-score", size, raw.codes)
        yield Figure("of the ten nearest, 1-bit scan finds", size, raw.codes_recall, "")
    yield from _times("FTS5", size, raw.full_text)
    yield Figure("FTS5 building", size, size / raw.full_text_building, "units/s")


def of_words(kept: Kept) -> Iterator[Figure]:
    yield Figure(f"index rate by words, {kept.files} files", 0, kept.rate, "units/s")
    yield Figure(f"freshness of {kept.files} files", 0, kept.check.p50, "ms")


def of_embedding(found: Embedded) -> Iterator[Figure]:
    yield Figure("index rate with the bundled model", 0, found.rate, "texts/s")
    yield Figure("the model alone", 0, found.own, "texts/s")
    yield Figure("index rate of the model's own", 0, found.ratio, "×")
    yield Figure("the model's time for one query", 0, found.query, "ms")


def of_cold(name: str, found: Cold) -> Iterator[Figure]:
    yield Figure(f"cold command {name}", 0, found.seconds, "s")
    yield Figure(f"cold command {name}, processor time", 0, found.processor, "s")
    yield Figure(f"python with numpy, beside it ({name})", 0, found.python, "s")


def _times(name: str, size: int, times: Times) -> Iterator[Figure]:
    yield Figure(f"{name} p50", size, times.p50, "ms")
    yield Figure(f"{name} p95", size, times.p95, "ms")
