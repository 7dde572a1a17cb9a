"""Operations that connect coding agents: add our hooks and MCP server to their settings, and remove them.

One place in each file is edited; the rest stays byte for byte. A copy of the original file is kept until the client is disconnected.
"""

import importlib.util
import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

from everself.config.client_files import (
    Addition,
    add_to_json,
    add_to_toml,
    decode,
    remove_from_json,
    remove_from_toml,
    stands_in_json,
    stands_in_toml,
)
from everself.config.installation import install_command
from everself.config.setting_types import Plain
from everself.conversation.sessions.client_sessions import CLIENTS, ClientName
from everself.errors import BadConfig, ChangedMeanwhile, Damaged, EverselfError, NotFound, WrongUse
from everself.frozen import Frozen
from everself.operations.caller import Caller
from everself.operations.declaration import Argument, Option, Request, Result, terminal_writes
from everself.operations.home import Home
from everself.operations.http_access import ClientAccess, revoke
from everself.storage.client_files import (
    read_client_file,
    remove_client_file,
    remove_empty_folders,
    save_client_file,
)
from everself.storage.host_files import find_file, save_file

NAME: Final = "everself"
_FOLDER: Final = "clients"
# timeouts of hooks in seconds; Codex allows the last one at most three
_TIMEOUTS: Final = {"SessionStart": 10, "UserPromptSubmit": 5, "Stop": 5, "PreCompact": 5, "SessionEnd": 3}
_CURSOR_EVENTS: Final = ("sessionStart", "beforeSubmitPrompt", "stop", "preCompact", "sessionEnd")
# passed on explicitly if set, because a client may not pass on its environment
_VARIABLES: Final = ("EVERSELF_HOME", "EVERSELF_CONFIG", "EVERSELF_KEYS", "EVERSELF_PROFILE")
_TABLE: Final = ("mcp_servers", NAME)

State = Literal["connected", "not connected", "partly connected", "unreadable"]


class ClientFile(Result):
    """One settings file of a client. `changed`: it was changed, or with --dry-run would be."""

    path: str
    state: State
    changed: bool = False
    found: str = ""


class Connection(Result):
    client: ClientName
    project: str
    state: State
    files: tuple[ClientFile, ...]


class Connections(Result):
    """`dry_run`: nothing was changed."""

    clients: tuple[Connection, ...]
    dry_run: bool = False
    notices: tuple[str, ...] = ()


class ConnectRequest(Request):
    client: Annotated[str, Argument("claude-code, codex, cursor or gemini; or status.", "CLIENT|status")]
    project: Annotated[bool, Option("Only for the project in the current folder.")] = False
    dry_run: Annotated[bool, Option("Show what would change, and change nothing.")] = False
    agent: Annotated[str, Option("The agent whose memory is used; the default agent unless given.", "NAME")] = ""


class DisconnectRequest(Request):
    client: Annotated[str, Argument("claude-code, codex, cursor or gemini.", "CLIENT")]
    project: Annotated[bool, Option("Only for the project in the current folder.")] = False
    dry_run: Annotated[bool, Option("Show what would change, and change nothing.")] = False


class _Part(Frozen):
    """Our part of one settings file: how to add it, remove it, and detect it. Works on texts."""

    path: str
    add: Callable[[str], str]
    remove: Callable[[str, str | None], str]
    stands: Callable[[str], bool]


