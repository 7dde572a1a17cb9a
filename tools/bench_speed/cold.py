"""The command `everself memory search` as a new process, from its start to the answer. Median of a few runs."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench_speed.store import environ_of, load_questions
from tools.bench_speed.upkeep import make_texts, write_log

from everself.agent import open_runtime

RUNS = 5
ENTRIES = 1_000
FILES = 20
# exit codes: hits, no hits
_ANSWERS = (0, 5)


@dataclass(frozen=True, slots=True)
class Cold:
    """Elapsed and processor seconds of a command; `python`: the bare interpreter with numpy."""

    seconds: float
    processor: float
    python: float


def with_vectors(top: Path) -> Cold:
    """A small memory, indexed and embedded with the bundled model."""
    folder = top / "cold"
    with open_runtime(environ=environ_of(folder)) as app:
        workspace = Path(app.agent.workspace)
        if not workspace.exists():
            (workspace / "memory").mkdir(parents=True)
            texts = make_texts(ENTRIES)
            for number in range(FILES):
                write_log(workspace, number, texts[number::FILES])
            app.index.sync()
            app.index.embed()
            # a file with the present timestamp would be read again
            time.sleep(2.1)
    return _measure(environ_of(folder), "When was the meeting about the garden and the new piano?")


def by_keywords(folder: Path) -> Cold:
    """A generated store as a user without an embedder has it."""
    settings = folder / "keywords.json5"
    settings.write_text('{ memorySearch: { provider: "none" } }\n', "utf-8")
    return _measure({**environ_of(folder), "EVERSELF_CONFIG": str(settings)}, load_questions(folder)[0][0])


def _measure(environ: Mapping[str, str], question: str) -> Cold:
    environ = {**environ, "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "everself", "memory", "search", question]
    _run(command, environ)
    before = _processor()
    spent = [_run(command, environ) for _ in range(RUNS)]
    processor = (_processor() - before) / RUNS
    bare = [_run([sys.executable, "-c", "import numpy"], environ) for _ in range(RUNS)]
    return Cold(statistics.median(spent), processor, statistics.median(bare))


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(command: Sequence[str], environ: Mapping[str, str]) -> float:
    begin = time.perf_counter()
    done = subprocess.run(command, env=dict(environ), capture_output=True, text=True, check=False)
    spent = time.perf_counter() - begin
    if done.returncode not in _ANSWERS:
        raise RuntimeError(f"{' '.join(command[1:5])} ended with {done.returncode}: {done.stderr.strip()}")
    return spent
