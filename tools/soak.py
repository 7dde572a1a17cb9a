"""The trust rows at full size: `python -m tools.soak [--seed N] [--list] [--fresh] [--closing] [ROW…]`.

Each row is split into chunks, and each chunk runs in its own process; progress is stored in `.soak/progress.json`, so
that an interrupted soak continues with the next chunk. Handles the sizes of the rows and how to run them; their meaning
is in `docs/trust.md`.
"""

import argparse
import contextlib
import hashlib
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from everself.clock import monotonic

TOP = Path(__file__).resolve().parents[1]
PROGRESS = TOP / ".soak" / "progress.json"
# seconds per row
LIMIT = 3600.0
# seconds between two signs of life of a long row
BEAT = 20.0
# what the result of a chunk depends on
CODE = ("src/everself", "tests/trust", "tests/corpora")

# start: run(count, seed, start). seed: run(count, seed), each chunk with its own seed. names: run((name,), seed).
Shape = Literal["start", "seed", "names"]


@dataclass(frozen=True, slots=True)
class Row:
    """`full`: a number, or the name of a collection in the row's module of which all members are run."""

    module: str
    function: str
    full: int | str
    chunk: int
    shape: Shape = "seed"
    unit: str = "cases"
    options: dict[str, object] = field(default_factory=dict)


