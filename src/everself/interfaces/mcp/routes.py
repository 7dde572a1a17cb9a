"""`/mcp` in the gateway: stateless streamable HTTP. The guard has checked access, Host and Origin.

The SDK is loaded with the first request, off the event loop.
"""

import asyncio
import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from everself.config.installation import install_command
from everself.interfaces.http.app import Surface
from everself.interfaces.http.guard import Door
from everself.interfaces.http.problems import refuse
from everself.interfaces.http.service import Service

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PREFIX: Final = "/mcp"


class Endpoint:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._starting = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = self._manager or await self._start()
        await manager.handle_request(scope, receive, send)

    async def _start(self) -> "StreamableHTTPSessionManager":
        if importlib.util.find_spec("mcp") is None:
            raise refuse(501, "no-mcp", "MCP is not installed", mend=install_command("mcp"))
        async with self._starting:
            if self._manager is None:
                made = await asyncio.to_thread(_make, self._service)
                ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                task = asyncio.ensure_future(_keep(made, ready))
                self._service.background.add(task)
                await ready
                self._manager = made
            return self._manager


def _make(service: Service) -> "StreamableHTTPSessionManager":
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings

    from everself.interfaces.mcp.answers import AgentAnswers
    from everself.interfaces.mcp.hosts import GatewayHost
    from everself.interfaces.mcp.server import make_server

    # the guard has checked it, with the gateway's names
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server = make_server(AgentAnswers(GatewayHost(service)))
    most = service.limits.body
    return StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, security_settings=checked, max_request_body_size=most
    )


async def _keep(manager: "StreamableHTTPSessionManager", ready: "asyncio.Future[None]") -> None:
    """Hold the session manager until the gateway ends, because one task must enter and leave it."""
    async with manager.run():
        ready.set_result(None)
        await asyncio.get_running_loop().create_future()


def _routes(service: Service) -> Sequence[BaseRoute]:
    return (Route(PREFIX, Endpoint(service), methods=["POST"]),)


SURFACE: Final = Surface(PREFIX, _routes, door=Door(local=True))
