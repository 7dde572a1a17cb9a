"""Runs the jobs of all agents at their times, and BOOT.md once per start.

It sleeps until the next slot, but checks the clock and the databases every half minute: a suspended machine does not count the time, and
other processes may add jobs. The scheduler decides about slots. Knows no request.
"""

import asyncio
import concurrent.futures
import os
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from everself.config.sections import AgentSettings
from everself.errors import EverselfError
from everself.interfaces.http.access_log import AccessLog
from everself.interfaces.http.pool import AgentPool, Mark, mark_of
from everself.interfaces.http.problems import Refused
from everself.interfaces.http.workers import Workers
from everself.keepers.scheduler import Skip, TickResult
from everself.logs import get_logger
from everself.operations.heartbeat import BOOT, boot
from everself.operations.jobs import perform
from everself.runtime import Runtime
from everself.values import Job, new_id

_log = get_logger(__name__)

# maximum delay until changes of the clock or of jobs are noticed
LOOK_SECONDS: Final = 30.0
# maximum number of agents whose jobs run at once
THREADS: Final = 4
# delay before an agent that could not be opened is tried again
_AGAIN: Final = timedelta(minutes=10)
# another process runs the jobs, or died with an unexpired lease
_BUSY: Final = timedelta(minutes=1)
_STOPPED: Final = Skip("The gateway was stopped while it ran.")


@dataclass(slots=True)
class _Plan:
    """The next due time of an agent's jobs, read from its database at `mark`. `next_at` is None without jobs."""

    mark: Mark
    next_at: datetime | None
    busy: bool = False


