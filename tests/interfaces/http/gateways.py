"""A gateway for tests: the whole application without a socket, over a real home with real agents."""

import os
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


def make_agent(name: str = "main") -> None:
    set_up_agent(HOME, AT_TERMINAL, SetupRequest(agent=name))


def make_token(name: str = "editor", session: str = "main", **more: Any) -> str:
    return add_token(HOME, AT_TERMINAL, AddTokenRequest(name=name, session=session, **more)).token


def rotate(name: str) -> str:
    return rotate_token(HOME, AT_TERMINAL, TokenRequest(name=name)).token


def remove(name: str) -> None:
    remove_token(HOME, AT_TERMINAL, TokenRequest(name=name))


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

    async def ask(self, token: str, operation: str, /, **given: Any) -> httpx2.Response:
        return await self.client(token).post(f"/api/v1/{operation}", json=given)

    async def __aenter__(self) -> "Gateway":
        return self

    async def __aexit__(self, *_: object) -> None:
        for one in self._clients:
            await one.aclose()
        await self.service.pool.close(10.0)
        self.service.workers.close()
        self.lines.close()
