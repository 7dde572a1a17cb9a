"""make bench-speed: search speed with a thousand to a million memories, compared with raw numpy and raw FTS5 on the same data.

usage: python -m tools.bench_speed [--sizes 1000,10000] [--json FILE] [--only search,second,raw,upkeep,cold] [--profile] [--keep DIR]

Texts and vectors are generated, so that a million are ready in minutes. One thread; use an idle machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.bench_speed.report import Figure, as_json, growth, line, verdicts

SIZES = (1_000, 10_000, 100_000, 1_000_000)
MEASURED = ("search", "second", "raw", "upkeep", "cold")
# numpy's libraries read these variables when they are loaded
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# larger stores would take minutes to get vectors of a second model
SECOND_UP_TO = 100_000
# store size for the keyword search by command
COLD_AT = 100_000
GROWING = ("search p50", "search by keywords p50", "numpy float32 scan p50", "FTS5 p50", "index.db", "memory")


def main(arguments: list[str]) -> int:
    chosen = _parse(arguments)
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        again = [sys.executable, "-m", "tools.bench_speed", *arguments]
        return subprocess.run(again, env={**os.environ, **ONE_THREAD}, check=False).returncode
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="bench-speed-") as folder:
        # a part that measures building must start from nothing, so its folder is never kept
        for told in _measure(chosen, Path(chosen.keep or folder), Path(folder)):
            if isinstance(told, Figure):
                figures.append(told)
            print(f"   {line(told)}" if isinstance(told, Figure) else f"── {told}", flush=True)
    for title, lines in (("growth", growth(figures, GROWING)), ("promised", verdicts(figures))):
        print("\n   ".join([f"── {title}", *lines]))
    if chosen.json:
        Path(chosen.json).write_text(json.dumps(as_json(figures), ensure_ascii=False, indent=1) + "\n", "utf-8")
    return 0


def _measure(chosen: argparse.Namespace, stores: Path, top: Path) -> Iterator[Figure | str]:
    # importing these loads numpy, so the number of threads must be set before
    from tools.bench_speed import figures
    from tools.bench_speed.language import Language
    from tools.bench_speed.store import make_store

    language = Language()
    for size in chosen.sizes:
        yield f"{size:,} units"
        store, filled = make_store(stores, size, language)
        yield from figures.of_filling(filled)
        if "search" in chosen.only:
            yield from _apart("search-in-parts" if chosen.profile else "search", store.folder)
        if "second" in chosen.only and size <= SECOND_UP_TO:
            yield from _apart("second", store.folder)
        if "raw" in chosen.only:
            yield from _apart("raw", store.folder)
        if "cold" in chosen.only and size == COLD_AT:
            yield from _apart("cold-keywords", store.folder)
    yield "whatever the size"
    if "cold" in chosen.only:
        yield from _apart("cold-vectors", top)
    if "upkeep" in chosen.only:
        yield from _apart("words-few", top)
        yield from _apart("words-many", top)
        yield from _apart("embedding", top)


def _apart(part: str, folder: Path) -> Iterator[Figure]:
    environ = dict(os.environ)
    if part == "embedding":
        # this part may use all cores, on both sides
        for name in ONE_THREAD:
            environ.pop(name, None)
    command = [sys.executable, "-m", "tools.bench_speed.parts", part, str(folder)]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True)
    return (Figure(**one) for one in json.loads(done.stdout))


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench_speed", description="Measure the speed of search.")
    parser.add_argument("--sizes", type=_sizes, default=SIZES, metavar="N,N", help="numbers of units")
    parser.add_argument("--json", default="", metavar="FILE", help="where all figures are written")
    parser.add_argument("--only", type=_names, default=MEASURED, help=f"of {','.join(MEASURED)}; all by default")
    parser.add_argument("--profile", action="store_true", help="tell the parts of a search as well")
    parser.add_argument("--keep", default="", metavar="DIR", help="where made-up stores are kept for another run")
    return parser.parse_args(arguments)


def _sizes(told: str) -> tuple[int, ...]:
    sizes = tuple(int(part) for part in told.replace("_", "").split(",") if part.strip())
    if not sizes or min(sizes) < 100:
        raise argparse.ArgumentTypeError("numbers from 100 on, with commas between them")
    return sizes


def _names(told: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in told.split(",") if part.strip())
    if not names or not set(names) <= set(MEASURED):
        raise argparse.ArgumentTypeError(f"there are {', '.join(MEASURED)}")
    return names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
