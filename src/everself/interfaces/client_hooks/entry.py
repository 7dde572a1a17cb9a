"""`everself hook EVENT`: one event of a coding agent, answered within the deadline of the settings, else with nothing. Always exits 0.

A client waits for its hooks, so this starts with next to nothing: a running gateway is asked over its socket, and only where none runs is
the agent opened here. The work is done in a thread, and when the time is over the process ends without it: whatever was acknowledged is on
the disk. No daemon is started.
"""

import os
import sys
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from everself.clock import monotonic
from everself.interfaces.client_hooks.payload import MOST, client_of, event_of, read_payload, render_answer

_DEFAULT_MS: Final = 800
_SOCKET: Final = ("gateway", "gateway.sock")
ROUTE: Final = "/client-hooks/event"
AGENT: Final = "x-everself-agent"
_LARGEST_ANSWER: Final = 2**20


class Hook:
    """One event. `text` is what the client's model is told, `answer` what goes to stdout; `limit` is the deadline in seconds."""

    def __init__(self, arguments: Sequence[str]) -> None:
        words = [one for one in arguments if not one.startswith("--")]
        options = dict(pairwise(arguments))
        self.agent = options.get("--agent", "")
        self.client = client_of(options.get("--client", "claude-code"))
        self.name = words[0] if words else ""
        self.event = event_of(self.name)
        self.begun = monotonic()
        self.limit = _DEFAULT_MS / 1000
        self.settled = threading.Event()
        self.text = ""
        self.answer = b""
        self.answered = threading.Event()

    def left(self) -> float:
        return self.begun + self.limit - monotonic()

    def work(self) -> None:
        try:
            self._work()
        except Exception:  # noqa: BLE001 the fence of a hook: a client's own turn goes on, whatever is wrong here
            pass
        finally:
            self.settled.set()
            self.answered.set()

    def _work(self) -> None:
        request = read_payload(self.event, self.client, _stdin())
        if request is None:
            return
        from everself.config import load_here

        config = load_here().config
        self.limit = config.client_hooks.deadline_ms / 1000
        self.settled.set()
        chosen = config.agent(self.agent)
        if not os.path.isdir(chosen.workspace):
            # an agent that was never made is not made by a hook
            return
        agent, path = chosen.id, os.path.join(config.places.home, *_SOCKET)
        text = self._ask_gateway(path, agent, request) if os.path.exists(path) else None
        self.text = self._answer_here(agent, request) if text is None else text
        self.answer = render_answer(self.event, self.client, self.text)

    def _ask_gateway(self, path: str, agent: str, request: dict[str, object]) -> str | None:
        """What the gateway answers; None where none listens or it does not know the question."""
        import json
        import socket

        body = json.dumps(request).encode()
        head = (
            f"POST {ROUTE} HTTP/1.1\r\nHost: localhost\r\n{AGENT}: {agent}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
            asked.settimeout(max(0.01, self.left()))
            try:
                asked.connect(path)
            except OSError:
                return None
            asked.sendall(head.encode() + body)
            answer = bytearray()
            while len(answer) < _LARGEST_ANSWER and (part := asked.recv(65_536)):
                answer += part
        headers, _, told = bytes(answer).partition(b"\r\n\r\n")
        if headers.split(b" ", 2)[1:2] != [b"200"]:
            return None
        read = json.loads(told)
        return str(read["data"]["text"])

    def _answer_here(self, agent: str, request: dict[str, object]) -> str:
        from everself.agent import open_runtime
        from everself.operations.caller import Audience, Caller
        from everself.operations.coding_agents import take_event

        runtime = open_runtime(agent)
        caller = Caller(Audience.OWNER, by_owner=True, unwatched=True, channel=self.client)
        asked = take_event.read({**request, "by_words": True}, "cli")
        try:
            return take_event(runtime, caller, asked).text
        finally:
            if runtime.acknowledged:
                # memory was written: the history is brought up to it while there is time
                runtime.close()


def _stdin() -> bytes:
    raw = getattr(sys.stdin, "buffer", None)
    return bytes(raw.read(MOST + 1)) if raw is not None else sys.stdin.read(MOST + 1).encode("utf-8", "replace")


def run(arguments: Sequence[str]) -> int:
    """Everything that can go wrong ends in silence: a hook that fails would stop the client's own turn."""
    hook = Hook(arguments)
    threading.Thread(target=hook.work, name="hook", daemon=True).start()
    hook.settled.wait(_DEFAULT_MS / 1000)
    hook.answered.wait(max(0.0, hook.left()))
    if hook.answer:
        try:
            sys.stdout.buffer.write(hook.answer)
            sys.stdout.buffer.flush()
        except (OSError, ValueError):
            # nobody listens any more
            pass
    # not by returning: a thread that is stuck would be waited for
    os._exit(0)
