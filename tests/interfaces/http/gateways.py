"""A gateway for tests: the whole application without a socket, over a real home with real agents."""

import asyncio
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2

from everself.agent import open_runtime
from everself.interfaces.cli.commands.gateway import surfaces
from everself.interfaces.http.access_log import AccessLog
from everself.interfaces.http.app import build_app
from everself.interfaces.http.limits import Limits
from everself.interfaces.http.server import make_service
from everself.operations.caller import AT_TERMINAL
from everself.operations.gateway import LOG, folder_of
from everself.operations.home import Home
from everself.operations.setup import SetupRequest, set_up_agent
from everself.operations.tokens import AddTokenRequest, TokenRequest, add_token, remove_token, rotate_token
from everself.runtime import Runtime
from everself.storage.host_files import ensure_folder
from everself.storage.line_log import LineLog

HOME = Home()
# tests ask as often as they like
PATIENT = Limits(rate=10_000.0, burst=10_000, failures=10_000.0, failures_burst=10_000)
BASE = "http://localhost:7373"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_agent(name: str = "main") -> None:
    set_up_agent(HOME, AT_TERMINAL, SetupRequest(agent=name))


def make_token(name: str = "editor", session: str = "main", **more: Any) -> str:
    return add_token(HOME, AT_TERMINAL, AddTokenRequest(name=name, session=session, **more)).token


def rotate(name: str) -> str:
    return rotate_token(HOME, AT_TERMINAL, TokenRequest(name=name)).token


def remove(name: str) -> None:
    remove_token(HOME, AT_TERMINAL, TokenRequest(name=name))


class Wire:
    """One connection to the application, message by message, as the server passes them on. Use with `async with`."""

    def __init__(self, app: Any, scope: dict[str, Any], token: str = "", headers: dict[str, str] | None = None) -> None:
        signed = {"authorization": f"Bearer {token}"} if token else {}
        named = {"host": "localhost:7373"} | signed | (headers or {})
        raw = [(name.lower().encode(), value.encode()) for name, value in named.items()]
        known = {"query_string": b"", "client": ("127.0.0.1", 1), "headers": raw, "http_version": "1.1"}
        self._scope = known | scope
        self._app = app
        self._given: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def give(self, message: dict[str, Any]) -> None:
        self._given.put_nowait(message)

    def say(self, **told: Any) -> None:
        self.give({"type": "websocket.receive", "text": json.dumps(told)})

    async def take(self) -> dict[str, Any]:
        return await asyncio.wait_for(self.sent.get(), 60.0)

    async def hear(self) -> dict[str, Any]:
        """The next text of a socket."""
        message = await self.take()
        assert message["type"] == "websocket.send", message
        found: dict[str, Any] = json.loads(message["text"])
        return found

    async def __aenter__(self) -> "Wire":
        async def send(message: Any) -> None:
            self.sent.put_nowait(message)

        self._task = asyncio.ensure_future(self._app(self._scope, self._given.get, send))
        return self

    async def __aexit__(self, *_: object) -> None:
        kind = "websocket.disconnect" if self._scope["type"] == "websocket" else "http.disconnect"
        self.give({"type": kind})
        assert self._task is not None
        await asyncio.wait_for(self._task, 60.0)


class Gateway:
    """Use with `async with`. Leaving it closes the agents."""

    def __init__(self, limits: Limits = PATIENT, opener: Callable[[str], Runtime] = open_runtime) -> None:
        folder = folder_of(HOME.places)
        ensure_folder(folder)
        self.lines = LineLog(os.path.join(folder, LOG))
        self.service = make_service(HOME, folder, "127.0.0.1", opener, limits, AccessLog(self.lines))
        self.app: Any = build_app(self.service, surfaces())
        self.log_file = Path(folder, LOG)
        self._clients: list[httpx2.AsyncClient] = []

    def client(self, token: str = "", base: str = BASE, **headers: str) -> httpx2.AsyncClient:
        signed = {"Authorization": f"Bearer {token}"} if token else {}
        transport = httpx2.ASGITransport(app=self.app)
        made = httpx2.AsyncClient(transport=transport, base_url=base, headers=signed | headers)
        self._clients.append(made)
        return made

    def socket(self, token: str = "", path: str = "/api/v1/chat/socket", **headers: str) -> Wire:
        scope = {"type": "websocket", "path": path, "extensions": {"websocket.http.response": {}}, "subprotocols": []}
        made = Wire(self.app, scope, token, headers)
        made.give({"type": "websocket.connect"})
        return made

    def stream(self, method: str, path: str, token: str, body: bytes = b"", **headers: str) -> Wire:
        made = Wire(self.app, {"type": "http", "method": method, "path": path}, token, headers)
        made.give({"type": "http.request", "body": body, "more_body": False})
        return made

    async def ask(self, token: str, operation: str, /, **given: Any) -> httpx2.Response:
        return await self.client(token).post(f"/api/v1/{operation}", json=given)

    async def __aenter__(self) -> "Gateway":
        return self

    async def __aexit__(self, *_: object) -> None:
        for one in self._clients:
            await one.aclose()
        for task in self.service.background:
            task.cancel()
        await asyncio.gather(*self.service.background, return_exceptions=True)
        await self.service.turns.close(0.0, 10.0)
        await self.service.jobs.close(10.0)
        await self.service.pool.close(10.0)
        self.service.workers.close()
        self.lines.close()
