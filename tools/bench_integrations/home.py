"""A home with one agent that has a given number of entries, and optionally a gateway."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONG = 120.0
WORDS = ("boat", "garden", "invoice", "parser", "harbour", "violin", "budget", "kitchen", "release", "winter")


def make_home(folder: Path, entries: int) -> dict[str, str]:
    """Create the home; returns the environment variables that select it."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("EVERSELF_", "XDG_"))}
    environ = {**keep, "HOME": str(folder), "EVERSELF_HOME": str(folder / "everself"), "TZ": "UTC"}
    environ |= {"EVERSELF_KEYS": str(folder / "keys"), "PYTHONPATH": os.pathsep.join(sys.path)}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "everself").mkdir(parents=True)
    (folder / "everself" / "everself.json5").write_text(json.dumps({"gateway": {"port": port}}))
    _run(environ, "setup")
    notes = folder / "everself" / "workspace" / "memory"
    for day in range(1, 29):
        of_day = [at for at in range(entries) if at % 28 + 1 == day]
        text = "".join(f"- The {WORDS[at % 10]} number {at} is ready for {WORDS[at // 10 % 10]}.\n" for at in of_day)
        (notes / f"2026-02-{day:02}.md").write_text(f"# Memory Log: 2026-02-{day:02}\n\n{text}")
    _run(environ, "memory", "index")
    return environ


@contextmanager
def running_gateway(environ: dict[str, str]) -> Iterator[None]:
    command = [sys.executable, "-m", "everself", "gateway", "run", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ) as process:
        try:
            if process.stdout is None or not process.stdout.readline():
                raise RuntimeError("the gateway did not start")
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(LONG)


def _run(environ: dict[str, str], *words: str) -> None:
    subprocess.run([sys.executable, "-m", "everself", *words], env=environ, check=True, capture_output=True)