@terminal_writes("connect", on="home", idempotent=True)
def connect(home: Home, _: Caller, request: ConnectRequest) -> Connections:
    """Connect a coding agent: add hooks and the MCP server to its settings, or with status list the connections.

    One place of each file is edited; the rest stays as it is. Connecting twice changes nothing.

    $ everself connect claude-code  # hooks and tools for every project
    $ everself connect codex --dry-run  # which files would change
    $ everself connect cursor --project  # for the project in this folder
    $ everself connect status  # who is connected
    """
    if request.client == "status":
        return Connections(tuple(_connection(one, home, request.project, request.agent) for one in CLIENTS))
    client = _client(request.client)
    home.load().config.agent(request.agent)
    access = _access(client, home, request.project, request.agent)
    parts = _parts(client, home, request.project, request.agent, access)
    # all edits are planned before the first write
    planned = [(part, *_planned(part)) for part in parts]
    record = replace(_Record.load(home, client, request.project), agent=request.agent)
    former = record.token
    if access is not None and not request.dry_run:
        record = replace(record, token=access.grant())
    files: list[ClientFile] = []
    for part, before, after in planned:
        changed = before is None or after != before
        if changed and not request.dry_run:
            record = _written(part, before, after, record, home)
        files.append(
            ClientFile(part.path, "connected" if not request.dry_run or not changed else "not connected", changed)
        )
    if former and not record.token:
        revoke(home, former)
    notices = _told(client, record.token) if not request.dry_run else ()
    state: State = "connected" if all(one.state == "connected" for one in files) else "not connected"
    return Connections((Connection(client, _place(request.project), state, tuple(files)),), request.dry_run, notices)


def _written(part: _Part, before: bytes | None, after: bytes, record: "_Record", home: Home) -> "_Record":
    try:
        record = record.save_before(part, before)
        made = save_client_file(part.path, after, before, secret=bool(record.token))
    except (EverselfError, KeyboardInterrupt):
        # the file was not written, so nothing uses its token
        if record.token:
            revoke(home, record.token)
        raise
    return record.save_after(part.path, after, made)


@terminal_writes("disconnect", on="home", idempotent=True)
def disconnect(home: Home, _: Caller, request: DisconnectRequest) -> Connections:
    """Disconnect a coding agent: remove the hooks and the MCP server from its settings. Memory stays.

    A file that did not change since is restored byte for byte; from a changed file only our part is removed.

    $ everself disconnect claude-code  # its settings are as they were; what was remembered stays
    """
    client = _client(request.client)
    record = _Record.load(home, client, request.project)
    files: list[ClientFile] = []
    undone: list[tuple[_Part, bytes, bytes | None]] = []
    for part in _parts(client, home, request.project, record.agent):
        now = read_client_file(part.path)
        after = None if now is None else record.undo(part, now)
        files.append(ClientFile(part.path, "not connected", now is not None and after != now))
        if now is not None and after != now:
            undone.append((part, now, after))
    if not request.dry_run:
        for part, now, after in undone:
            if after is None:
                remove_client_file(part.path, now)
            else:
                save_client_file(part.path, after, now)
        remove_empty_folders(folder for *_, folders in record.files for folder in folders)
        if record.token:
            revoke(home, record.token)
        record.discard()
    place = _place(request.project)
    return Connections((Connection(client, place, "not connected", tuple(files)),), request.dry_run)


def _client(name: str) -> ClientName:
    for one in CLIENTS:
        if name == one:
            return one
    raise WrongUse(f'"{name[:40]}" is not a known coding agent.', mend=f"One of {', '.join(CLIENTS)}, or status.")


def _place(project: bool) -> str:
    return os.getcwd() if project else ""


def _told(client: ClientName, token: str) -> tuple[str, ...]:
    missing = importlib.util.find_spec("mcp") is None
    tools = (f"The tools do not start without the package mcp: {install_command('mcp')}",) if missing else ()
    return (*_about(client, token), *tools)


def _about(client: ClientName, token: str) -> tuple[str, ...]:
    match client:
        case "codex":
            return ("Codex runs hooks only once you trust them: it asks when it next starts, or call /hooks there.",)
        case "cursor":
            return ("Cursor reads its settings when it starts; a project's server has to be enabled there once.",)
        case "gemini":
            over = f"It asks the gateway, with the token {token}." if token else ""
            return (
                "Gemini CLI gets the tools and no hooks: memory is used only when the model calls them.",
                *filter(None, (over,)),
            )
    return ("Claude Code reads its settings when it starts: restart claude.",)


def _planned(part: _Part) -> tuple[bytes | None, bytes]:
    before = read_client_file(part.path)
    text = decode(before, part.path) if before is not None else ""
    return before, part.add(text).encode("utf-8")