ROWS: dict[str, Row] = {
    "R1": Row("tests.trust.rows.r01", "run_r1", "NAMES", 1, "start", "operations"),
    "R2": Row("tests.trust.rows.r02", "run_r2", 10_000, 100, "start", "kills"),
    "R2-GATEWAY": Row("tests.trust.rows.r02_gateway", "run_r2_gateway", 20, 5, "seed", "kills"),
    "R2-CHAT": Row("tests.trust.rows.r02_chat", "run_r2_chat", 200, 20, "seed", "kills"),
    "R2-KEEPERS": Row("tests.trust.rows.r02_keepers", "run_r2_keepers", 1_000, 100, "seed", "kills"),
    "R3": Row("tests.trust.rows.r03", "run_r3", 100_000, 1_000, "seed", "seeds"),
    "R4": Row(
        "tests.trust.rows.r04",
        "run_r4",
        "OPERATIONS",
        1,
        "names",
        "operations",
        {"levels": 200, "every": True, "real": True},
    ),
    "R4-FULL": Row("tests.trust.rows.r04_full", "run_r4_full", 200, 20, "seed", "rounds"),
    "R5": Row("tests.trust.rows.r05", "run_r5", 1_000, 1_000, "seed", "entries of each writer"),
    "R5-MCP": Row("tests.trust.rows.r05_mcp", "run_r5_mcp", 50, 50, "seed", "writes of each client"),
    "R6": Row("tests.trust.rows.r06", "run_r6", 1_000, 50, "seed", "interleavings"),
    "R5-MEMORY": Row("tests.trust.rows.r05_memory", "run_r5_memory", 1_000, 1_000, "seed", "thoughts of each writer"),
    "R5-FORGET": Row("tests.trust.rows.r05_forget", "run_r5_forget", 200, 20, "seed", "entries of each that forgets"),
    "R6-MEMORY": Row("tests.trust.rows.r06_memory", "run_r6_memory", 1_000, 50, "seed", "interleavings"),
    "R6-BELOW": Row("tests.trust.rows.r06_below", "run_r6_below", 1_000, 50, "seed", "interleavings"),
    "R7": Row("tests.trust.rows.r07", "run_r7", 10_000, 100, "seed", "walks"),
    "R8": Row("tests.trust.rows.r08", "run_r8", 1_000_000, 20_000, "seed", "documents"),
    "R9": Row("tests.trust.rows.r09", "run_r9", 300, 30, "seed", "damages"),
    "R9-KILL": Row("tests.trust.rows.r09_kill", "run_r9_kill", 300, 30, "seed", "kills"),
    "R10": Row("tests.trust.rows.r10", "run_r10", 1_000, 50, "seed", "series"),
    "R11": Row("tests.trust.rows.r11", "run_r11", 100, 5, "seed", "lives", {"days": 365}),
    "R12": Row("tests.trust.rows.r12", "run_r12", 600, 60, "start", "zones"),
    "R12-MEMORY": Row("tests.trust.rows.r12_memory", "run_r12_memory", 600, 60, "start", "zones"),
    "R13": Row("tests.trust.rows.r13", "run_r13", 1_000, 50, "seed", "chains"),
    "R14-MCP": Row("tests.trust.rows.r14_mcp", "run_r14_mcp", 100, 20, "seed", "clients"),
    "R14": Row("tests.trust.rows.r14", "run_r14", 100, 20, "seed", "holders"),
    "R15": Row("tests.trust.rows.r15", "run_r15", 10_000, 10_000, "seed", "daily files"),
    "R16": Row("tests.trust.rows.r16", "run_r16", 200, 10, "seed", "backups"),
    "R17": Row("tests.trust.rows.r17", "run_r17", 400, 40, "seed", "damages"),
    "S1": Row("tests.trust.rows.s01", "run_s1", 700, 100, "start", "paths", {"thorough": True}),
    "S2": Row("tests.trust.rows.s02", "run_s2", 400, 40, "seed", "swaps of each operation"),
    "S3": Row("tests.trust.rows.s03", "run_s3", 3, 1, "seed", "lives"),
    "S4": Row("tests.trust.rows.s04", "run_s4", 1_000, 100, "seed", "tampers"),
    "S5": Row("tests.trust.rows.s05", "run_s5", "NAMES", 4, "names", "routes"),
    "S6": Row("tests.trust.rows.s06", "run_s6", 300, 300, "seed", "updates of each kind"),
    "S6-DOORS": Row("tests.trust.rows.s06_doors", "run_s6_doors", "NAMES", 1, "names", "doors"),
    "S6-SAID": Row("tests.trust.rows.s06_said", "run_s6_said", 400, 400, "seed", "statements"),
    "S7": Row("tests.trust.rows.s07", "run_s7", 10_000, 500, "seed", "graphs"),
    "S7-CHAINS": Row("tests.trust.rows.s07_chains", "run_s7_chains", 500, 25, "seed", "chains"),
    "S8": Row("tests.trust.rows.s08", "run_s8", 10_000, 500, "seed", "texts"),
    "S9": Row("tests.trust.rows.s09", "run_s9", 5_000, 5_000, "seed", "invisible characters"),
    "S10": Row("tests.trust.rows.s10", "run_s10", 1_500, 1_500, "seed", "texts"),
    "S11-CHAT": Row("tests.trust.rows.s11_chat", "run_s11_chat", 100, 10, "seed", "conversations"),
    "S11": Row("tests.trust.rows.s11", "run_s11", 100, 5, "seed", "lives of every kind"),
    "S12": Row("tests.trust.rows.s12", "run_s12", 500, 50, "seed", "patterns", {"judged": True}),
    "S13": Row("tests.trust.rows.s13", "run_s13", 5, 1, "seed", "visits of every route"),
    "S14": Row("tests.trust.rows.s14", "run_s14", 20_000, 1_000, "seed", "requests"),
    "S15": Row("tests.trust.rows.s15", "run_s15", 50, 5, "seed", "agents"),
    "S17": Row("tests.trust.rows.s17", "run_s17", 6, 2, "seed", "walks over every page"),
}

