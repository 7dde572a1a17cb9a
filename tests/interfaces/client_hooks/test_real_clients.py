"""Claude Code and Codex themselves remember: connected by `everself connect`, offline, with a scripted model in their vendor's place.

`make clients` installs them; without them these tests are skipped, and say so.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.client_hooks.hooking import HookHome
from tests.interfaces.client_hooks.test_hook import gateway
from tests.models.chat.servers import Asked, Call, Reply, Server, say, serve
from tests.trust.small_disk import NotPermitted, small_disk

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / ".clients" / "node_modules" / ".bin"
# starting a program of 200 MB on a busy machine, and its hooks
LONG = 180.0
WAITS = 60
SAID, ASKED = "My boat is called Heliotrope.", "What is my boat called?"
# by the entry, or by the message where the client did not wait for the hook at its end
CITED = re.compile(r"(?:memory/[0-9-]+\.md#L[0-9]+|msg:[0-9A-Z]{12}) \\u00b7 ")
SEARCH = "Can you search your memory for it?"
CODEX = """# mine
model = "main"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "{url}"
wire_api = "responses"
env_key = "FAKE_KEY"
"""


def answer(asked: Asked) -> Reply:
    """It searches memory when it is asked to and has not yet."""
    words = asked.words
    if SEARCH in words and "call_search" not in words:
        tools = list(_tools(asked.body))
        for space, name in tools:
            if name.endswith("memory_search"):
                return Reply(calls=(Call(name, '{"query": "boat"}', "call_search", space),))
        names = {name for _, name in tools}
        # the server is still starting: Claude Code offers a tool for that, and Codex looks for its tools before each request
        if "WaitForMcpServers" in names and "call_wait" not in words:
            return Reply(calls=(Call("WaitForMcpServers", "{}", "call_wait"),))
        waited = words.count("call_wait") // 2
        if "exec_command" in names and waited < WAITS:
            return Reply(calls=(Call("exec_command", '{"cmd": "sleep 1"}', f"call_wait{waited}"),))
    return say("Hello ", "from the script.")


def _tools(body: Any) -> Iterator[tuple[str, str]]:
    """Names of tools, with their namespaces where they have one."""
    for one in body.get("tools", ()):
        for inner in one.get("tools", ()):
            yield one["name"], inner["name"]
        if one.get("name"):
            yield "", one["name"]


@dataclass(frozen=True)
class Client:
    """A coding agent in a home of its own, connected to Everself there."""

    name: str
    program: str
    home: HookHome
    model: Server

    @property
    def work(self) -> Path:
        made = self.home.folder / "work"
        made.mkdir(exist_ok=True)
        return made

    @property
    def environ(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home.folder),
            "FAKE_KEY": "x",
            "ANTHROPIC_BASE_URL": self.model.url.removesuffix("/v1"),
            "ANTHROPIC_API_KEY": "sk-ant-api03-test",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def ask(self, text: str) -> str:
        """What it says in a process of its own; it succeeds."""
        if self.name == "codex":
            always = (
                "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox",
                "--dangerously-bypass-hook-trust",
            )
            return self.run("exec", *always, text)
        return self.run("-p", text, "--model", "main", "--allowedTools", "mcp__everself__memory_search")

    def run(self, *words: str) -> str:
        done = subprocess.run(
            [self.program, *words],
            cwd=self.work,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )
        assert done.returncode == 0, (done.stdout[-2_000:], done.stderr[-2_000:])
        return done.stdout.strip()

    def told(self) -> str:
        """All that reached the model with the last request, but its tools."""
        return json.dumps({key: value for key, value in self.model.asked[-1].body.items() if key != "tools"})


@contextmanager
def connected(name: str, folder: Path) -> Iterator[Client]:
    program = PROGRAMS / ("claude" if name == "claude-code" else name)
    if shutil.which("node") is None or not program.exists():
        pytest.skip(f"{name} is not installed: make clients")
    home = HookHome(folder)
    home.set_up()
    with serve("responses" if name == "codex" else "anthropic", script=answer) as model:
        if name == "codex":
            (folder / ".codex").mkdir()
            (folder / ".codex" / "config.toml").write_text(CODEX.format(url=model.url))
        home.everself("connect", name)
        yield Client(name, str(program), home, model)


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_the_real_client_remembers(name: str, tmp_path: Path) -> None:
    with connected(name, tmp_path) as client:
        home = client.home
        assert "Hello from the script." in client.ask(SAID)
        assert "You are someone in particular." in client.told()
        assert "Hello from the script." in client.ask(ASKED)
        # injected by our hook, with its citation
        assert f"> {SAID}" in client.told()
        assert CITED.search(client.told())
        # on a busy machine the client may have given up on the hook that makes entries
        home.everself("keepers", "run", "memory-miner")
        client.ask(SEARCH)
        returned = client.told().partition("call_search")[2]
        assert "Heliotrope" in returned
        listed = client.run("mcp", "list")
        assert "everself" in listed
        assert ("Connected" if name == "claude-code" else "enabled") in listed
        home.everself("keepers", "run", "memory-miner")
        entries = [one["entry"] for one in home.everself("memory", "list")]
        # neither what was injected, nor what a tool gave, nor what the model said is the owner's
        assert [one["text"] for one in entries if one["source"] == "owner"] == [SAID]
        typed = [one for one in home.everself("sessions", "list") if one["channel"] == name]
        assert len(typed) == 3
        with gateway(home):
            client.ask("And once more: what is my boat called?")
            assert f"> {SAID}" in client.told()
            log = (home.home / "gateway" / "gateway.log").read_text()
            assert log.count("/client-hooks/event") >= 3
        home.everself("disconnect", name)
        before = client.told()
        client.ask(ASKED)
        assert "Heliotrope" in before
        assert "Heliotrope" not in client.told()
        if name == "codex":
            assert (tmp_path / ".codex" / "config.toml").read_text().startswith(CODEX.format(url=client.model.url))
            assert not (tmp_path / ".codex" / "hooks.json").exists()


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_turn_of_the_client_succeeds_whatever_is_wrong_with_everself(name: str, tmp_path: Path) -> None:
    with connected(name, tmp_path) as client:
        home = client.home
        client.ask(SAID)
        home.everself("config", "set", "hooks.deadlineMs", "300")
        holder = (
            "import apsw, sys; held = apsw.Connection(sys.argv[1]); held.execute('BEGIN EXCLUSIVE'); "
            "print('held', flush=True); sys.stdin.read()"
        )
        command = [sys.executable, "-c", holder, str(home.state / "state.db")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            assert "Hello from the script." in client.ask(ASKED)
            process.communicate()
        (home.state / "state.db").write_bytes(os.urandom(65_536))
        assert "Hello from the script." in client.ask(ASKED)
        shutil.rmtree(home.home)
        assert "Hello from the script." in client.ask(ASKED)


def test_a_turn_of_the_client_succeeds_while_the_disk_of_everself_is_full(tmp_path: Path) -> None:
    try:
        with small_disk() as disk, connected("codex", tmp_path) as client:
            moved = disk.top / "home"
            shutil.move(client.home.home, moved)
            client.home.home.symlink_to(moved)
            client.ask(SAID)
            disk.fill(leave=0)
            assert "Hello from the script." in client.ask(ASKED)
            disk.free()
            client.ask(ASKED)
            assert f"> {SAID}" in client.told()
    except NotPermitted as error:
        pytest.skip(f"nothing can be mounted: {error}")