def _connection(client: ClientName, home: Home, project: bool, agent: str) -> Connection:
    record = _Record.load(home, client, project)
    access = _access(client, home, project, agent or record.agent)
    # a client that was connected before the gateway started runs its own server, which is fine
    over = access if access is not None and access.known else None
    files = tuple(_looked(part) for part in _parts(client, home, project, agent or record.agent, over))
    states = {one.state for one in files}
    state: State = next(iter(states)) if len(states) == 1 else "partly connected"
    return Connection(client, _place(project), state, files)


def _looked(part: _Part) -> ClientFile:
    try:
        data = read_client_file(part.path)
        stands = data is not None and part.stands(decode(data, part.path))
    except EverselfError as error:
        return ClientFile(part.path, "unreadable", found=str(error))
    return ClientFile(part.path, "connected" if stands else "not connected")


# ── what stands in which file ────────────────────────────────────────────────────────────────────────────────────────


def _access(client: ClientName, home: Home, project: bool, agent: str) -> ClientAccess | None:
    """Gemini CLI uses the gateway if one runs. Not in a project: its files are committed and must not contain a token."""
    user = home.places.user_home
    return (
        ClientAccess(home, client, agent, _gemini_file(user)) if client == "gemini" and user and not project else None
    )


def _gemini_file(top: str) -> str:
    return os.path.realpath(os.path.join(top, ".gemini", "settings.json"))


def _parts(
    client: ClientName, home: Home, project: bool, agent: str, access: ClientAccess | None = None
) -> tuple[_Part, ...]:
    environ = home.variables
    user = home.places.user_home
    if not project and not user:
        raise NotFound("home folder of the client: HOME is not set.")
    program, chosen = _program(), ("--agent", agent) if agent else ()
    ours = {name: environ[name] for name in _VARIABLES if environ.get(name)}
    top = os.getcwd() if project else user
    server: dict[str, Plain] = {"command": program[0], "args": (*program[1:], *chosen, "mcp")}
    if ours:
        server["env"] = ours
    typed: dict[str, Plain] = {"type": "stdio", **server}
    named = ("env", *(f"{name}={value}" for name, value in ours.items())) if ours else ()

    def command(event: str) -> str:
        return shlex.join((*named, *program, *_mark(event, client), *chosen))

    match client:
        case "claude-code":
            own = environ.get("CLAUDE_CONFIG_DIR", "") or os.path.join(user, ".claude")
            servers = os.path.join(
                os.path.dirname(own) if not environ.get("CLAUDE_CONFIG_DIR") else own, ".claude.json"
            )
            hooks = (
                os.path.join(top, ".claude", "settings.local.json") if project else os.path.join(own, "settings.json")
            )
            return (
                _json(hooks, _hook_groups(client, command)),
                _json(os.path.join(top, ".mcp.json") if project else servers, [_server(typed)]),
            )
        case "codex":
            own = (
                os.path.join(top, ".codex")
                if project
                else environ.get("CODEX_HOME", "") or os.path.join(user, ".codex")
            )
            return (
                _json(os.path.join(own, "hooks.json"), _hook_groups(client, command)),
                _toml(os.path.join(own, "config.toml"), server),
            )
        case "cursor":
            own = os.path.join(top, ".cursor")
            flat = [
                Addition(("hooks", event), {"command": command(event)}, " ".join(_mark(event, client)))
                for event in _CURSOR_EVENTS
            ]
            return (
                _json(os.path.join(own, "hooks.json"), [Addition(("version",), 1, form=True), *flat]),
                _json(os.path.join(own, "mcp.json"), [_server(server)]),
            )
        case "gemini":
            over = access.server() if access is not None else None
            return (_json(_gemini_file(top), [_server(over or server)]),)


def _program() -> list[str]:
    """The command that starts Everself: the script beside this Python, or this Python with `-P`. Without `-P`, Python would import modules
    from the client's folder, such as a repository's `json.py`."""
    beside = os.path.join(os.path.dirname(sys.executable), NAME)
    return [beside] if os.access(beside, os.X_OK) else [sys.executable, "-P", "-m", NAME]


def _server(values: Plain) -> Addition:
    return Addition(("mcpServers", NAME), values)


