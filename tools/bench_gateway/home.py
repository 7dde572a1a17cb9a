"""A home with agents of so many entries each, and a gateway that serves them as a process of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.bench_speed.language import Language
from tools.bench_speed.store import Store, name_of

LONG = 120.0
_MODEL = "bench/scripted"


@dataclass(frozen=True, slots=True)
class Home:
    """`tokens` are those of the agents, by their names."""

    folder: Path
    environ: dict[str, str]
    port: int
    tokens: dict[str, str]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process takes: resident memory in MB, and seconds of a processor so far."""

    rss: float
    cpu: float


def usage_of(pid: int) -> Usage:
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    rss = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    times = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return Usage(rss / 1024, (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK"))


def make_home(
    folder: Path, agents: int, entries: int, model_port: int, tell: Callable[[str], None], *, vectors: bool
) -> Home:
    """Agents with made-up memories, indexed and, with `vectors`, embedded by the model that comes with Everself."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("EVERSELF_", "XDG_"))}
    environ = {**keep, "HOME": str(folder), "EVERSELF_HOME": str(folder / "everself"), "TZ": "UTC"}
    environ |= {"EVERSELF_KEYS": str(folder / "keys"), "PYTHONPATH": os.pathsep.join(sys.path)}
    (folder / "everself").mkdir(parents=True)
    port = _free_port()
    settings = {
        "agents": {"defaults": {"model": _MODEL} | ({} if vectors else {"memorySearch": {"provider": "none"}})},
        "provider": {"bench": {"baseUrl": f"http://127.0.0.1:{model_port}/v1"}},
        "gateway": {"port": port},
        # nobody is billed, and the day's budget is no part of what is measured
        "spend": {"apiPerDay": 100_000, "apiTokensPerDay": 1_000_000_000},
    }
    (folder / "everself" / "everself.json5").write_text(json.dumps(settings), "utf-8")
    home = Home(folder, environ, port, {})
    language = Language()
    for at in range(agents):
        name = f"agent{at}"
        shown = command(home, "agents", "add", name)
        workspace = Path(json.loads(shown)["data"]["workspace"])
        _write(workspace, Store(workspace, entries, language))
        home.tokens[name] = json.loads(command(home, "gateway", "token", "add", name, "--as", "main", "--agent", name))[
            "data"
        ]["token"]
        command(home, "--agent", name, "memory", "index")
        tell(f"agent {at + 1} of {agents} has its memory")
    return home


def command(home: Home, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "everself", *words, "--json"],
        capture_output=True,
        text=True,
        check=False,
        env=home.environ,
    )
    if done.returncode:
        raise RuntimeError(f"everself {' '.join(words[:3])} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def _write(workspace: Path, store: Store) -> None:
    (workspace / "memory").mkdir(exist_ok=True)
    for number, ranks in store.documents():
        path = workspace / name_of(number)
        path.write_text(store.render(number, ranks), "utf-8")
        os.utime(path, (path.stat().st_mtime - 86_400,) * 2)


@contextmanager
def running(home: Home) -> Iterator[int]:
    """The gateway's process."""
    command_line = [sys.executable, "-m", "everself", "gateway", "run", "--json"]
    with started(command_line, home.environ) as (process, _):
        yield process.pid


@contextmanager
def scripted_model(tokens: int, rate: float) -> Iterator[int]:
    """The port of a scripted model in a process of its own."""
    command_line = [sys.executable, "-m", "tools.bench_gateway.model", str(tokens), str(rate)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}
    with started(command_line, environ) as (_, line):
        yield int(line)


@contextmanager
def started(command_line: list[str], environ: dict[str, str]) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """A process that has said its first line."""
    with subprocess.Popen(command_line, stdout=subprocess.PIPE, text=True, env=environ) as process:
        try:
            line = process.stdout.readline() if process.stdout is not None else ""
            if not line:
                raise RuntimeError(f"{' '.join(command_line[1:4])} did not start")
            yield process, line
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(LONG)


def settle() -> None:
    """Files of this moment are read again until the clock of the file system has moved on."""
    time.sleep(2.5)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