# rows over a corpus of which a third is used in the closing run only
HELD_OUT = frozenset({"run_s6", "run_s10"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """One call of a row, as passed to its process."""

    module: str
    function: str
    arguments: list[object]
    options: dict[str, object]
    size: int


@dataclass(slots=True)
class Progress:
    """The progress of a row. A failed chunk is not done: the next soak starts with it."""

    done: int = 0
    seconds: float = 0.0
    figures: list[str] = field(default_factory=list)
    failure: str = ""


def chunks_of(row: Row, seed: int, *, closing: bool) -> list[Chunk]:
    members = list(getattr(importlib.import_module(row.module), row.full)) if isinstance(row.full, str) else []
    full = len(members) if isinstance(row.full, str) else row.full
    options = {**row.options, **({"held_out": True} if closing and row.function in HELD_OUT else {})}
    made = []
    for number, start in enumerate(range(0, full, row.chunk)):
        size = min(row.chunk, full - start)
        arguments: list[object]
        match row.shape:
            case "start":
                arguments = [size, seed, start]
            case "names":
                arguments = [members[start : start + size], seed]
            case _:
                # the first chunk uses the given seed, so that a small and a large run begin alike
                arguments = [size, seed if number == 0 else seed * 10_000 + number]
        made.append(Chunk(row.module, row.function, arguments, options, size))
    return made


def run_chunk(told: str) -> int:
    """Executed in the chunk's process: print the figure, or the failure."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    chunk = Chunk(**json.loads(told))
    try:
        row = getattr(importlib.import_module(chunk.module), chunk.function)
        arguments = [tuple(one) if isinstance(one, list) else one for one in chunk.arguments]
        print(row(*arguments, **chunk.options), flush=True)
    except AssertionError as error:
        traceback.print_exc()
        print(f"FOUND {error}", flush=True)
        return 1
    return 0


def _end_with_parent() -> None:
    # the soak holds the other end and never writes
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)


class TooLong(Exception):
    """The row exceeded its time limit."""


class Soak:
    """Runs rows, stores progress, and reports it."""

    def __init__(
        self, seed: int, *, closing: bool = False, path: Path = PROGRESS, rows: dict[str, Row] | None = None
    ) -> None:
        self.seed = seed
        self.closing = closing
        self.rows = ROWS if rows is None else rows
        self._path = path
        self._run_key = f"{seed}{' closing' if closing else ''}"
        self._code = code_digest()
        self._kept = self._load()

    def forget(self, names: Sequence[str]) -> None:
        for name in names:
            self._kept.pop(name, None)
        self._save()

    def has_begun(self, name: str) -> bool:
        return name in self._kept and self._kept[name].done > 0

    def run(self, name: str) -> Progress:
        """Run the remaining chunks of a row."""
        progress = self._kept.setdefault(name, Progress())
        progress.failure = ""
        row = self.rows[name]
        chunks = chunks_of(row, self.seed, closing=self.closing)
        full = sum(one.size for one in chunks)
        if 0 < progress.done < len(chunks):
            print(f"{name}: goes on after {sum(one.size for one in chunks[: progress.done])} of {full} {row.unit}")
        for number in range(progress.done, len(chunks)):
            began = monotonic()
            before = progress.seconds
            beat = f"{name}: {sum(one.size for one in chunks[:number])} of {full} {row.unit}"
            try:
                figure, failure = self._run(chunks[number], LIMIT - progress.seconds, beat)
            except TooLong:
                figure, failure = "", f"stopped after {LIMIT / 60:g} minutes, {beat}"
            finally:
                progress.seconds = before + monotonic() - began
                self._save()
            if failure:
                progress.failure = failure
                # the time limit starts again when the row is retried
                progress.seconds = 0.0
                self._save()
                break
            progress.done += 1
            progress.figures.append(figure)
            self._save()
        return progress

    def _run(self, chunk: Chunk, limit: float, beat: str) -> tuple[str, str]:
        """The figure of a chunk, or its failure."""
        paths = [str(TOP), str(TOP / "src"), *(path for path in sys.path if path)]
        # a new session, so that Ctrl-C reaches only the soak, which then ends the chunk and all its processes
        process = subprocess.Popen(
            [sys.executable, "-m", "tools.soak", "--chunk", json.dumps(asdict(chunk))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=TOP,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))},
            start_new_session=True,
        )
        end = monotonic() + limit
        try:
            output, errors = _attend(process, end, beat)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
        lines = output.strip().splitlines()
        if process.returncode == 0 and lines:
            return lines[-1], ""
        found = [line for line in lines if line.startswith("FOUND ")]
        return "", output[output.index(found[0]) + len("FOUND ") :].strip() if found else (errors or "died")[
            -2000:
        ].strip()

    def _load(self) -> dict[str, Progress]:
        rows = self._runs().get(self._run_key, {})
        return {name: Progress(**one) for name, one in rows.items()}

    def _runs(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The stored progress of every seed; empty if the code was different."""
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            return dict(kept["runs"]) if kept["code"] == self._code else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def _save(self) -> None:
        self._path.parent.mkdir(exist_ok=True)
        beside = self._path.with_suffix(".new")
        runs = {**self._runs(), self._run_key: {name: asdict(one) for name, one in self._kept.items()}}
        with open(beside, "w", encoding="utf-8") as file:
            json.dump({"code": self._code, "runs": runs}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self._path)


def _attend(process: subprocess.Popen[str], end: float, beat: str) -> tuple[str, str]:
    began = monotonic()
    # communicate closes an unused stdin, and the chunk treats the end of its input as the end of the soak
    stdin, process.stdin = process.stdin, None
    try:
        while True:
            if monotonic() >= end:
                raise TooLong
            try:
                return process.communicate(timeout=min(BEAT, max(end - monotonic(), 0.1)))
            except subprocess.TimeoutExpired:
                print(f"{beat}, {monotonic() - began:.0f} s into the next chunk", file=sys.stderr)
    finally:
        process.stdin = stdin


def code_digest() -> str:
    """A hash of the code: results for other code do not count."""
    found = hashlib.sha256()
    for folder in CODE:
        for path in sorted((TOP / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(str(path.relative_to(TOP)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def merge_figures(figures: Sequence[str], seed: int) -> str:
    """One line for all chunks: numbers are summed, of maxima and rates the largest is taken, and the seed is the given one."""
    clauses = [re.split(r"(, |; |: )", figure) for figure in figures]
    if len({len(one) for one in clauses}) != 1:
        return figures[-1] if figures else ""
    return "".join(_merge_clause(same, seed) for same in zip(*clauses, strict=True))


def _merge_clause(same: Sequence[str], seed: int) -> str:
    first = same[0]
    if re.fullmatch(r"seed \d+", first):
        return f"seed {seed}"
    numbers = [[float(one) for one in _NUMBER.findall(text)] for text in same]
    if len({len(one) for one in numbers}) != 1 or len(same) == 1:
        return first
    largest = re.search(r"longest|/s\b|%|kinds|entrances|places", first) is not None
    # of "200 walks × 50 steps" only the number of walks is summed
    added = 0 if largest else 1 if "×" in first else len(numbers[0])
    columns = zip(*numbers, strict=True)
    merged = iter([sum(column) if at < added else max(column) for at, column in enumerate(columns)])
    return _NUMBER.sub(lambda found: _shown(next(merged), found.group()), first)


# excludes the number in the name of a row
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")


def _shown(value: float, pattern: str) -> str:
    return f"{value:.{len(pattern.partition('.')[2])}f}"


def table(soak: Soak, names: Sequence[str], results: dict[str, Progress]) -> Iterator[str]:
    for name in names:
        found = results.get(name)
        if found is None:
            yield f"{name:4} {'stopped, goes on next time' if soak.has_begun(name) else 'not run'}"
            continue
        words = "FAIL" if found.failure else "pass"
        shown = found.failure.splitlines()[0][:160] if found.failure else merge_figures(found.figures, soak.seed)
        yield f"{name:4} {words}  {found.seconds / 60:5.1f} min  {shown}"


def listing() -> Iterator[str]:
    for name, row in ROWS.items():
        full = row.full if isinstance(row.full, int) else "all"
        yield f"{name:4} {full} {row.unit}, {row.chunk} a chunk ({row.module})"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.soak", description="Run the trust rows at full size.")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="such as R3 or S1; all when none is named")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="say which rows there are and how large")
    parser.add_argument("--fresh", action="store_true", help="begin anew, whatever was done before")
    parser.add_argument(
        "--closing", action="store_true", help="judge the third of the corpora that is held out as well"
    )
    parser.add_argument("--chunk", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.chunk:
        return run_chunk(given.chunk)
    if given.list:
        print("\n".join(listing()))
        return 0
    names = [name.upper() for name in given.rows] or list(ROWS)
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        parser.error(f"there is no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    soak = Soak(given.seed, closing=given.closing)
    if given.fresh:
        soak.forget(names)
    return work(soak, names)


def work(soak: Soak, names: Sequence[str]) -> int:
    """Run the rows one after another. Returns 1 if one failed, 130 if interrupted."""
    results: dict[str, Progress] = {}
    stopped = False
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        for name in names:
            results[name] = soak.run(name)
            print(results[name].failure or merge_figures(results[name].figures, soak.seed), flush=True)
    except KeyboardInterrupt:
        stopped = True
        print("Stopped. What is done is kept: the same command goes on from there.")
    finally:
        signal.signal(signal.SIGTERM, before)
    print("\n".join(table(soak, names, results)))
    if stopped:
        return 130
    return int(any(one.failure for one in results.values()))


if __name__ == "__main__":
    sys.exit(main())
