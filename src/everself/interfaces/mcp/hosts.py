"""The origin of a call and the opened agent for it. Knows no method of the protocol."""

import asyncio
from collections.abc import Callable
from threading import Lock
from typing import Any, Protocol, TypeVar

from everself.interfaces.http.access import LOCAL, Access
from everself.interfaces.http.service import Service
from everself.operations.upkeep import Upkeep
from everself.runtime import Runtime
from everself.search.scopes import Scope, SessionKind

T = TypeVar("T")


class Host(Protocol):
    def access(self, request: Any) -> Access:
        """The access of the HTTP request; None without one."""
        ...

    async def run(self, access: Access, work: Callable[[Runtime], T], *, long: bool = False) -> T:
        """Use the opened agent off the event loop. `long`: it may read many files first."""
        ...


class GatewayHost:
    """The agents of the gateway, whose guard determines access."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def access(self, request: Any) -> Access:
        found: Access = request.state.access
        return found

    async def run(self, access: Access, work: Callable[[Runtime], T], *, long: bool = False) -> T:
        return await self._service.look(access, work, long=long)


class LocalHost:
    """One agent, opened at the first call. The user who started this process is its owner."""

    def __init__(self, agent: str, project: str, open_runtime: Callable[[str], Runtime]) -> None:
        """`project` is the project of the client's folder; empty if there is none."""
        self._agent = agent
        self._project = project
        self._open_runtime = open_runtime
        self._lock = Lock()
        self._opened: tuple[Runtime, Upkeep] | None = None

    def access(self, request: Any) -> Access:
        del request
        return Access(LOCAL, self._agent, Scope(SessionKind.MAIN, project=self._project or None), False)

    async def run(self, access: Access, work: Callable[[Runtime], T], *, long: bool = False) -> T:
        del access, long
        return await asyncio.to_thread(lambda: work(self._runtime()))

    def _runtime(self) -> Runtime:
        with self._lock:
            if self._opened is None:
                runtime = self._open_runtime(self._agent)
                upkeep = Upkeep(runtime)
                upkeep.start()
                self._opened = runtime, upkeep
            return self._opened[0]

    def close(self) -> None:
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            runtime, upkeep = opened
            upkeep.stop()
            runtime.close()