@dataclass(slots=True)
class JobRunner:
    """`agents` lists the current agents of the home; `now` is the machine's clock."""

    pool: AgentPool
    log: AccessLog
    agents: Callable[[], Sequence[AgentSettings]]
    now: Callable[[], datetime]
    look_seconds: float = LOOK_SECONDS
    workers: Workers = field(default_factory=lambda: Workers(THREADS, 1_000_000))
    start: str = field(default_factory=new_id)
    _plans: dict[str, _Plan] = field(default_factory=dict)
    _booted: set[str] = field(default_factory=set)
    _running: "set[asyncio.Task[None]]" = field(default_factory=set)
    # turns on the event loop, for which job threads wait
    _turns: "set[asyncio.Task[Any]]" = field(default_factory=set)
    # as many agents are held open for jobs as can run
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(THREADS))
    _closed: bool = False
    _last_look: datetime | None = None

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 the fence of the gateway's loop: a mistake of ours does not end the schedule
                _log.error("Looking for jobs failed: %s.", type(error).__name__)
            await asyncio.sleep(self._pause())

    async def look(self) -> None:
        """Start due jobs, each agent separately, so that slow ones do not delay others."""
        try:
            agents = await self.workers.run(lambda: tuple(self.agents()), None)
        except EverselfError as error:
            _log.warning("The list of agents cannot be read: %s.", type(error).__name__)
            return
        now = self.now()
        if self._last_look is not None and now < self._last_look:
            # the clock was set back, so the planned time may be far ahead
            self._plans = {name: plan for name, plan in self._plans.items() if plan.busy}
        self._last_look = now
        for agent in agents:
            await self._look_at(agent)

    async def idle(self) -> None:
        """Wait until all started jobs are done."""
        while self._running:
            await asyncio.wait(set(self._running))

    async def close(self, seconds: float) -> int:
        """Stop running jobs. Returns how many could not be stopped in time; the next process continues their slots."""
        self._closed = True
        for turn in tuple(self._turns):
            turn.cancel()
        if self._running:
            await asyncio.wait(set(self._running), timeout=seconds)
        return self.workers.close()

    async def _look_at(self, agent: AgentSettings) -> None:
        plan = self._plans.get(agent.id)
        if plan is not None and plan.busy:
            return
        mark = await self.workers.run(lambda: _mark(agent), None)
        if mark is None:
            # not set up yet
            self._plans.pop(agent.id, None)
            return
        due = plan is not None and plan.next_at is not None and plan.next_at <= self.now()
        if plan is None or plan.mark != mark or due:
            made = self._plans[agent.id] = _Plan(mark, None, busy=True)
            task = asyncio.ensure_future(self._in_turn(agent, made))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _in_turn(self, agent: AgentSettings, plan: _Plan) -> None:
        try:
            async with self._places:
                if not self._closed:
                    await self._work(agent, plan)
        finally:
            plan.busy = False

    async def _work(self, agent: AgentSettings, plan: _Plan) -> None:
        try:
            leased = await self.pool.lease(agent.id)
        except (EverselfError, Refused) as error:
            _log.warning("The jobs of agent %s wait, because it cannot be opened: %s.", agent.id, type(error).__name__)
            plan.next_at = self.now() + (_BUSY if isinstance(error, Refused) else _AGAIN)
            return
        loop = asyncio.get_running_loop()
        try:
            await self._boot(leased.runtime)
            found = await self.workers.run(lambda: self._run_due(agent, leased.runtime, loop), None)
            plan.mark, plan.next_at = found
        except Exception as error:  # noqa: BLE001 the fence of one agent's jobs: whatever is wrong with it is tried again later
            _log.warning("The jobs of agent %s could not be run: %s.", agent.id, type(error).__name__)
            plan.next_at = self.now() + _AGAIN
        finally:
            self.pool.release(leased)

    def _run_due(
        self, agent: AgentSettings, app: Runtime, loop: asyncio.AbstractEventLoop
    ) -> tuple[Mark, datetime | None]:
        """Run due jobs in a thread. Returns the state of the files and the next due time."""
        schedule = app.schedule

        def do(job: Job, slot: str) -> str | Skip:
            # opened here, because it may block
            app.chat  # noqa: B018 a part is made when it is asked for
            return perform(app, job, slot, lambda turn: self._wait(turn, loop))

        # also without due jobs: this repairs a slot that was recorded with a wrong clock
        done = TickResult() if self._closed else schedule.tick(do)
        for one in done.runs:
            self.log.write("job", {"agent": agent.id, "job": one.job, "slot": one.slot, "state": one.state})
        # read before the times, so that later changes are noticed at the next look
        mark = _mark(agent) or ()
        coming = [at for job in schedule.jobs.every() if (at := schedule.next_of(job)) is not None]
        if done.busy:
            coming = [self.now() + _BUSY]
        elif schedule.jobs.under_way():
            coming.append(self.now() + _BUSY)
        return mark, min(coming, default=None)

    def _wait(self, turn: Coroutine[Any, Any, str | Skip], loop: asyncio.AbstractEventLoop) -> str | Skip:
        """Wait in a thread for a turn on the event loop, where the agent's models and tools live."""
        if self._closed:
            turn.close()
            return _STOPPED
        try:
            return asyncio.run_coroutine_threadsafe(self._owned(turn), loop).result()
        except concurrent.futures.CancelledError:
            return _STOPPED

    async def _owned(self, turn: Coroutine[Any, Any, str | Skip]) -> str | Skip:
        task = asyncio.ensure_future(turn)
        self._turns.add(task)
        try:
            return await task
        finally:
            self._turns.discard(task)

    async def _boot(self, app: Runtime) -> None:
        """Run BOOT.md once per start. A failure is logged and not retried."""
        agent = app.agent.id
        if agent in self._booted or self._closed:
            return
        self._booted.add(agent)
        if not await self.workers.run(lambda: os.path.exists(os.path.join(app.agent.workspace, BOOT)), None):
            return
        state = "failed"
        try:
            await self.workers.run(lambda: app.chat, None)
            task = asyncio.ensure_future(self._owned(boot(app, self.start)))
            await asyncio.wait({task})
            state = "stopped" if task.cancelled() else "skipped" if isinstance(task.result(), Skip) else "done"
        except EverselfError as error:
            _log.warning("BOOT.md of agent %s failed: %s.", agent, type(error).__name__)
        self.log.write("boot", {"agent": agent, "state": state})

    def _pause(self) -> float:
        coming = [one.next_at for one in self._plans.values() if one.next_at is not None and not one.busy]
        wait = (min(coming) - self.now()).total_seconds() if coming else self.look_seconds
        return min(max(wait, 0.05), self.look_seconds)


def _mark(agent: AgentSettings) -> Mark | None:
    """Identifies the state of jobs and times; None if the agent has no state yet."""
    database, log = f"{agent.state}/state.db", f"{agent.state}/state.db-wal"
    if not os.path.exists(database) or not os.path.isdir(agent.workspace):
        return None
    # readers create and remove an empty log
    written = mark_of(log) if os.path.exists(log) and os.path.getsize(log) else ()
    named = (os.path.join(agent.workspace, name) for name in ("CONFIG.md", "USER.md"))
    return (agent.heartbeat, agent.time_zone, *mark_of(database, *named), *written)
