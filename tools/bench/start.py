"""How long a command takes to start, compared with a bare interpreter that imports click. Warm, interleaved, best and median of many."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

ROUNDS = 15
PROMISES = {"everself --help": 2.5, "everself doctor": 6.0}


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join(sys.path)}
        commands = {
            "python -c 'import click'": [sys.executable, "-c", "import click"],
            "everself --help": [sys.executable, "-m", "everself", "--help"],
            "everself doctor": [sys.executable, "-m", "everself", "doctor"],
        }
        _call([sys.executable, "-m", "everself", "setup"], environment)
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(ROUNDS + 2):
            for name, command in commands.items():
                seconds = _call(command, environment)
                # the first rounds warm the caches
                if number >= 2:
                    taken[name].append(seconds)
    base = statistics.median(taken["python -c 'import click'"])
    for name, all_seconds in taken.items():
        median = statistics.median(all_seconds)
        promise = f", promised ≤ {PROMISES[name]} ×" if name in PROMISES else ""
        yield f"{name}: median {median * 1000:.0f} ms, best {min(all_seconds) * 1000:.0f} ms = {median / base:.2f} ×{promise}"


def _call(command: list[str], environment: dict[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begin
