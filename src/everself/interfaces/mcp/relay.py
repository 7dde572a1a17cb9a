"""`everself mcp`: speaks MCP on stdin and stdout and forwards all calls, to the gateway if one runs, otherwise to a worker process.

It holds no agent, index or model, because clients start one for each window. It ends with its client, and its worker with it.
"""

import asyncio
import os
import threading
from collections.abc import Mapping
from typing import Any, Final

from everself import __version__
from everself.clock import pause
from everself.interfaces.mcp.links import Answered, GatewayLink, Unreachable, WorkerLink
from everself.interfaces.mcp.server import serve_over_stdio
from everself.operations.gateway import find_listening
from everself.operations.home import Home
from everself.operations.projects import find_project

IDLE_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.25


class Relay:
    def __init__(self, home: Home, agent: str, project: str = "", idle: float = IDLE_SECONDS) -> None:
        self._home = home
        self._named = (agent, project)
        self._gateway: GatewayLink | None = None
        self._worker = WorkerLink(agent, project, idle)

    async def __call__(self, method: str, params: Mapping[str, Any], _: Any) -> Answered:
        found = await asyncio.to_thread(find_listening, self._home.places)
        # another version may offer other tools than the client has listed
        if found is not None and found.version == __version__:
            try:
                return await self._link(found.socket).ask(method, params)
            except Unreachable:
                # it is ending, or just died
                pass
        return await self._worker.ask(method, params)

    def _link(self, socket: str) -> GatewayLink:
        if self._gateway is None or self._gateway.socket != socket:
            self._gateway = GatewayLink(socket, *self._named)
        return self._gateway

    async def close(self) -> None:
        await self._worker.close()
        if self._gateway is not None:
            await self._gateway.close()


def serve_stdio(agent: str, idle: float = IDLE_SECONDS) -> None:
    """Serve until the client closes its end or dies."""
    home = Home()
    watch_parent()
    asyncio.run(_serve(Relay(home, home.load().config.agent(agent).id, _project(), idle)))


def _project() -> str:
    """The project of the folder in which the client started this server; none if the folder is gone."""
    try:
        found = find_project(os.getcwd())
    except OSError:
        return ""
    return found.slug if found is not None else ""


async def _serve(relay: Relay) -> None:
    try:
        await serve_over_stdio(relay)
    finally:
        await relay.close()


def watch_parent() -> None:
    """End this process when its parent is gone: another child of the parent may hold the pipe open."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            pause(_LOOK_SECONDS)
        os._exit(0)

    threading.Thread(target=watch, name="everself-parent", daemon=True).start()