def _mark(event: str, client: ClientName) -> tuple[str, ...]:
    """The arguments by which our hooks are recognised, whatever the path of the program."""
    return ("hook", event, "--client", client)


def _hook_groups(client: ClientName, command: Callable[[str], str]) -> list[Addition]:
    """The hook format of Claude Code and Codex."""
    return [
        Addition(
            ("hooks", event),
            {"hooks": ({"type": "command", "command": command(event), "timeout": seconds},)},
            " ".join(_mark(event, client)),
        )
        for event, seconds in _TIMEOUTS.items()
    ]


def _json(path: str, additions: list[Addition]) -> _Part:
    real = os.path.realpath(path)
    return _Part(
        real,
        lambda text: add_to_json(text, additions, real),
        lambda text, before: remove_from_json(text, before, additions, real),
        lambda text: stands_in_json(text, additions, real),
    )


def _toml(path: str, values: Mapping[str, Plain]) -> _Part:
    real = os.path.realpath(path)
    return _Part(
        real,
        lambda text: add_to_toml(text, _TABLE, values, real),
        lambda text, _: remove_from_toml(text, _TABLE, real),
        lambda text: stands_in_toml(text, _TABLE, values, real),
    )


# ── how the files were before ────────────────────────────────────────────────────────────────────────────────────────


class _Record(Frozen):
    """The record of one connected client: for each path the original text (`before`, None if there was no file), the hash of our version,
    and the folders that were created. `token` is the name of its gateway token."""

    path: str
    agent: str = ""
    token: str = ""
    files: tuple[tuple[str, str | None, str, tuple[str, ...]], ...] = ()

    @classmethod
    def load(cls, home: Home, client: ClientName, project: bool) -> "_Record":
        place = sha256(os.getcwd().encode("utf-8", "surrogateescape")).hexdigest()[:12] if project else "user"
        path = os.path.join(home.places.home, _FOLDER, f"{client}-{place}.json")
        data = find_file(path)
        try:
            read: Any = json.loads(data) if data else {}
            files = tuple((str(a), b, str(c), tuple(map(str, d))) for a, b, c, d in read.get("files", ()))
            return cls(path, str(read.get("agent", "")), str(read.get("token", "")), files)
        except (ValueError, AttributeError, TypeError) as error:
            raise Damaged(f"{path} cannot be read.", mend="Remove it.") from error

    def save_before(self, part: _Part, data: bytes | None) -> "_Record":
        """Store the original before the file is changed, without leftovers of an earlier connection."""
        known = next((one for one in self.files if one[0] == part.path), None)
        clean = data if data is None or known is None else self.undo(part, data)
        text = None if clean is None else clean.decode("utf-8")
        others = tuple(one for one in self.files if one[0] != part.path)
        return self._saved((*others, (part.path, text, "", known[3] if known is not None else ())))

    def save_after(self, path: str, data: bytes, made: tuple[str, ...]) -> "_Record":
        known = [
            (name, before, _hash(data), folders or made) if name == path else (name, before, after, folders)
            for name, before, after, folders in self.files
        ]
        return self._saved(tuple(known))

    def undo(self, part: _Part, now: bytes) -> bytes | None:
        """The file's content without our part; None if the file should not exist."""
        known = next((one for one in self.files if one[0] == part.path), None)
        before = known[1] if known is not None else None
        if known is not None and known[2] == _hash(now):
            return None if before is None else before.encode("utf-8")
        text = decode(now, part.path)
        return part.remove(text, before).encode("utf-8")

    def discard(self) -> None:
        if self.files:
            replace(self, token="")._saved(())

    def _saved(self, files: "tuple[tuple[str, str | None, str, tuple[str, ...]], ...]") -> "_Record":
        data = (
            json.dumps(
                {"agent": self.agent, "token": self.token, "files": files}, ensure_ascii=False, indent=1
            ).encode()
            + b"\n"
        )
        for _ in range(2):
            with suppress(ChangedMeanwhile):
                save_file(self.path, data, find_file(self.path))
                return replace(self, files=files)
        raise BadConfig(f"{self.path} keeps changing.", mend="Try again.")


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()
