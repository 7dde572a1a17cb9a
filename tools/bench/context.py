"""How long building a prompt takes with 100,000 indexed chunks: turns of a session with and without recall, and the first one.

Runs in its own process with one thread, warm. Texts and vectors are generated; everything else is the product's.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from importlib import resources
from pathlib import Path

from everself.conversation.context.request import PromptRequest

UNITS = 100_000
TURNS = 150
# unmeasured turns first, each with a new question: they bring the process into the state of a long session
WARM = 200
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
FILES = ("SOUL.md", "AGENTS.md", "TOOLS.md", "IDENTITY.md", "USER.md", "MEMORY.md", "CORRECTIONS.md")


def run() -> Iterator[str]:
    told = subprocess.run(
        [sys.executable, "-m", "tools.bench.context"],
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    yield from told.stdout.splitlines()


def furnish(workspace: Path) -> None:
    """Write the files of a new agent, a memory that exceeds its slot, and two days of logs."""
    templates = resources.files("everself.workspace").joinpath("templates")
    for name in FILES:
        (workspace / name).write_text(templates.joinpath(name).read_text("utf-8"), "utf-8")
    with (workspace / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.writelines(f"\n- Jar number {at} of the honey went to the neighbour at the corner." for at in range(300))
    from everself.clock import Clock, host_zone

    clock = Clock(host_zone())
    for day in (clock.today(), clock.today() - timedelta(days=1)):
        entries = "".join(f"\n## [09:{at:02}:00] note\n\nThe extractor turned {at} times.\n" for at in range(60))
        (workspace / f"memory/{day.isoformat()}.md").write_text(f"# Memory Log: {day}\n{entries}", "utf-8")


def _measure(top: Path) -> Iterator[str]:
    from tools.bench_speed.language import Language
    from tools.bench_speed.store import environ_of, load_questions, make_store, open_index

    from everself.agent import open_runtime

    store, filled = make_store(top, UNITS, Language())
    questions, stub = load_questions(store.folder)
    with open_runtime(environ=environ_of(store.folder)) as app:
        furnish(Path(app.agent.workspace))
        vars(app)["index"] = open_index(app, stub)
        # files with the present timestamp are read again and again until the file system's clock has moved on
        time.sleep(2.5)
        assembler = app.assembler
        began = time.perf_counter()
        made = assembler.assemble(PromptRequest(message=questions[0], session="bench"))
        first = time.perf_counter() - began
        ask = PromptRequest(session="bench", prefix=made.prefix)

        def turn(at: int) -> None:
            assembler.assemble(replace(ask, message=questions[at % len(questions)], turn=at + 1))

        def silent(at: int) -> None:
            assembler.assemble(replace(ask, turn=at + 1_000))

        def begin(at: int) -> None:
            assembler.assemble(PromptRequest(session=f"bench {at}"))

        yield f"{filled.units:,} chunks in {filled.files} files, prompt of {made.receipt.total} tokens"
        yield f"turn with recall: {_times(turn)} (promised p50 ≤ 40)"
        yield f"turn without recall: {_times(silent)} (promised p50 ≤ 5)"
        yield f"beginning of a session: {_times(begin)}, the first one of a process {first * 1000:.0f} ms"


def _times(act: Callable[[int], None]) -> str:
    taken = []
    for at in range(WARM + TURNS):
        began = time.perf_counter()
        act(at)
        taken.append((time.perf_counter() - began) * 1000)
    kept = sorted(taken[WARM:])
    return f"p50 {statistics.median(kept):.1f} ms, p95 {kept[int(len(kept) * 0.95)]:.1f} ms"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="everself-bench-") as folder:
        for line in _measure(Path(folder)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
