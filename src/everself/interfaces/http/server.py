"""Runs the gateway: its lock, its sockets, the server, and the shutdown within ten seconds."""

import asyncio
import ipaddress
import os
import platform
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import FrameType
from typing import Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from everself import __version__
from everself.clock import monotonic, system_now
from everself.config.sections import Gateway
from everself.errors import DiskError, RefusedByRule
from everself.interfaces.http.access import LOCAL_HOSTS, PEER, Hosts
from everself.interfaces.http.access_log import AccessLog, logged
from everself.interfaces.http.app import Surface, build_app
from everself.interfaces.http.gc_control import short_collections, short_turns
from everself.interfaces.http.job_runner import JobRunner
from everself.interfaces.http.limits import Limits, Rate
from everself.interfaces.http.pool import AgentPool
from everself.interfaces.http.service import Service
from everself.interfaces.http.workers import Workers
from everself.models.chat.connections import kept_connections
from everself.operations.gateway import LOG, SOCKET, Listening, only_gateway, tell_listening
from everself.operations.home import Home
from everself.operations.hooks import HookFile
from everself.operations.sign_in_file import SignInFile
from everself.operations.token_file import TokenFile
from everself.runtime import Runtime
from everself.storage.line_log import LineLog
from everself.storage.local_socket import listen_at, peer_user, remove_socket

_BACKLOG: Final = 512
_LARGEST_HEAD: Final = 64 * 1024


class _Connection(H11Protocol):
    """Stores the user at the other end of the unix socket in each request, where requests cannot fake it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # narrower, as in uvicorn
        super().connection_made(transport)
        user = peer_user(transport.get_extra_info("socket"))
        if user is not None:
            self.app_state = {**self.app_state, PEER: user}


class _Server(uvicorn.Server):
    """Ends at the first signal. uvicorn itself would raise the signal again, before the cleanup."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        del frame
        self._service.stopping = self._service.stopping or monotonic()
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True


def address_of(settings: Gateway, tokens: TokenFile) -> str:
    """The address to listen on. Raises RefusedByRule for a public one, unless that is allowed and a token exists."""
    if settings.bind == "loopback":
        return "127.0.0.1"
    address = "0.0.0.0" if settings.bind == "lan" else settings.bind
    if ipaddress.ip_address(address).is_loopback:
        return address
    if not settings.allow_remote:
        raise RefusedByRule(
            f"gateway.bind is {settings.bind}, where other machines reach the gateway, and that is not allowed.",
            mend="everself config set gateway.allowRemote true, or everself config unset gateway.bind",
        )
    if not tokens.tokens():
        raise RefusedByRule(
            "Other machines could reach the gateway, and no token exists yet.",
            mend="everself gateway token add NAME --as main",
        )
    return address


def hosts_of(address: str) -> Hosts:
    """The allowed host names: those of this machine, or any address if other machines may connect."""
    if ipaddress.ip_address(address).is_loopback:
        return Hosts(LOCAL_HOSTS | {address})
    node = platform.node().lower()
    return Hosts(LOCAL_HOSTS | {node, f"{node}.local"}, addresses=True)


def make_service(
    home: Home,
    folder: str,
    address: str,
    open_runtime: Callable[[str], Runtime],
    limits: Limits,
    log: AccessLog,
) -> Service:
    """The service for the routes. Opens nothing yet."""
    workers = Workers(limits.threads, limits.waiting)
    pool = AgentPool(open_runtime, home.places, home.load().config.gateway.open_agents, workers)
    asked, failed = Rate(limits.rate, limits.burst), Rate(limits.failures, limits.failures_burst)
    jobs = JobRunner(pool, log, lambda: home.load().config.agents, system_now)
    hooks, sign_ins = HookFile(folder), SignInFile(folder)
    known = home, TokenFile(folder), pool, workers, log, hosts_of(address), limits
    return Service(*known, asked, failed, jobs, hooks, sign_ins)


def run_gateway(
    home: Home,
    surfaces: Sequence[Surface],
    open_runtime: Callable[[str], Runtime],
    tell: Callable[[Listening], None],
    limits: Limits | None = None,
) -> int:
    """Serve until a signal. Returns the number of operations that were still running.

    `tell` is called when it listens.
    """
    settings = home.load().config.gateway
    with only_gateway(home.places) as folder, ExitStack() as stack:
        address = address_of(settings, TokenFile(folder))
        lines = LineLog(os.path.join(folder, LOG))
        stack.callback(lines.close)
        log = AccessLog(lines)
        stack.enter_context(logged(log))
        sockets = _listen(stack, address, settings.port, os.path.join(folder, SOCKET))
        listening = Listening(os.getpid(), _url(sockets[0]), os.path.join(folder, SOCKET), __version__)
        service = make_service(home, folder, address, open_runtime, limits or Limits(), log)
        tell_listening(folder, listening)
        log.write("start", {"pid": listening.pid, "url": listening.url, "version": __version__})
        stack.enter_context(short_collections())
        stack.enter_context(short_turns())
        tell(listening)
        asyncio.run(_serve(service, surfaces, sockets))
        left = service.workers.close() + service.jobs.workers.close()
        log.write("end", {"pid": listening.pid, "running": left})
    return left


async def _serve(service: Service, surfaces: Sequence[Surface], sockets: list[socket.socket]) -> None:
    config = uvicorn.Config(
        build_app(service, surfaces),
        loop="asyncio",
        http=_Connection,
        ws="websockets-sansio",
        ws_max_size=service.limits.body,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=service.limits.connections,
        timeout_graceful_shutdown=service.limits.drain_seconds,
        h11_max_incomplete_event_size=_LARGEST_HEAD,
    )
    async with kept_connections():
        await _Server(config, service).serve(sockets=sockets)


def _listen(stack: ExitStack, address: str, port: int, path: str) -> list[socket.socket]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address, port))
        made.listen(_BACKLOG)
    except OSError as error:
        raise DiskError(
            f"The gateway cannot listen on {address} port {port}: {error.strerror}.",
            mend="everself config set gateway.port PORT",
        ) from error
    local = stack.enter_context(listen_at(path))
    stack.callback(remove_socket, path)
    return [made, local]


def _url(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
