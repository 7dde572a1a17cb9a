"""`everself hook` as a process: it remembers without a gateway and with one, and whatever is wrong it ends with 0 and says nothing."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from tests.interfaces.client_hooks.hooking import STUCK, HookHome, payload
from tests.interfaces.http.gateways import free_port
from tests.trust.small_disk import NotPermitted, small_disk

from everself.clock import monotonic, pause, process_age
from everself.interfaces.client_hooks.entry import Hook

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
SAID = "My boat is called Heliotrope."
ASKED = "What is my boat called?"
TOP = Path(__file__).resolve().parents[3]


@pytest.fixture
def home(tmp_path: Path) -> HookHome:
    made = HookHome(tmp_path)
    made.set_up()
    return made


@contextmanager
def gateway(home: HookHome) -> "Iterator[subprocess.Popen[bytes]]":
    home.everself("config", "set", "gateway.port", str(free_port()))
    command = [sys.executable, "-m", "everself", "gateway", "run", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=home.environ) as process:
        try:
            assert process.stdout is not None
            # a brace, then whether it listens
            assert b'"ok": true' in process.stdout.readline() + process.stdout.readline()
            yield process
        finally:
            process.terminate()
            process.wait(STUCK)


@pytest.mark.slow
def test_a_client_remembers_without_a_gateway_and_with_one(home: HookHome) -> None:
    assert home.tell("UserPromptSubmit", prompt=SAID, prompt_id="p1") == ""
    assert f"> {SAID}" in home.tell("UserPromptSubmit", "s2", prompt=ASKED)
    assert home.hook("Stop", payload("Stop")) == b""
    with gateway(home):
        assert f"> {SAID}" in home.tell("UserPromptSubmit", "s3", prompt=ASKED)
        assert home.tell("UserPromptSubmit", "s4", prompt="My cat is called Biscuit.") == ""
        assert home.hook("SessionEnd", payload("SessionEnd", "s4")) == b""
        assert "Biscuit" in home.tell("UserPromptSubmit", "s5", prompt="What is my cat called?")
        assert "You are someone in particular." in home.tell("SessionStart", "s6")
        log = (home.home / "gateway" / "gateway.log").read_text()
        assert log.count("/client-hooks/event") == 5
        assert "Biscuit" not in log
    # the gateway is gone, and the hook does not start it again
    assert f"> {SAID}" in home.tell("UserPromptSubmit", "s7", prompt=ASKED)
    assert home.hook("SessionEnd", payload("SessionEnd")) == b""
    assert not (home.home / "gateway" / "gateway.sock").exists()
    entries = [one["entry"] for one in home.everself("memory", "list")]
    assert sorted(one["text"] for one in entries) == [SAID, "My cat is called Biscuit."]
    assert {one["source"] for one in entries} == {"owner"}


@pytest.mark.slow
def test_bad_input_is_answered_with_nothing(home: HookHome) -> None:
    cut = payload("UserPromptSubmit", prompt=SAID)[:-9]
    huge = payload("UserPromptSubmit", prompt="x" * 10_000_000)
    for data in (b"", cut, huge, b'{"jsonrpc": "2.0"}', b"[" * 100_000):
        assert home.hook("UserPromptSubmit", data) == b""
    for words in (
        ("Nonsense",),
        ("Stop", "--client", "emacs"),
        ("Stop", "--agent", "nobody"),
        ("Stop", "--what", "ever"),
    ):
        assert home.hook(words[0], payload("Stop"), *words[1:]) == b""
    assert home.everself("sessions", "list") in ([], [{}])


@pytest.mark.slow
def test_a_home_that_is_not_there_or_cannot_be_used_is_left_alone(tmp_path: Path) -> None:
    home = HookHome(tmp_path)
    for event in EVENTS:
        assert home.hook(event, payload(event, prompt=SAID)) == b""
    assert not list(tmp_path.iterdir())
    home.set_up()
    (home.home / "everself.json5").write_text("{ not json")
    assert home.hook("SessionStart", payload("SessionStart")) == b""


@pytest.mark.slow
def test_a_damaged_or_locked_database_is_no_reason_to_stop(home: HookHome) -> None:
    home.tell("UserPromptSubmit", prompt=SAID)
    home.everself("config", "set", "hooks.deadlineMs", "400")
    holder = (
        "import apsw, sys; held = apsw.Connection(sys.argv[1]); held.execute('BEGIN EXCLUSIVE'); print('held', flush=True); "
        "sys.stdin.read()"
    )
    command = [sys.executable, "-c", holder, str(home.state / "state.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        for event in EVENTS[1:3]:
            assert home.hook(event, payload(event, "s2", prompt="Otters hold hands.")) == b""
        process.communicate()
    home.everself("config", "set", "hooks.deadlineMs", "30000")
    for name in ("state.db-wal", "state.db-shm"):
        (home.state / name).unlink(missing_ok=True)
    (home.state / "state.db").write_bytes(os.urandom(65_536))
    for event in EVENTS:
        out = home.hook(event, payload(event, "s3", prompt="Otters hold hands."))
        assert not out or json.loads(out)


@pytest.mark.slow
def test_a_home_with_a_long_path_is_reached_over_its_socket_by_hooks_and_mcp(tmp_path: Path) -> None:
    deep = tmp_path / ("a" * 60) / ("b" * 60)
    deep.mkdir(parents=True)
    home = HookHome(deep)
    home.set_up()
    with gateway(home):
        home.tell("UserPromptSubmit", prompt=SAID, prompt_id="p1")
        named = "io.modelcontextprotocol"
        meta = {f"{named}/protocolVersion": "2026-07-28", f"{named}/clientCapabilities": {}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
        command = [sys.executable, "-m", "everself", "mcp"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=home.environ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps(asked).encode() + b"\n")
            server.stdin.flush()
            assert b"memory_search" in server.stdout.readline()
            server.stdin.close()
    log = (home.home / "gateway" / "gateway.log").read_text()
    served = [one["route"] for one in map(json.loads, log.splitlines()) if one.get("status") == 200]
    assert "/client-hooks/event" in served
    assert "/mcp" in served
    assert not (home.home / "gateway" / "gateway.sock").exists()


@pytest.mark.slow
def test_a_slow_disk_ends_with_the_deadline(home: HookHome) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    home.everself("config", "set", "hooks.deadlineMs", "500")
    slow = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync,openat")
    delayed = (*slow, "-e", "inject=fsync,fdatasync:delay_enter=5000000")
    assert home.hook("UserPromptSubmit", payload("UserPromptSubmit", prompt=SAID), under=delayed) == b""


@pytest.mark.slow
def test_neither_a_stuck_interpreter_nor_an_open_stdin_keeps_the_client_waiting(tmp_path: Path) -> None:
    """One call holds the interpreter for minutes, as loading a library from a disk that hangs does; the other one's stdin never ends."""
    script = """
import ctypes, os, sys
from everself.interfaces.client_hooks import entry
if sys.argv[1] == "stuck":
    entry.Hook._work = lambda self: ctypes.PyDLL(None).sleep(600)
print(os.getpid(), flush=True)
entry.run(["UserPromptSubmit"])
"""
    environ = {**os.environ, "EVERSELF_HOME": str(tmp_path / "h"), "HOME": str(tmp_path)}
    for why in ("stuck", "open"):
        command = [sys.executable, "-c", script, why, str(tmp_path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.wait(STUCK) == 0
            # whoever reads until the end comes to it: nobody else holds the pipe
            assert process.stdout.read().strip() == str(process.pid).encode()
            end = monotonic() + STUCK
            while left := [one for one in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path) in _words(one)]:
                assert monotonic() < end, left
                pause(0.02)


def _words(process: Path) -> str:
    try:
        return process.read_text("utf-8", "replace")
    except OSError:
        return ""


def test_the_deadline_of_the_settings_is_known_before_the_input_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERSELF_HOME", str(tmp_path))
    (tmp_path / "everself.json5").write_text("{hooks: {deadlineMs: 4321}}")
    settled: list[float] = []

    def wait() -> bytes:
        assert settled == [4.321]
        return b""

    monkeypatch.setattr("everself.interfaces.client_hooks.entry._stdin", wait)
    Hook(["Stop"], settled.append)._work()
    assert settled


def test_the_deadline_counts_from_the_start_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0.0 <= process_age() < 24 * 3600
    for age, left in ((0.0, 1.0), (0.5, 0.5), (3.0, -2.0), (600.0, 1.0)):
        monkeypatch.setattr("everself.interfaces.client_hooks.entry.process_age", lambda age=age: age)
        monkeypatch.setattr("everself.interfaces.client_hooks.entry.monotonic", lambda: 100.0)
        assert Hook(["Stop"]).left() == pytest.approx(left)


@pytest.mark.slow
def test_a_full_disk_loses_nothing_that_was_kept() -> None:
    try:
        with small_disk() as disk:
            home = HookHome(disk.top)
            home.set_up()
            home.tell("UserPromptSubmit", prompt=SAID)
            disk.fill(leave=0)
            for event in EVENTS:
                out = home.hook(event, payload(event, "s2", prompt=ASKED))
                assert not out or json.loads(out)
            disk.free()
            assert f"> {SAID}" in home.tell("UserPromptSubmit", "s3", prompt=ASKED)
    except NotPermitted as error:
        pytest.skip(f"nothing can be mounted: {error}")


def test_the_way_to_the_gateway_loads_next_to_nothing(tmp_path: Path) -> None:
    """Asked over a socket at which somebody answers in the gateway's place."""
    script = """
import io, json, socket, sys, threading, os
from everself.interfaces.client_hooks.entry import Hook
for name in ("gateway", "workspace"):
    os.makedirs(os.path.join(os.environ["EVERSELF_HOME"], name))
server = socket.socket(socket.AF_UNIX)
server.bind(os.path.join(os.environ["EVERSELF_HOME"], "gateway", "gateway.sock"))
server.listen()
def answer():
    asked, _ = server.accept()
    asked.recv(65536)
    asked.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\n{"ok": true, "data": {"text": "Heliotrope"}}')
    asked.close()
threading.Thread(target=answer, daemon=True).start()
sys.stdin = io.TextIOWrapper(io.BytesIO(b'{"session_id": "s", "prompt": "Hi"}'))
hook = Hook(["UserPromptSubmit"])
hook.work()
print(json.dumps([hook.text, sorted(sys.modules)]))
"""
    environ = {
        **os.environ,
        "EVERSELF_HOME": str(tmp_path / "h"),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(TOP / "src"),
    }
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=STUCK, check=True, env=environ
    )
    text, loaded = json.loads(done.stdout)
    assert text == "Heliotrope"
    heavy = {"click", "mcp", "numpy", "asyncio", "apsw", "msgspec", "re2", "everself.runtime", "everself.operations"}
    assert not heavy & set(loaded)


