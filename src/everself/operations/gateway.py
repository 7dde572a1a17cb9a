"""The gateway's process: one per home, by a lock. Where it listens, how to stop it, and its systemd user unit. Knows nothing of HTTP."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from typing import Annotated, Final

from everself.clock import monotonic, pause
from everself.config import Places
from everself.errors import ChangedMeanwhile, LockTimeout, NoPermission, RefusedByRule
from everself.frozen import Frozen
from everself.operations.caller import Caller
from everself.operations.declaration import NoRequest, Option, Request, owner_reads, terminal_reads, terminal_writes
from everself.operations.home import Home
from everself.storage.filesystem import disk_errors
from everself.storage.host_files import ensure_folder, find_file, save_file
from everself.storage.line_log import last_lines
from everself.storage.lock import FileLock

FOLDER: Final = "gateway"
SOCKET: Final = "gateway.sock"
LOG: Final = "gateway.log"
_LOCK: Final = "gateway.lock"
_RECORD: Final = "listening.json"
# its turns get ten seconds to end; the rest is for writing
STOP_SECONDS: Final = 20.0
_EVERY: Final = 0.05


class Listening(Frozen):
    """The addresses of a gateway. `socket` is the path of its unix socket."""

    pid: int
    url: str
    socket: str
    version: str


class GatewayStatus(Frozen):
    """`pid`, `since`, `url`, `socket` and `version` are empty if it does not run; `tokens` is their number."""

    running: bool
    pid: int
    since: str
    url: str
    socket: str
    version: str
    tokens: int
    log: str


class Stopped(Frozen):
    """`pid` is 0 if no gateway ran."""

    pid: int


def folder_of(places: Places) -> str:
    """The folder of the gateway's files."""
    return os.path.join(places.home, FOLDER)


@contextmanager
def only_gateway(places: Places) -> Iterator[str]:
    """Hold the gateway's lock of this home; yields its folder. Raises RefusedByRule if another gateway runs."""
    folder = folder_of(places)
    ensure_folder(folder)
    lock = FileLock(os.path.join(folder, _LOCK))
    with ExitStack() as held:
        try:
            held.enter_context(lock.hold(timeout=0))
        except LockTimeout as error:
            owner, found = lock.owner(), _listening(folder)
            who = f"process {owner.pid}, since {owner.since}" if owner is not None else "another process"
            where = f" It listens on {found.url}." if found is not None else ""
            raise RefusedByRule(
                f"A gateway of this home runs already: {who}.{where}", mend="everself gateway stop"
            ) from error
        yield folder


def tell_listening(folder: str, found: Listening) -> None:
    """Write the gateway's addresses to its folder. The caller holds the lock."""
    import msgspec

    path = os.path.join(folder, _RECORD)
    with suppress(ChangedMeanwhile):
        save_file(path, msgspec.json.encode(asdict(found)) + b"\n", find_file(path))


def is_running(places: Places) -> bool:
    return _lock(folder_of(places)).is_held()


def find_listening(places: Places) -> Listening | None:
    """The addresses of this home's gateway; None if it does not run or is still starting."""
    folder = folder_of(places)
    lock, found = _lock(folder), _listening(folder)
    owner = lock.owner() if lock.is_held() else None
    return found if owner is not None and found is not None and found.pid == owner.pid else None


def _listening(folder: str) -> Listening | None:
    import msgspec

    data = find_file(os.path.join(folder, _RECORD))
    try:
        return msgspec.json.decode(data, type=Listening) if data else None
    except msgspec.DecodeError:
        # needed only for a message
        return None


def _lock(folder: str) -> FileLock:
    return FileLock(os.path.join(folder, _LOCK))


@owner_reads("gateway.status", on="home")
def show_status(home: Home, _: Caller, __: NoRequest) -> GatewayStatus:
    """Show whether the gateway runs, where it listens, and how many tokens exist. The exit code is 5 if it does not run.

    $ everself gateway status  # whether it runs, and where
    """
    from everself.operations.token_file import TokenFile

    folder = folder_of(home.places)
    tokens, log = len(TokenFile(folder).tokens()), os.path.join(folder, LOG)
    lock = _lock(folder)
    owner = lock.owner() if lock.is_held() else None
    if owner is None:
        return GatewayStatus(False, 0, "", "", "", "", tokens, log)
    found = _listening(folder) or Listening(0, "", "", "")
    return GatewayStatus(True, owner.pid, owner.since, found.url, found.socket, found.version, tokens, log)


