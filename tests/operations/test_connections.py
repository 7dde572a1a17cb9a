"""Connecting coding agents: one place of each file is edited, and disconnecting leaves every byte as it was."""

import json
import os
import re
import shlex
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.operations.homes import HOME, settle

from everself.config.installation import install_command
from everself.errors import BadConfig, ChangedMeanwhile, EverselfError, NotFound, RefusedByRule, WrongUse
from everself.interfaces.client_hooks.payload import event_of
from everself.operations.caller import AT_TERMINAL
from everself.operations.connections import Connections, ConnectRequest, DisconnectRequest
from everself.operations.connections import connect as run_connect
from everself.operations.connections import disconnect as run_disconnect
from everself.operations.gateway import Listening, folder_of, only_gateway, tell_listening
from everself.operations.token_file import TokenFile

CLIENTS = ("claude-code", "codex", "cursor", "gemini")
FILES = {
    "claude-code": (".claude/settings.json", ".claude.json"),
    "codex": (".codex/hooks.json", ".codex/config.toml"),
    "cursor": (".cursor/hooks.json", ".cursor/mcp.json"),
    "gemini": (".gemini/settings.json",),
}
JSONS = {
    "empty": "",
    "an empty object": "{}",
    "on one line": '{"theme": "dark"}',
    "no newline at its end": '{\n  "a": 1\n}',
    "tabs": '{\n\t"a": {\n\t\t"b": [1, 2]\n\t}\n}\n',
    "Windows lines": '{\r\n  "a": 1\r\n}\r\n',
    "comments": '// mine\n{\n  /* here */ "a": 1, // there\n  "b": [\n    1, // one\n  ],\n}\n// end\n',
    "servers and hooks of others": json.dumps(
        {
            "mcpServers": {"other": {"command": "x"}},
            "version": 1,
            "hooks": {
                "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
                "stop": [{"command": "say done"}],
            },
        },
        indent=4,
    ),
    "unusual words": '{"ключ": "значение", "e": "\\u00e9", "big": 12345678901234567890, "f": 1.50, "x": 1e3}\n',
    "a list on many lines": '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n',
}
TOMLS = {
    "empty": "",
    "comments": '# mine\nmodel = "x" # there\n\n[mcp_servers.other] # theirs\ncommand = "y"\n',
    "no newline at its end": 'model = "x"',
    "Windows lines": 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n',
    "dates and arrays": "at = 1979-05-27T07:32:00Z\n[[list]]\nx = [1,\n  2]\n[mcp_servers]\n",
}


def connect(client: str, **more: Any) -> Connections:
    return run_connect(HOME, AT_TERMINAL, ConnectRequest(client=client, **more))


def disconnect(client: str, **more: Any) -> Connections:
    return run_disconnect(HOME, AT_TERMINAL, DisconnectRequest(client=client, **more))


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    settle()
    return Path(HOME.places.user_home)


