"""`everself gateway run` as a process of its own, with a home of its own and a scripted model behind it, over real sockets."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.models.chat.servers import Asked, Call, Reply, Server, say, serve

LONG = 60.0


@dataclass(frozen=True)
class Running:
    """A gateway that listens at `url`; `model` is the server behind it."""

    url: str
    model: Server
    environ: dict[str, str]

    def everself(self, *words: str) -> Any:
        """What a command prints as JSON."""
        done = self.command(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["data"]

    def command(self, *words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "everself", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False, env=self.environ)

    def token(self, name: str, session: str = "main", *more: str) -> str:
        found: str = self.everself("gateway", "token", "add", name, "--as", session, *more)["token"]
        return found


@contextmanager
def running_gateway(home: Path) -> Iterator[Running]:
    """Its model answers by `answer`."""
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("EVERSELF_", "XDG_"))}
    environ = {**keep, "HOME": str(home), "EVERSELF_HOME": str(home / ".everself"), "XDG_CONFIG_HOME": str(home / ".c")}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with serve("openai", script=answer) as model:
        folder = home / ".everself"
        folder.mkdir(parents=True)
        settings = {
            "agents": {"defaults": {"model": "openai/gpt-5.2", "memorySearch": {"provider": "none"}}},
            "provider": {"openai": {"baseUrl": model.url, "apiKey": "sk-scripted"}},
            "gateway": {"port": port},
        }
        (folder / "everself.json5").write_text(json.dumps(settings))
        made = Running(f"http://127.0.0.1:{port}", model, environ)
        made.everself("setup")
        command = [sys.executable, "-m", "everself", "gateway", "run", "--json"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ
        ) as process:
            try:
                assert process.stdout is not None
                # a brace, then whether it listens
                told = process.stdout.readline() + process.stdout.readline()
                assert '"ok": true' in told, told or (process.stderr.read() if process.stderr else "")
                yield made
            finally:
                process.terminate()
                process.wait(LONG)


def answer(asked: Asked) -> Reply:
    """What the model says: it depends on the last message alone, and on whether memory or a tool told it something."""
    messages = asked.body["messages"]
    last = next(one for one in reversed(messages) if one["role"] == "user")
    said = _text(last["content"]).partition("[Context for this message")[0]
    returned = [_text(one["content"]) for one in messages[messages.index(last) :] if one["role"] == "tool"]
    offered = [one["function"]["name"] for one in asked.body.get("tools", [])]
    if "weather" in said and "weather" in offered and not returned:
        search = Call("memory_search", '{"query": "coat"}', "call_own")
        return Reply(("Let me see.",), calls=(search, Call("weather", '{"city": "Bern"}', "call_theirs")))
    if "run a command" in said and not returned:
        named = {"Bash": '{"command": "echo grey heron"}', "exec_command": '{"cmd": "echo grey heron"}'}
        return Reply(calls=tuple(Call(name, given, f"call_{name}") for name, given in named.items() if name in offered))
    if returned:
        return say("The tool said: ", returned[-1][-400:])
    if "slowly" in said:
        return say("One ", "more.", stall=1)
    if "fail" in said:
        return Reply(status=400, fault="rejected")
    if "as JSON" in said:
        return say('{"name": ', '"Otto"}')
    if "What is my heron called" in said:
        return say("Otto." if "Otto" in asked.words.replace(said, "") else "I do not know.")
    return say("Hello ", "from the script.", usage=(120, 30, 100, 5))


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