def test_no_token_and_no_page_tells_events_over_the_network() -> None:
    """What comes in there names files of this machine."""
    from tests.interfaces.http.gateways import Gateway, make_agent, make_token

    make_agent()
    token = make_token("editor")
    body = {"event": "prompt", "client": "codex", "session": "s", "prompt": "I am Mallory."}

    async def act() -> list[int]:
        async with Gateway() as running:
            clients = (running.client(), running.client(token), running.client(**{"X-Everself-Agent": "main"}))
            return [(await one.post("/client-hooks/event", json=body)).status_code for one in clients]

    assert asyncio.run(act()) == [401, 401, 401]


THINGS = (
    "boat",
    "cat",
    "horse",
    "violin",
    "lawyer",
    "village",
    "sister",
    "bakery",
    "doctor",
    "guitar",
    "parrot",
    "teacher",
)


@pytest.mark.slow
def test_two_clients_at_once_and_hooks_killed_half_way_lose_and_double_nothing(home: HookHome, seed: int) -> None:
    random = Random(seed)
    told = [
        (("claude-code", "codex")[at % 2], f"s{at % 4}", f"p{at}", f"My {thing} is called Zor{thing}{at}.")
        for at, thing in enumerate(THINGS)
    ]

    def start(client: str, session: str, name: str, text: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "everself", "hook", "UserPromptSubmit", "--client", client]
        process = subprocess.Popen(
            [*command, "--deadline", "30000"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=home.environ,
            process_group=0,
        )
        assert process.stdin is not None
        process.stdin.write(payload("UserPromptSubmit", session, prompt=text, prompt_id=name))
        process.stdin.close()
        return process

    for _ in range(3):
        # each is told twice at the same time, as by a client with two plugins
        running = [start(*one) for one in random.sample(told, 6) for _ in range(2)]
        for process in random.sample(running, 6):
            pause(random.random() * 0.3)
            os.killpg(process.pid, signal.SIGKILL)
        for process in running:
            assert process.wait(STUCK) in (0, -signal.SIGKILL)
    # what a client was not answered it tells again, or its transcript does
    for one in told:
        assert start(*one).wait(STUCK) == 0
    for client, session in dict.fromkeys(one[:2] for one in told):
        assert home.hook("Stop", payload("Stop", session), "--client", client, "--deadline", "30000") == b""
    sessions = home.everself("sessions", "list")
    assert sum(one["messages"] for one in sessions) == len(told)
    entries = [one["entry"] for one in home.everself("memory", "list", "--limit", "100")]
    assert sorted(one["text"] for one in entries) == sorted(text for *_, text in told)
    assert {(one["source"], one["mentions"]) for one in entries} == {("owner", 1)}
    checked = subprocess.run(
        [sys.executable, "-m", "everself", "doctor"], env=home.environ, capture_output=True, check=False
    )
    assert checked.returncode in (0, 6), checked.stdout
