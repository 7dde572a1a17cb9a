"""The service behind all HTTP routes: runs an operation or holds a conversation. Knows no route."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from everself.clock import monotonic, system_now
from everself.conversation.events import Event, Notice
from everself.errors import NotFound, RefusedByRule
from everself.interfaces.http.access import Access, Hosts
from everself.interfaces.http.access_log import AccessLog
from everself.interfaces.http.job_runner import JobRunner
from everself.interfaces.http.limits import Limits, Rate
from everself.interfaces.http.pool import AgentPool
from everself.interfaces.http.problems import Problem, refuse
from everself.interfaces.http.turns import Turns
from everself.interfaces.http.workers import Workers
from everself.operations.caller import Audience, Caller
from everself.operations.conversation import Reply
from everself.operations.declaration import Operation
from everself.operations.home import Home
from everself.operations.hooks import HookFile
from everself.operations.registry import all_operations, get_operation
from everself.operations.sign_in_file import SignInFile
from everself.operations.token_file import TokenFile
from everself.operations.tools import clean, may_use
from everself.runtime import Runtime

T = TypeVar("T")
CHAT = "chat.say"


def offered_operations() -> tuple[Operation[Any, Any], ...]:
    """The operations that a token can call: those on one agent that need nobody at a terminal.

    Operations on the home of all agents are left out: a token opens one agent and must not reveal others.
    """
    return tuple(one for one in all_operations() if one.http and one.on == "agent" and one.audience <= Audience.OWNER)


@dataclass(slots=True)
class Service:
    home: Home
    tokens: TokenFile
    pool: AgentPool
    workers: Workers
    log: AccessLog
    hosts: Hosts
    limits: Limits
    asked: Rate
    failed: Rate
    jobs: JobRunner
    hooks: HookFile
    sign_ins: SignInFile
    now: Callable[[], datetime] = system_now
    turns: Turns = field(default_factory=Turns)
    # background work of interfaces while the gateway runs
    background: "set[asyncio.Future[None]]" = field(default_factory=set)
    # time of the stop request; None while it serves
    stopping: float | None = None
    # number of responses by route and status
    answered: Counter[tuple[str, int]] = field(default_factory=Counter)

    async def operate(
        self,
        access: Access,
        operation: Operation[Any, Any],
        given: Mapping[str, object],
        show: Callable[[Runtime, Any], T],
        channel: str,
    ) -> T:
        """Run one operation in a worker thread, and `show` its result in the same thread."""
        self._check(access, operation)
        caller = access.caller(channel)
        leased = await self._lease(access)

        def work() -> T:
            runtime = leased.runtime
            need_offer(operation, runtime, caller)
            result = operation(runtime, caller, operation.read(clean(given), "http"))
            return show(runtime, result)

        seconds = self.limits.long_seconds if operation.progress else self.limits.operation_seconds
        return await self.workers.run(work, seconds, then=lambda: self.pool.release(leased))

    async def converse(self, access: Access, given: Mapping[str, object], channel: str) -> AsyncGenerator[Event, None]:
        """The events of one turn. Leaving early stops the reply; the message is kept."""
        operation = get_operation(CHAT)
        self._check(access, operation)
        given = clean(given)
        if named := given.get("id"):
            # ids of messages are per token, because programs may choose equal ones
            given = {**given, "id": f"{access.token}/{named}"}
        request = operation.read(given, "http")
        async with aclosing(self.events(access, lambda app: operation(app, access.caller(channel), request))) as events:
            async for event in events:
                # notices about the owner's machine and files, which guests must not see
                if access.is_owner or not isinstance(event, Notice):
                    yield event

    async def events(
        self, access: Access, begin: Callable[[Runtime], AsyncGenerator[Event, None]]
    ) -> AsyncGenerator[Event, None]:
        """The events of a turn of the agent, which stays open meanwhile."""
        leased = await self._lease(access)
        try:
            # opened in a thread, because databases and files block
            await self.workers.run(lambda: leased.runtime.chat, self.limits.operation_seconds)
            async with aclosing(begin(leased.runtime)) as events:
                async for event in events:
                    yield event
        finally:
            self.pool.release(leased)

    async def look(self, access: Access, work: Callable[[Runtime], T], *, long: bool = False) -> T:
        """Use the opened agent in a worker thread. `long`: it may read many files first."""
        leased = await self._lease(access)
        seconds = self.limits.long_seconds if long else self.limits.operation_seconds
        return await self.workers.run(lambda: work(leased.runtime), seconds, then=lambda: self.pool.release(leased))

    def grace(self) -> float:
        """Seconds for running replies to end after the stop request."""
        return 0.0 if self.stopping is None else self.limits.drain_seconds - (monotonic() - self.stopping)

    async def _lease(self, access: Access) -> Any:
        try:
            return await self.pool.lease(access.agent)
        except NotFound as error:
            if access.is_owner:
                raise
            raise refuse(404, "not-found", "The agent of this token is not there") from error

    def _check(self, access: Access, operation: Operation[Any, Any]) -> None:
        if access.read and operation.effect != "read":
            raise refuse(
                403,
                "read-only",
                "This token only reads",
                f"{operation.name} changes something.",
                "everself gateway token add NAME makes one without --read.",
            )


def need_offer(operation: Operation[Any, Any], runtime: Runtime, caller: Caller) -> None:
    """Raises Refused if a guest's session is not offered the operation."""
    if caller.audience < Audience.OWNER and not may_use(operation, runtime, caller.scope):
        raise RefusedByRule("Permission denied: this is not offered to guests.")


def failure_of(reply: Reply) -> Problem:
    """The reason for an incomplete reply. The message is kept."""
    told = next((one for one in reversed(reply.notices) if one.level == "warning"), None)
    detail, mend = (told.text, told.mend) if told is not None else ("", "")
    return Problem(502, "model-failed", "There was no whole reply", detail, mend)
