"""`everself hook EVENT`: answers one event of a coding agent within the deadline of the settings, otherwise prints nothing. Always exits
with 0.

Clients wait for their hooks, so the start is minimal: a running gateway is asked over its socket, and only without one is the agent opened
here. A forked process does the work and is killed at the deadline; all acknowledged data is on disk. So neither slow imports nor a hanging
disk delay the client. No daemon is started.
"""

import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final

from everself.clock import monotonic, process_age
from everself.interfaces.client_hooks.payload import MOST, client_of, event_of, read_payload, render_answer
from everself.storage.null_streams import silence
from everself.storage.socket_address import socket_address

# time limit for reading the settings, which contain the deadline
_UNSETTLED: Final = 1.0
_SOCKET: Final = ("gateway", "gateway.sock")
ROUTE: Final = "/client-hooks/event"
AGENT: Final = "x-everself-agent"
_LARGEST_ANSWER: Final = 2**20
# an older process became this command by exec; the client has not waited that long
_OLDEST: Final = 5.0


class Hook:
    """One event. `text` is for the client's model, `answer` for stdout; `limit` is the deadline in seconds, passed to `settle` when the
    settings are read."""

    def __init__(self, arguments: Sequence[str], settle: "Callable[[float], None]" = lambda _: None) -> None:
        words = [one for one in arguments if not one.startswith("--")]
        options = dict(pairwise(arguments))
        self.agent = options.get("--agent", "")
        self.client = client_of(options.get("--client", "claude-code"))
        self.name = words[0] if words else ""
        self.event = event_of(self.name)
        # the client waits since it started the process, which is slow on a busy machine
        age = process_age()
        self.begun = monotonic() - (age if age < _OLDEST else 0.0)
        asked = options.get("--deadline", "")
        self._asked = int(asked) / 1000 if asked.isdecimal() else 0.0
        self.limit = self._asked or _UNSETTLED
        self._settle = settle
        self.text = ""
        self.answer = b""

    def left(self) -> float:
        return self.begun + self.limit - monotonic()

    def work(self) -> None:
        # catch every error: a failing hook must not stop the client's turn
        with suppress(Exception):
            self._work()

    def _work(self) -> None:
        if not self.event or not self.client:
            return
        from everself.config import load_here

        # before reading: the client may never close its end
        config = load_here().config
        self.limit = self._asked or config.client_hooks.deadline_ms / 1000
        self._settle(self.limit)
        request = read_payload(self.event, self.client, _stdin())
        if request is None:
            return
        chosen = config.agent(self.agent)
        if not os.path.isdir(chosen.workspace):
            # a hook does not create an agent
            return
        agent, path = chosen.id, os.path.join(config.places.home, *_SOCKET)
        text = self._ask_gateway(path, agent, request) if os.path.exists(path) else None
        self.text = self._answer_here(agent, request) if text is None else text
        self.answer = render_answer(self.event, self.client, self.text)

    def _ask_gateway(self, path: str, agent: str, request: dict[str, object]) -> str | None:
        """The gateway's answer; None if none runs or it does not know the request."""
        import json

        body = json.dumps(request).encode()
        head = (
            f"POST {ROUTE} HTTP/1.1\r\nHost: localhost\r\n{AGENT}: {agent}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
            asked.settimeout(max(0.01, self.left()))
            try:
                with socket_address(path) as address:
                    asked.connect(address)
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
                # memory was written, so write the history while there is time
                runtime.close()


def _stdin() -> bytes:
    raw = getattr(sys.stdin, "buffer", None)
    return bytes(raw.read(MOST + 1)) if raw is not None else sys.stdin.read(MOST + 1).encode("utf-8", "replace")


def run(arguments: Sequence[str]) -> int:
    """Answer the event. All errors are silent, because a failing hook would stop the client's turn."""
    hook = Hook(arguments)
    answer = b""
    # no process or pipe available
    with suppress(OSError):
        mine, its = socket.socketpair()
        worker = os.fork()
        if not worker:
            mine.close()
            _work(arguments, its)
        its.close()
        answer = _await_answer(hook, mine)
        os.kill(worker, signal.SIGKILL)
    if answer:
        # nothing reads stdout any more
        with suppress(OSError, ValueError):
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
    # do not return: Python would wait for hanging threads
    os._exit(0)


def _work(arguments: Sequence[str], its: socket.socket) -> None:
    """The forked process: writes its deadline on one line, then the answer. It ends itself if its parent is killed."""

    def settle(limit: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, max(0.001, hook.left()))
        its.sendall(b"%g\n" % limit)

    try:
        # clients read until all copies of their pipe are closed, and this process may hang
        silence(1, 2)
        # the kernel ends it, whatever Python is doing
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        hook = Hook(arguments, settle)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, hook.left()))
        hook.work()
        its.sendall(hook.answer)
    finally:
        os._exit(0)


def _await_answer(hook: Hook, mine: socket.socket) -> bytes:
    """The answer of the forked process; empty if it is not complete in time."""
    told = b""
    while (left := hook.left()) > 0:
        mine.settimeout(left)
        try:
            part = mine.recv(65_536)
        except TimeoutError:
            break
        told += part
        limit, settled, answer = told.partition(b"\n")
        if not part:
            # a process killed while writing has not finished its line
            return answer if answer.endswith(b"\n") else b""
        if settled:
            hook.limit = float(limit)
    return b""
