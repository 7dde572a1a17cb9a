"""The parts of the benchmark, each run in its own process, so that memory is measured separately and nothing is warmed up by another part.

usage: python -m tools.bench_speed.parts PART FOLDER [profile]     prints the figures as JSON
"""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from tools.bench_speed import baselines, cold, figures, searching, second, upkeep
from tools.bench_speed.language import Language
from tools.bench_speed.report import Figure
from tools.bench_speed.store import Store, units_in


def _search(folder: Path) -> Iterator[Figure]:
    return figures.of_search(units_in(folder), searching.measure(folder))


def _search_in_parts(folder: Path) -> Iterator[Figure]:
    return figures.of_search(units_in(folder), searching.measure(folder, profile=True))


def _raw(folder: Path) -> Iterator[Figure]:
    units = units_in(folder)
    return figures.of_baselines(units, baselines.measure(Store(folder, units, Language())))


def _second(folder: Path) -> Iterator[Figure]:
    return figures.of_second(units_in(folder), second.measure(folder))


PARTS: dict[str, Callable[[Path], Iterator[Figure]]] = {
    "search": _search,
    "search-in-parts": _search_in_parts,
    "second": _second,
    "raw": _raw,
    "cold-keywords": lambda folder: figures.of_cold("by keywords", cold.by_keywords(folder)),
    "cold-vectors": lambda top: figures.of_cold("with vectors", cold.with_vectors(top)),
    "words-few": lambda top: figures.of_words(upkeep.measure_words(top, upkeep.FEW)),
    "words-many": lambda top: figures.of_words(upkeep.measure_words(top, upkeep.MANY)),
    "embedding": lambda top: figures.of_embedding(upkeep.measure_embedding(top)),
}


def main(part: str, folder: str) -> None:
    print(json.dumps([asdict(one) for one in PARTS[part](Path(folder))]))


if __name__ == "__main__":
    main(*sys.argv[1:3])