def tree(top: Path) -> dict[str, bytes]:
    own = str(Path(HOME.places.home))
    keys = str(Path(HOME.places.key_folder))
    return {
        str(one): one.read_bytes() if one.is_file() else b"folder"
        for one in top.rglob("*")
        if not str(one).startswith((own, keys))
    }


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("shape", [*JSONS, "no file"])
def test_connecting_and_disconnecting_leaves_every_byte(user: Path, client: str, shape: str) -> None:
    for name in FILES[client]:
        if shape != "no file":
            text = JSONS[shape] if name.endswith("json") else TOMLS.get(shape, TOMLS["comments"])
            write(user / name, text)
            (user / name).chmod(0o640)
    before = tree(user)
    assert connect(client, dry_run=True).dry_run
    assert tree(user) == before
    done = connect(client)
    assert done.clients[0].state == "connected"
    assert all(one.changed for one in done.clients[0].files)
    connected = tree(user)
    assert connected != before
    again = connect(client)
    assert not any(one.changed for one in again.clients[0].files)
    assert tree(user) == connected
    states = {one.client: one.state for one in connect("status").clients}
    assert states == {one: "connected" if one == client else "not connected" for one in CLIENTS}
    if shape != "no file":
        assert {stat.S_IMODE((user / name).stat().st_mode) for name in FILES[client]} == {0o640}
    assert disconnect(client, dry_run=True).dry_run
    assert tree(user) == connected
    disconnect(client)
    assert tree(user) == before
    disconnect(client)
    assert tree(user) == before


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("shape", [one for one in JSONS if one != "empty"])
def test_what_was_added_since_stays_and_only_our_part_goes(user: Path, client: str, shape: str) -> None:
    for name in FILES[client]:
        write(user / name, JSONS[shape] if name.endswith("json") else TOMLS["comments"])
    connect(client)
    grown = {}
    for name in FILES[client]:
        text = (user / name).read_bytes().decode()
        mark = "\n# added since\n" if name.endswith("toml") else "\n// added since\n"
        write(user / name, text + mark)
        grown[name] = mark
    # connected again, nothing is to be done, and what was added is not forgotten
    connect(client)
    disconnect(client)
    for name in FILES[client]:
        text = (user / name).read_bytes().decode()
        assert text.endswith(grown[name])
        assert "everself" not in text
        if name.endswith("toml"):
            assert tomllib.loads(text) == tomllib.loads(TOMLS["comments"])


