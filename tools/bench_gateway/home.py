"""A home with agents that have a given number of entries, and a gateway process that serves them."""

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
    """`tokens`: the agents' access tokens, by name."""

    folder: Path
    environ: dict[str, str]
    port: int
    tokens: dict[str, str]


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources of a process: resident memory in MB, and processor seconds so far."""

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
    """Create agents with generated memories, indexed and, with `vectors`, embedded by Everself's bundled model."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("EVERSELF_", "XDG_"))}
    environ = {**keep, "HOME": str(folder), "EVERSELF_HOME": str(folder / "everself"), "TZ": "UTC"}
    environ |= {"EVERSELF_KEYS": str(folder / "keys"), "PYTHONPATH": os.pathsep.join(sys.path)}
    (folder / "everself").mkdir(parents=True)
    port = _free_port()
    settings = {
        "agents": {"defaults": {"model": _MODEL} | ({} if vectors else {"memorySearch": {"provider": "none"}})},
        "provider": {"bench": {"baseUrl": f"http://127.0.0.1:{model_port}/v1"}},
        "gateway": {"port": port},
        # nobody is billed, and the daily budget must not limit the measurement
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
    """The agent's embedder with a cache: all agents have the same memories, so each text is embedded once."""

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
            # replaces the embedder of the runtime that was just opened
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
    """Run the gateway as a process; yields its process id."""
    command_line = [sys.executable, "-m", "everself", "gateway", "run", "--json"]
    with started(command_line, home.environ) as (process, _):
        yield process.pid


@contextmanager
def scripted_model(tokens: int, rate: float) -> Iterator[int]:
    """Run a scripted model as a process; yields its port."""
    command_line = [sys.executable, "-m", "tools.bench_gateway.model", str(tokens), str(rate)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path])}
    with started(command_line, environ) as (_, line):
        yield int(line)


@contextmanager
def started(command_line: list[str], environ: dict[str, str]) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """A process that has printed its first line."""
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
    """Wait: files with the present timestamp are read again and again until the file system's clock has moved on."""
    time.sleep(2.5)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
