"""The agents that the gateway holds open: opened at first use, reopened after changed settings, closed when unused.

Used on one event loop; the workers do all blocking work. Knows no request.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from everself.clock import monotonic
from everself.config import Places
from everself.errors import EverselfError
from everself.identity.time_zone import user_zone
from everself.interfaces.http.problems import refuse
from everself.interfaces.http.workers import Workers
from everself.logs import get_logger
from everself.operations.upkeep import Upkeep
from everself.runtime import Runtime
from everself.storage.host_files import find_file

_log = get_logger(__name__)

Mark = tuple[object, ...]
_OPEN_SECONDS: Final = 60.0
_CHECK_SECONDS: Final = 15.0
_CLOSE_SECONDS: Final = 10.0


def mark_of(*paths: str) -> Mark:
    """Identifies the current version of these files."""
    return tuple(_stat(path) for path in paths)


def _stat(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError as error:
        return error.errno
    return found.st_ino, found.st_dev, found.st_mtime_ns, found.st_ctime_ns, found.st_size


@dataclass(eq=False, slots=True)
class OpenAgent:
    """`users` counts the current requests. An agent with changed settings is `retired` and closed after its last request."""

    runtime: Runtime
    upkeep: Upkeep
    settings: Mark
    profile: Mark = ()
    users: int = 0
    used: float = field(default_factory=monotonic)
    retired: bool = False


class AgentPool:
    def __init__(self, open_runtime: Callable[[str], Runtime], places: Places, most: int, workers: Workers) -> None:
        self._open_runtime = open_runtime
        self._places = places
        self._most = most
        self._workers = workers
        self._open: dict[str, OpenAgent] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._opening: dict[str, asyncio.Task[OpenAgent]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        # open agents, retired ones included
        self._held: set[OpenAgent] = set()

    def __len__(self) -> int:
        return len(self._held)

    @asynccontextmanager
    async def using(self, agent: str) -> AsyncIterator[Runtime]:
        """The opened agent, for the time of its use."""
        leased = await self.lease(agent)
        try:
            yield leased.runtime
        finally:
            self.release(leased)

    async def lease(self, agent: str) -> OpenAgent:
        """The opened agent; the caller returns it with `release`."""
        async with self._turns.setdefault(agent, asyncio.Lock()):
            found = self._open.get(agent)
            if found is not None:
                # counted while its files are checked, so that it is not closed meanwhile
                found.users += 1
                current = False
                try:
                    current = await self._workers.run(lambda: _is_current(found), _CHECK_SECONDS)
                finally:
                    if not current:
                        self.release(found)
                if current:
                    return found
                self._retire(agent)
            while True:
                made = await self._opened(agent)
                # unless it was closed in the meantime to make room
                if not made.retired:
                    made.users += 1
                    return made

    async def _opened(self, agent: str) -> OpenAgent:
        """Open an agent. It continues if the caller leaves or gets a time-out, because threads cannot be stopped."""
        opening = self._opening.get(agent)
        if opening is None:
            self._make_room()
            opening = self._opening[agent] = asyncio.ensure_future(self._make(agent))
            # even if nobody waits for it any more
            opening.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            async with asyncio.timeout(_OPEN_SECONDS):
                return await asyncio.shield(opening)
        except TimeoutError:
            raise refuse(
                504, "timeout", "It takes too long", f"The agent {agent} is not open yet.", Retry_After="5"
            ) from None

    def release(self, leased: OpenAgent) -> None:
        leased.users -= 1
        leased.used = monotonic()
        if leased.retired and not leased.users:
            self._close_soon(leased)

    async def close_idle(self, seconds: float) -> None:
        """Close agents that were unused for a while."""
        before = monotonic() - seconds
        for agent in [name for name, one in self._open.items() if not one.users and one.used <= before]:
            self._retire(agent)

    async def close(self, seconds: float) -> None:
        """Close all. Agents in use after `seconds` are left: all acknowledged data is on disk."""
        end = monotonic() + seconds
        while (self._opening or any(one.users for one in self._held)) and monotonic() < end:
            await asyncio.sleep(0.02)
        for agent in list(self._open):
            self._retire(agent, settle=False)
        if self._closing:
            await asyncio.wait(self._closing, timeout=max(0.1, end - monotonic()))

    async def _make(self, agent: str) -> OpenAgent:
        try:
            if len(self._held) + len(self._opening) > self._most and self._closing:
                # the agent to be closed is still open; it is not waited for if in use
                await asyncio.wait(self._closing, timeout=_CLOSE_SECONDS)
            made = await self._workers.run(lambda: self._load(agent), None)
            self._open[agent] = made
            self._held.add(made)
            return made
        finally:
            del self._opening[agent]

    def _load(self, agent: str) -> OpenAgent:
        # marked before reading, so that later changes are noticed at the next request
        host = mark_of(self._places.host_file, self._places.secrets_file)
        runtime = self._open_runtime(agent)
        made = OpenAgent(runtime, Upkeep(runtime), (*host, *mark_of(_tunables(runtime))))
        made.upkeep.start()
        return made

    def _make_room(self) -> None:
        """Close the least recently used agent if the maximum is reached, counting those being opened."""
        if len(self._open) + len(self._opening) < self._most:
            return
        idle = [(one.used, name) for name, one in self._open.items() if not one.users]
        if not idle:
            raise refuse(
                503, "busy", "Too many agents are in use", "Nothing was done.", "gateway.openAgents", Retry_After="5"
            )
        self._retire(min(idle)[1])

    def _retire(self, agent: str, *, settle: bool = True) -> None:
        retired = self._open.pop(agent)
        retired.retired = True
        if not retired.users:
            self._close_soon(retired, settle=settle)

    def _close_soon(self, retired: OpenAgent, *, settle: bool = True) -> None:
        task = asyncio.ensure_future(self._close(retired, settle))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close(self, retired: OpenAgent, settle: bool) -> None:
        def work() -> None:
            retired.upkeep.stop()
            if settle:
                retired.upkeep.settle()
            retired.runtime.close()

        try:
            # not by a worker, which could refuse and leave the agent open
            await asyncio.to_thread(work)
        except EverselfError as error:
            _log.warning("The agent %s was not closed properly: %s.", retired.runtime.agent.id, type(error).__name__)
        finally:
            self._held.discard(retired)
        for _ in retired.runtime.unsettled:
            _log.warning("The agent %s has something left to settle at its next start.", retired.runtime.agent.id)


def _tunables(runtime: Runtime) -> str:
    return os.path.join(runtime.agent.workspace, "CONFIG.md")


def _is_current(opened: OpenAgent) -> bool:
    """Whether the settings, CONFIG.md and the time zone in USER.md are unchanged."""
    runtime = opened.runtime
    places = runtime.places
    if opened.settings != mark_of(places.host_file, places.secrets_file, _tunables(runtime)):
        return False
    path = os.path.join(runtime.agent.workspace, "USER.md")
    profile = mark_of(path)
    if profile == opened.profile:
        return True
    # the agent edits USER.md itself, so only a changed time zone matters
    opened.profile = profile
    try:
        said = find_file(path)
    except EverselfError:
        return True
    return runtime.clock.zone == user_zone(runtime.agent.time_zone, said)
