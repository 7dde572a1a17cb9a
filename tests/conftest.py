"""What every test gets: a seed, a home of its own, and no way out to the network."""

import ipaddress
import os
import shutil
import socket
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Derandomised, a failure on one machine is a failure on every machine; `--hypothesis-profile=wander` looks elsewhere.
settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("wander", deadline=None, print_blob=True, max_examples=1_000)
# make test looks at fewer examples; make test-all looks at every property with all of them
settings.register_profile("few", derandomize=True, deadline=None, database=None, max_examples=20)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=1, help="seed of everything random in the tests (default 1)")


# Thousands of small tests sync thousands of small files; what a real disk makes of it is the trust rows' business.
_FAST_PLACE = "/dev/shm"
_FAST_PLACE_NEEDS = 2 << 30
# short: a gateway of a test has its socket beneath it, whose path may have 103 bytes
_FOLDER = "evs-"


def pytest_configure(config: pytest.Config) -> None:
    """Keep temporary folders in memory where there is room; a worker is told its folder by whoever started it."""
    if config.option.basetemp is not None or hasattr(config, "workerinput") or not os.path.isdir(_FAST_PLACE):
        return
    _remove_leftovers()
    if _memory_left() >= _FAST_PLACE_NEEDS and os.access(_FAST_PLACE, os.W_OK):
        config.option.basetemp = tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-", dir=_FAST_PLACE)
        config.add_cleanup(lambda: shutil.rmtree(config.option.basetemp, ignore_errors=True))


def _remove_leftovers() -> None:
    """A run that was killed leaves its folder in memory, where it takes room from every later one."""
    for path in Path(_FAST_PLACE).glob(f"{_FOLDER}*-*"):
        owner = path.name.removeprefix(_FOLDER).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            shutil.rmtree(path, ignore_errors=True)


def _memory_left() -> int:
    """Bytes that fit there: such a file system promises more than the machine may have."""
    room = os.statvfs(_FAST_PLACE)
    left = room.f_bavail * room.f_frsize
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return left
    free = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return min([left, *free])


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: {config.getoption('--seed')}"


def _figures(reports: Iterable[pytest.TestReport]) -> list[str]:
    """What the trust rows that passed printed about themselves, in the order of the table: R1 … R17, S1 … S16."""
    lines = [
        line
        for report in reports
        if "trust" in report.keywords
        for line in report.capstdout.splitlines()
        # R0 is what the tests of the soak make up
        if line[:1] in ("R", "S") and line[1:2].isdigit() and line[1:2] != "0"
    ]
    return sorted(lines, key=lambda line: (line[0], len(line.split()[0].rstrip(":")), line))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    # pytest shows what a test printed only when it fails; a row that passed is worth its figure
    figures = _figures(terminalreporter.stats.get("passed", []))
    if figures:
        terminalreporter.write_sep("=", "figures of the trust rows")
    for line in figures:
        terminalreporter.write_line(line)
    # `-q` drops the header, and a failing run must say how to repeat it
    terminalreporter.write_line(f"seed: {config.getoption('--seed')}")


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """The seed this run was given."""
    chosen: int = request.config.getoption("--seed")
    return chosen


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


# Its own MonkeyPatch: a test that calls monkeypatch.undo() must not fall back to the real home.
@pytest.fixture(autouse=True)
def _own_home(_homes: Path) -> Iterator[Path]:
    """An empty home for each test, and none of the machine's own settings or keys."""
    home = Path(tempfile.mkdtemp(dir=_homes))
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("EVERSELF_", "XDG_")) or name.endswith("_API_KEY"):
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
        patch.setenv("EVERSELF_HOME", str(home / ".everself"))
        yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def _no_better_model() -> Iterator[None]:
    """What happens to be installed changes no test, and none waits for the slow model; one that wants it says so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("everself.models.embedding._factory.has_quality", lambda: False)
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_encoder() -> Iterator[None]:
    """The sentence encoder, loaded once a process and only where something is classified; its weights are prepared once a machine."""
    from everself.classify import encoder
    from everself.models.embedding.local import open_local

    folder = Path(tempfile.gettempdir()) / f"everself-test-encoder-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    opened = open_local("", "", str(folder))
    with pytest.MonkeyPatch.context() as patch:
        encoder.offer(opened.embed)
        # an agent of a test would prepare the weights anew in its own home
        patch.setattr(encoder, "offer", lambda _encode: None)
        yield


def _stays_here(address: object) -> bool:
    """Whether an address is a Unix socket or the loopback."""
    if isinstance(address, str | bytes):
        return True
    host = address[0] if isinstance(address, tuple) and address else None
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Fail the test that reaches for another machine.

    The failure is pytest's own, which is no `Exception`: code that shrugs off a dead network cannot swallow it.
    """
    real = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex", "sendto")}
    real_lookup = socket.getaddrinfo

    def fenced(name: str) -> Any:
        def call(self: socket.socket, *arguments: Any) -> Any:
            if not _stays_here(arguments[-1]):
                pytest.fail(f"a test reached for the network: {name}{arguments[-1]!r}")
            return real[name](self, *arguments)

        return call

    def lookup(host: Any, *arguments: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not _stays_here((name,)):
            pytest.fail(f"a test asked the network who {name!r} is")
        return real_lookup(host, *arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        for name in real:
            patch.setattr(socket.socket, name, fenced(name))
        patch.setattr(socket, "getaddrinfo", lookup)
        yield


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where slow tests are left out, files that hold nothing else are not even imported: that takes longer than many a test."""
    if collection_path.suffix != ".py" or "not slow" not in str(config.option.markexpr):
        return None
    return "\npytestmark = pytest.mark.slow\n" in collection_path.read_text(encoding="utf-8") or None
