"""A home with agents of so many entries each, and a gateway that serves them as a process of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy
from tools.bench_speed.directions import Floats
from tools.bench_speed.language import Language
from tools.bench_speed.store import Store, name_of

from everself.agent import open_runtime
from everself.models.embedding.protocol import Embedder, Purpose

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
    embedder = RememberingEmbedder()
    for at in range(agents):
        name = f"agent{at}"
        workspace = Path(json.loads(command(home, "agents", "add", name))["data"]["workspace"])
        _write(workspace, Store(workspace, entries, language))
        told = command(home, "gateway", "token", "add", name, "--as", "main", "--agent", name)
        home.tokens[name] = json.loads(told)["data"]["token"]
        _index(home, name, embedder if vectors else None)
        tell(f"agent {at + 1} of {agents} has its memory")
    return home


class RememberingEmbedder:
    """The agent's own embedder, asked once for a text: the memories of all agents hold the same ones."""

    paid = False

    def __init__(self) -> None:
        self._known: dict[str, Floats] = {}
        self._inner: Embedder | None = None

    def use(self, inner: Embedder) -> Self:
        self._inner = inner
        self.provider, self.model, self.dimensions = inner.provider, inner.model, inner.dimensions
        return self

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "document") -> Floats:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing and self._inner is not None:
            self._known |= dict(zip(missing, self._inner.embed(missing, purpose=purpose), strict=True))
        return numpy.stack([self._known[text] for text in texts])


def _index(home: Home, name: str, embedder: RememberingEmbedder | None) -> None:
    with open_runtime(name, environ=home.environ) as runtime:
        inner = runtime.index_embedder
        if embedder is not None and inner is not None:
            # in the place of the part that was just opened
            runtime.__dict__["index_embedder"] = embedder.use(inner)
        runtime.index.sync()
        runtime.index.embed()
        # an agent in use has read its entries
        runtime.memory.catalog.refresh()


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
