"""Turns that continue without a listener: their events are kept while they run, so that clients can reconnect.

Used on one event loop. Knows no route and no wire format.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from everself.clock import monotonic
from everself.conversation.events import Accepted, Done, Event, Text
from everself.interfaces.http.access import Access
from everself.interfaces.http.problems import refuse
from everself.values import new_id

# how long a finished turn can still be read
_KEPT_SECONDS: Final = 60.0
# maximum number of running turns per token
MOST: Final = 64


@dataclass(eq=False, slots=True)
class RunningTurn:
    """`events` in order, numbered from 1. `failure` is why there are no more, if it did not end normally."""

    access: Access
    id: str = field(default_factory=new_id)
    events: list[Event] = field(default_factory=list)
    failure: BaseException | None = None
    ended_at: float | None = None
    task: "asyncio.Task[None] | None" = None
    _more: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None

    async def follow(self, after: int = 0) -> AsyncGenerator[tuple[int, Event], None]:
        """The events after that number, numbered, until the turn is over. Leaving stops nothing. Raises the turn's error."""
        seen = max(0, after)
        while True:
            while seen < len(self.events):
                seen += 1
                yield seen, self.events[seen - 1]
            if self.is_over:
                if self.failure is not None:
                    raise self.failure
                return
            await self._more.wait()

    async def accepted(self) -> Accepted:
        """The first event. Raises the error that prevented it."""
        async with aclosing(self.follow()) as events:
            async for _, event in events:
                if isinstance(event, Accepted):
                    return event
        raise refuse(503, "stopped", "The turn was stopped before it began", "Nothing was kept.", Retry_After="1")

    def cancel(self) -> bool:
        """Stop the turn; the message is kept. Returns whether it was still running."""
        return self.task is not None and self.task.cancel()

    def tell(self, event: Event) -> None:
        self.events.append(event)
        self._wake()

    def end(self, failure: BaseException | None) -> None:
        self.failure, self.ended_at = failure, monotonic()
        self._wake()

    def _wake(self) -> None:
        """Wake all current waiters; later ones wait for the next event."""
        waiting, self._more = self._more, asyncio.Event()
        waiting.set()


class Turns:
    def __init__(self) -> None:
        self._known: dict[str, RunningTurn] = {}

    def __len__(self) -> int:
        """The number of running turns."""
        return sum(not one.is_over for one in self._known.values())

    def start(self, access: Access, events: AsyncGenerator[Event, None]) -> RunningTurn:
        self.sweep()
        if sum(one.access.token == access.token and not one.is_over for one in self._known.values()) >= MOST:
            raise refuse(429, "too-often", "Too many replies are under way", "Nothing was said.", Retry_After="5")
        turn = RunningTurn(access)
        self._known[turn.id] = turn
        turn.task = asyncio.ensure_future(_run(turn, events))
        turn.task.add_done_callback(lambda task: _end(turn, task))
        return turn

    def get(self, name: str, access: Access) -> RunningTurn:
        """Find a turn; only the caller that started it may."""
        self.sweep()
        found = self._known.get(name)
        if found is None or found.access != access:
            raise refuse(
                404,
                "not-found",
                "Unknown turn",
                "It has ended, or belongs to another caller.",
                "POST /api/v1/sessions.show",
            )
        return found

    def find_running(self, access: Access, session: str) -> RunningTurn | None:
        """The caller's running turn in a session, for example after reloading a page."""
        for one in list(self._known.values()):
            begun = next((event for event in one.events if isinstance(event, Accepted)), None)
            if one.access == access and not one.is_over and begun is not None and begun.session == session:
                return one
        return None

    async def close(self, grace: float, seconds: float) -> None:
        """Let running turns end within `grace`, then stop them."""
        tasks = [one.task for one in self._known.values() if one.task is not None and not one.task.done()]
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=max(0.0, grace))
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=seconds)

    def sweep(self) -> None:
        """Drop turns that ended long enough ago."""
        before = monotonic() - _KEPT_SECONDS
        over = [name for name, one in self._known.items() if one.ended_at is not None and one.ended_at < before]
        for name in over:
            del self._known[name]


async def _run(turn: RunningTurn, events: AsyncGenerator[Event, None]) -> None:
    async with aclosing(events):
        async for event in events:
            turn.tell(event)


def _end(turn: RunningTurn, task: "asyncio.Task[None]") -> None:
    if not task.cancelled():
        turn.end(task.exception())
        return
    if turn.events and not isinstance(turn.events[-1], Done):
        # the caller that stops a turn does not read its end; other listeners do
        turn.tell(Done("", "".join(one.text for one in turn.events if isinstance(one, Text)), "cancelled"))
    turn.end(None)