@terminal_writes("gateway.stop", on="home", idempotent=True)
def stop_gateway(home: Home, _: Caller, __: NoRequest) -> Stopped:
    """Stop the gateway. Running replies get ten seconds to end; what was said is kept in any case.

    $ everself gateway stop  # replies that are under way may end, for ten seconds
    """
    lock = _lock(folder_of(home.places))
    owner = lock.owner() if lock.is_held() else None
    if owner is None:
        return Stopped(0)
    try:
        with suppress(ProcessLookupError):
            os.kill(owner.pid, signal.SIGTERM)
    except PermissionError as error:
        raise NoPermission(f"process {owner.pid} belongs to another user.") from error
    end = monotonic() + STOP_SECONDS
    while lock.is_held():
        if monotonic() >= end:
            raise LockTimeout(f"Process {owner.pid} has not ended.", mend=f"kill -9 {owner.pid} ends it at once.")
        pause(_EVERY)
    return Stopped(owner.pid)


class LogsRequest(Request):
    lines: Annotated[int, Option("How many lines.", ge=1, le=100_000)] = 20


class LogLines(Frozen):
    """The newest lines, oldest first. Each is a JSON object."""

    file: str
    lines: tuple[str, ...]


@terminal_reads("gateway.logs", on="home")
def show_logs(home: Home, _: Caller, request: LogsRequest) -> LogLines:
    """Print the newest lines of the gateway's log: routes, tokens by name, codes and times, never what was said.

    $ everself gateway logs --lines 100  # the newest requests
    """
    path = os.path.join(folder_of(home.places), LOG)
    with disk_errors(path):
        return LogLines(path, tuple(last_lines(path, request.lines)))


UNIT_NAME: Final = "everself-gateway.service"
_MARK: Final = "# Written by everself gateway install."
# only the variables that locate the agents; others belong to the session
_UNIT_VARIABLES: Final = ("EVERSELF_HOME", "EVERSELF_CONFIG", "EVERSELF_KEYS", "XDG_CONFIG_HOME")


class UnitWritten(Frozen):
    """`changed` is false if the unit was already up to date."""

    file: str
    changed: bool


@terminal_writes("gateway.install", on="home", idempotent=True)
def install_unit(home: Home, _: Caller, __: NoRequest) -> UnitWritten:
    """Write a systemd user unit for the gateway, and show the command that enables it.

    $ everself gateway install  # then: systemctl --user enable --now everself-gateway
    """
    variables, places = home.variables, home.places
    xdg = variables.get("XDG_CONFIG_HOME", "")
    config = xdg if os.path.isabs(xdg) else places.expand("~/.config", "The folder of systemd's units")
    path = os.path.join(config, "systemd", "user", UNIT_NAME)
    text = render_unit(sys.executable, {name: variables[name] for name in _UNIT_VARIABLES if variables.get(name)})
    before = find_file(path)
    if before is not None and _MARK.encode() not in before:
        raise RefusedByRule(f"{path} was not written by Everself.", mend="Move it away first.")
    if before != text.encode():
        save_file(path, text.encode(), before)
    return UnitWritten(path, before != text.encode())


def render_unit(python: str, variables: dict[str, str]) -> str:
    """The text of the unit. Its stop timeout is longer than the gateway needs."""
    environment = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in sorted(variables.items()))
    return (
        f"{_MARK}\n[Unit]\nDescription=Everself gateway\n\n[Service]\n"
        f"ExecStart={_quoted(python.replace('$', '$$'))} -P -m everself gateway run\n{environment}"
        "Restart=on-failure\nRestartSec=5\nTimeoutStopSec=20\nUMask=0077\nNoNewPrivileges=yes\n"
        "\n[Install]\nWantedBy=default.target\n"
    )


def _quoted(word: str) -> str:
    """Quote a word for systemd: `%`, quotes and backslashes are literal. A `$` is special only in commands."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain}"'
