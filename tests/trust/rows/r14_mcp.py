"""R14 over MCP: a client is killed, with its server idle, with an agent open, or in the middle of a write, and also where another child of
the client holds the server's pipe open. Its server and the server's worker are gone within seconds, and the next client writes at once.
"""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.interfaces.mcp.processes import home_of, set_up, words_of

from everself.clock import monotonic, pause

# the promise is five seconds; a busy machine takes longer, and one that stays for ever is found all the same
MOST_WAIT = 60.0
LONG = 120.0
MOMENTS = ("writing", "inherited", "idle", "open")
CLIENT = """
import json, os, subprocess, sys, time
moment = sys.argv[1]
server = subprocess.Popen([sys.executable, "-m", "everself", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
def ask(number, method, **params):
    line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}})
    server.stdin.write(line.encode() + b"\\n")
    server.stdin.flush()
def write(number):
    words = f"Process {os.getpid()} saw heron {number}."
    ask(number, "tools/call", name="memory_write", arguments={"content": words})
ask(1, "tools/list") if moment == "idle" else write(1)
assert b"error" not in server.stdout.readline()
others = []
if moment == "inherited":
    os.set_inheritable(server.stdin.fileno(), True)
    others = [subprocess.Popen(["sleep", "300"], close_fds=False).pid]
if moment == "writing":
    for number in range(2, 30):
        write(number)
print(server.pid, *others, flush=True)
time.sleep(300)
"""


def children(process: int) -> list[int]:
    try:
        found = [path.read_text().split() for path in Path("/proc", str(process), "task").glob("*/children")]
    except OSError:
        return []
    return [int(one) for each in found for one in each]


def kill_client(environ: dict[str, str], moment: str) -> float:
    """How long its server and the server's worker outlived it."""
    command = [sys.executable, "-c", CLIENT, moment]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ, text=True) as client:
        assert client.stdout is not None
        server, *others = (int(one) for one in client.stdout.readline().split())
        started = [server, *children(server)]
        client.send_signal(signal.SIGKILL)
        client.wait(LONG)
    begun = monotonic()
    try:
        while left := [one for one in started if "everself" in words_of(one)]:
            assert monotonic() - begun < MOST_WAIT, f"{moment}: {[words_of(one) for one in left]} are left"
            pause(0.05)
    finally:
        for one in others:
            os.kill(one, signal.SIGKILL)
    return monotonic() - begun


def run_r14_mcp(count: int, seed: int) -> str:
    random = Random(seed)
    longest = 0.0
    with tempfile.TemporaryDirectory(prefix="everself-mcp-") as top:
        environ = home_of(Path(top))
        set_up(environ)
        for number in range(count):
            moment = (
                MOMENTS[(number + random.randrange(len(MOMENTS))) % len(MOMENTS)] if number >= 4 else MOMENTS[number]
            )
            longest = max(longest, kill_client(environ, moment))
        assert not Path(top, ".everself", "crash.log").exists(), "an end of the client was taken for a mistake"
    return f"R14 over MCP: {count} clients killed, 0 servers left, the last was gone after {longest:.1f} s, seed {seed}"