def test_what_each_client_reads_is_in_its_form(user: Path) -> None:
    for client in CLIENTS:
        connect(client)
    settings = json.loads((user / ".claude/settings.json").read_text())
    assert set(settings["hooks"]) == {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    (hook,) = settings["hooks"]["UserPromptSubmit"][0]["hooks"]
    assert hook["type"] == "command"
    assert hook["command"].endswith("hook UserPromptSubmit --client claude-code")
    assert 0 < hook["timeout"] <= 10
    server = json.loads((user / ".claude.json").read_text())["mcpServers"]["everself"]
    assert (server["type"], server["args"][-1]) == ("stdio", "mcp")
    codex = json.loads((user / ".codex/hooks.json").read_text())["hooks"]
    assert codex["SessionEnd"][0]["hooks"][0]["timeout"] == 3
    table = tomllib.loads((user / ".codex/config.toml").read_text())["mcp_servers"]["everself"]
    assert table["args"][-1] == "mcp"
    cursor = json.loads((user / ".cursor/hooks.json").read_text())
    assert cursor["version"] == 1
    assert cursor["hooks"]["beforeSubmitPrompt"][0]["command"].endswith("hook beforeSubmitPrompt --client cursor")
    assert "everself" in json.loads((user / ".cursor/mcp.json").read_text())["mcpServers"]
    assert "everself" in json.loads((user / ".gemini/settings.json").read_text())["mcpServers"]


# as each client documents its file: which keys stand where. Cursor ignores an event in another spelling without a word.
CURSOR_EVENTS = {"sessionStart", "beforeSubmitPrompt", "stop", "preCompact", "sessionEnd"}


def test_the_files_of_cursor_are_in_version_1_of_its_form(user: Path) -> None:
    connect("cursor")
    hooks = json.loads((user / ".cursor/hooks.json").read_text())
    assert set(hooks) == {"version", "hooks"}
    assert hooks["version"] == 1
    assert type(hooks["version"]) is int
    assert set(hooks["hooks"]) == CURSOR_EVENTS
    for event, entries in hooks["hooks"].items():
        assert event_of(event)
        # flat: no list of hooks within, as Claude Code has it
        assert [set(one) for one in entries] == [{"command"}]
        assert shlex.split(entries[0]["command"])[-4:] == ["hook", event, "--client", "cursor"]
    servers = json.loads((user / ".cursor/mcp.json").read_text())
    assert set(servers) == {"mcpServers"}
    server = servers["mcpServers"]["everself"]
    assert set(server) <= {"command", "args", "env"}
    assert all(isinstance(one, str) for one in (server["command"], *server["args"]))


def test_the_files_of_claude_code_and_codex_are_in_their_envelope(user: Path) -> None:
    for client, name in (("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")):
        connect(client)
        hooks = json.loads((user / name).read_text())
        assert set(hooks) == {"hooks"}
        for event, (group,) in hooks["hooks"].items():
            assert set(group) == {"hooks"}
            (hook,) = group["hooks"]
            assert set(hook) == {"type", "command", "timeout"}
            assert (hook["type"], type(hook["timeout"])) == ("command", int)
            assert hook["timeout"] <= (3 if event == "SessionEnd" else 10)
    table = tomllib.loads((user / ".codex/config.toml").read_text())["mcp_servers"]["everself"]
    assert set(table) <= {"command", "args", "env"}
    server = json.loads((user / ".claude.json").read_text())["mcpServers"]["everself"]
    assert set(server) <= {"type", "command", "args", "env"}


def test_a_home_elsewhere_and_an_agent_are_told_to_hook_and_server(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle("aria")
    monkeypatch.setenv("EVERSELF_HOME", HOME.places.home)
    connect("codex", agent="aria")
    command = json.loads((user / ".codex/hooks.json").read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert command.startswith(f"env EVERSELF_HOME={HOME.places.home} ")
    assert command.endswith("hook Stop --client codex --agent aria")
    table = tomllib.loads((user / ".codex/config.toml").read_text())["mcp_servers"]["everself"]
    assert table["args"][-3:] == ["--agent", "aria", "mcp"]
    assert table["env"]["EVERSELF_HOME"] == HOME.places.home
    before = tree(user)
    # another agent takes its place, and is not added beside it
    connect("claude-code", agent="aria")
    connect("claude-code")
    hooks = json.loads((user / ".claude/settings.json").read_text())["hooks"]
    assert [len(one) for one in hooks.values()] == [1] * 5
    disconnect("claude-code")
    assert tree(user) == before
    with pytest.raises(NotFound):
        connect("codex", agent="nobody")


def test_a_project_has_files_of_its_own(user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "rocket"
    project.mkdir()
    monkeypatch.chdir(project)
    before = tree(user)
    for client in CLIENTS:
        connect(client, project=True)
    names = {str(one.relative_to(project)) for one in project.rglob("*") if one.is_file()}
    assert names == {
        *(".claude/settings.local.json", ".mcp.json", ".codex/hooks.json", ".codex/config.toml"),
        *(".cursor/hooks.json", ".cursor/mcp.json", ".gemini/settings.json"),
    }
    assert {one.state for one in connect("status", project=True).clients} == {"connected"}
    assert {one.state for one in connect("status").clients} == {"not connected"}
    for client in CLIENTS:
        disconnect(client, project=True)
    assert not list(project.iterdir())
    assert {name: data for name, data in tree(user).items() if not name.startswith(str(tmp_path))} == {
        name: data for name, data in before.items() if not name.startswith(str(tmp_path))
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('\ufeff{"a": 1}', "begins with a byte order mark"),
        ('{"hooks": {}, "hooks": {"Stop": []}, "mcpServers": {}, "mcpServers": {}}', "has the key .* twice .line 1."),
        (
            '{"mcpServers": {"everself": {}, "everself": {}}, "hooks": {"Stop": [], "Stop": [1], "stop": [], "stop": 1}}',
            "twice",
        ),
        ('{"a": ', "valid JSON5"),
        ("[1, 2]", "one object"),
        (
            '{"hooks": {"Stop": 7, "stop": 7}, "mcpServers": {"everself": {"x": 1}, "everself": 2}}',
            "is not a list|twice",
        ),
        ('{"hooks": 7, "mcpServers": 7}', "not a group"),
    ],
)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_file_that_cannot_be_edited_safely_is_left_alone(user: Path, client: str, text: str, words: str) -> None:
    for name in FILES[client]:
        write(user / name, text if name.endswith("json") else TOMLS["comments"])
    before = tree(user)
    for dry_run in (True, False):
        with pytest.raises(BadConfig, match=words) as said:
            connect(client, dry_run=dry_run)
        # which file it is, and what to do with it
        assert str(user) in str(said.value)
        assert said.value.mend
    assert tree(user) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('\ufeffmodel = "x"\n', "begins with a byte order mark"),
        ('model = "x"\nmodel = "y"\n', "not valid TOML"),
        ('[mcp_servers.everself]\ncommand = "x"\n[mcp_servers.everself]\ncommand = "y"\n', "not valid TOML"),
    ],
)
def test_a_file_of_toml_that_cannot_be_edited_safely_is_left_alone(user: Path, text: str, words: str) -> None:
    write(user / ".codex/config.toml", text)
    before = tree(user)
    with pytest.raises(BadConfig, match=words):
        connect("codex")
    assert tree(user) == before


def test_a_key_that_stands_twice_elsewhere_is_left_as_it_is(user: Path) -> None:
    text = '{\n\t"theme": 1, // mine\n\t"theme": 2\n}\n'
    write(user / ".gemini/settings.json", text)
    connect("gemini")
    assert text[: text.rindex("\n}")] in (user / ".gemini/settings.json").read_text()
    disconnect("gemini")
    assert (user / ".gemini/settings.json").read_text() == text


def test_without_a_script_python_takes_no_module_from_the_folder_of_the_client(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository may hold a file with the name of a module that a hook loads."""
    link = tmp_path / "bin" / "python"
    link.parent.mkdir()
    link.symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(link))
    connect("cursor")
    command = json.loads((user / ".cursor/hooks.json").read_text())["hooks"]["stop"][0]["command"]
    assert f"{link} -P -m everself hook stop" in command
    server = json.loads((user / ".cursor/mcp.json").read_text())["mcpServers"]["everself"]
    assert server["args"][:3] == ["-P", "-m", "everself"]


def test_a_second_file_that_cannot_be_edited_keeps_the_first_from_being_changed(user: Path) -> None:
    write(user / ".codex/config.toml", "model = \n")
    before = tree(user)
    with pytest.raises(BadConfig, match="valid TOML"):
        connect("codex")
    write(user / ".codex/config.toml", '[mcp_servers.everself]\ncommand = "mine"\n')
    with pytest.raises(BadConfig, match="says something else"):
        connect("codex")
    write(user / ".codex/config.toml", 'mcp_servers = {other = {command = "x"}}\n')
    with pytest.raises(BadConfig, match="cannot be edited safely"):
        connect("codex")
    assert set(tree(user)) == set(before)
    (user / ".codex/config.toml").write_bytes(b'a = "\xff"')
    with pytest.raises(BadConfig, match="not UTF-8"):
        connect("codex")


def test_what_a_client_wrote_into_our_table_is_no_reason_to_fail(user: Path) -> None:
    connect("codex")
    file = user / ".codex/config.toml"
    file.write_text(
        file.read_text() + '\n[mcp_servers.everself.tools.memory_search]\napproval_mode = "auto"\n\n[tui]\nx = 1\n'
    )
    assert not any(one.changed for one in connect("codex").clients[0].files)
    disconnect("codex")
    assert tomllib.loads(file.read_text()) == {"tui": {"x": 1}}


def test_links_are_followed_and_what_is_no_file_is_refused(user: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "settings.json"
    write(kept, '{"a": 1}\n')
    (user / ".gemini").mkdir()
    (user / ".gemini/settings.json").symlink_to(kept)
    connect("gemini")
    assert (user / ".gemini/settings.json").is_symlink()
    assert "everself" in kept.read_text()
    disconnect("gemini")
    assert kept.read_text() == '{"a": 1}\n'
    (user / ".gemini/settings.json").unlink()
    os.mkfifo(user / ".gemini/settings.json")
    with pytest.raises(RefusedByRule, match="not a file"):
        connect("gemini")
    assert connect("status").clients[-1].state == "unreadable"


def test_what_is_left_to_do_is_said(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del user
    assert "restart claude" in connect("claude-code").notices[0]
    assert "trust" in connect("codex").notices[0]
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert install_command("mcp") in connect("claude-code").notices[-1]


def test_the_readme_has_one_line_for_each_client() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    named = re.findall(r"^everself connect ([a-z-]+) +# then restart", text, re.MULTILINE)
    assert named == list(CLIENTS)


def test_only_known_clients_are_connected(user: Path) -> None:
    del user
    for act in (connect, disconnect):
        with pytest.raises(WrongUse, match="emacs"):
            act("emacs")


def test_a_full_disk_changes_nothing(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(user / ".gemini/settings.json", '{"a": 1}\n')
    before = tree(user)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        with pytest.raises(EverselfError):
            connect("gemini")
    assert tree(user) == before
    connect("gemini")
    disconnect("gemini")
    assert tree(user) == before


def test_gemini_asks_a_running_gateway_with_a_token_of_its_own(user: Path) -> None:
    file = user / ".gemini/settings.json"
    write(file, '{\n  "theme": "dark"\n}\n')
    file.chmod(0o644)
    before = tree(user)
    tokens = TokenFile(folder_of(HOME.places))
    with only_gateway(HOME.places) as folder:
        tell_listening(folder, Listening(os.getpid(), "http://127.0.0.1:7373", "s", ""))
        connect("gemini", dry_run=True)
        assert not tokens.tokens()
        assert connect("gemini").clients[0].state == "connected"
        server = json.loads(file.read_text())["mcpServers"]["everself"]
        assert server["httpUrl"] == "http://127.0.0.1:7373/mcp"
        token = tokens.find(server["headers"]["Authorization"].removeprefix("Bearer "))
        assert token is not None
        assert (token.name, token.session, token.read) == ("connect-gemini", "main", False)
        # a token stands in it now
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        connected = tree(user)
        assert not connect("gemini").clients[0].files[0].changed
        assert tree(user) == connected
    # the gateway rests: the client stays connected to it
    assert not connect("gemini").clients[0].files[0].changed
    assert {one.client: one.state for one in connect("status").clients}["gemini"] == "connected"
    with only_gateway(HOME.places) as folder:
        # it listens elsewhere now: the client is told, and what it had before is refused
        tell_listening(folder, Listening(os.getpid(), "http://127.0.0.1:7474", "s", ""))
        assert {one.client: one.state for one in connect("status").clients}["gemini"] == "not connected"
        assert connect("gemini").clients[0].files[0].changed
        assert json.loads(file.read_text())["mcpServers"]["everself"]["httpUrl"] == "http://127.0.0.1:7474/mcp"
        assert len(tokens.tokens()) == 1
        assert tokens.find(server["headers"]["Authorization"].removeprefix("Bearer ")) is None
    disconnect("gemini")
    assert tree(user) == before
    assert not tokens.tokens()


def test_gemini_without_its_token_starts_a_server_of_its_own_again(user: Path) -> None:
    file = user / ".gemini/settings.json"
    tokens = TokenFile(folder_of(HOME.places))
    with only_gateway(HOME.places) as folder:
        tell_listening(folder, Listening(os.getpid(), "http://127.0.0.1:7373", "s", ""))
        connect("gemini")
    tokens.remove("connect-gemini")
    assert {one.client: one.state for one in connect("status").clients}["gemini"] == "not connected"
    connect("gemini")
    assert json.loads(file.read_text())["mcpServers"]["everself"]["args"][-1] == "mcp"
    disconnect("gemini")
    assert not file.exists()


@pytest.mark.usefixtures("user")
def test_a_token_whose_file_could_not_be_written_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ChangedMeanwhile("(settings.json)")

    monkeypatch.setattr("everself.operations.connections.save_client_file", refuse)
    with only_gateway(HOME.places) as folder:
        tell_listening(folder, Listening(os.getpid(), "http://127.0.0.1:7373", "s", ""))
        with pytest.raises(ChangedMeanwhile):
            connect("gemini")
    assert not TokenFile(folder_of(HOME.places)).tokens()


@pytest.mark.usefixtures("user")
def test_no_token_stands_in_a_file_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with only_gateway(HOME.places) as folder:
        tell_listening(folder, Listening(os.getpid(), "http://127.0.0.1:7373", "s", ""))
        connect("gemini", project=True)
    assert "httpUrl" not in (tmp_path / ".gemini/settings.json").read_text()
    assert not TokenFile(folder_of(HOME.places)).tokens()
