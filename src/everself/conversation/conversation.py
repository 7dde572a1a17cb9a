"""Runs the conversations of one agent, turn by turn. A message is durable before anything else happens.

Knows sessions, prompts and the loop. Does not know who shows the events, nor what any tool does.
"""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from everself.conversation._shared import SharedState
from everself.conversation.events import Done, Event
from everself.conversation.parts import Compacted, Parts, Renewed
from everself.conversation.sessions.session import Session
from everself.conversation.turn import TurnRunner
from everself.errors import NotFound
from everself.models.chat.protocol import ChatModel
from everself.search.scopes import Scope, SessionKind

if TYPE_CHECKING:
    import asyncio

OWNER: Final = Scope(SessionKind.MAIN)
LAST: Final = "last"


class Chat:
    """One agent's conversations. Turns of one session come one after the other."""

    def __init__(self, parts: Parts) -> None:
        self._shared = SharedState(parts)
        self._parts = parts
        # unfinished turns of each session, in order
        self._running: dict[str, list[asyncio.Task[None]]] = {}

    @property
    def model(self) -> ChatModel:
        """The model that answers. Raises ModelFailed where it cannot be opened."""
        return self._shared.model

    @property
    def shared(self) -> SharedState:
        """State shared by its turns, for compaction between them."""
        return self._shared

    def use(self, model: ChatModel) -> None:
        """Let another model answer, until the agent is closed."""
        self._shared.model = model

    def begin(self, scope: Scope = OWNER, channel: str = "cli", resume: str = "") -> Session:
        """A new session, or an earlier one: by its id, the beginning of its id, or `last`, which starts a new one where there is none."""
        if resume:
            # without an earlier session a new one starts; a wrong name is an error
            with suppress(*([NotFound] if resume == LAST else [])):
                return self._parts.log.resume(resume, scope, channel)
        return self._parts.log.begin(scope, channel)

    async def converse(self, session: Session, text: str, person: str = "") -> AsyncIterator[Event]:
        """The events of one turn: Accepted first, Done last. Leaving early, or `cancel`, stops it; what was said is kept.

        `person` is who speaks where that is not the owner. Raises before Accepted where the message could not be kept.
        """
        import asyncio

        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        turning = TurnRunner(self._shared, session, text, person, queue.put_nowait)
        running = self._running.setdefault(session.id, [])
        task = asyncio.ensure_future(self._one_by_one(running[-1] if running else None, turning))
        running.append(task)
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            if task.cancelled():
                # before it began: nothing was kept
                yield Done("", "", "cancelled")
            else:
                # a failure before the turn could end normally
                await task
        finally:
            if not task.done():
                task.cancel()
                # the reply is stored even while its listener is being cancelled
                await asyncio.shield(asyncio.wait({task}))
            running.remove(task)
            if not running:
                self._running.pop(session.id, None)

    def cancel(self, session: Session) -> bool:
        """Stop the turn that runs, if one does. Its events end with Done, as always."""
        running = self._running.get(session.id, [])
        return any(task.cancel() for task in running[:1])

    async def compact(self, session: Session, why: str = "asked") -> Compacted:
        """Compact a long conversation, after its statements were stored."""
        fresh = await self._shared.in_thread(lambda: self._parts.log.fresh(session))
        if self._parts.compact is None:
            return Compacted(fresh)
        made = await self._parts.compact(fresh, why)
        if made.session.compacted > fresh.compacted:
            self._shared.drop_prefix(session.id)
        return made

    async def renew(self, session: Session) -> Renewed:
        """End a conversation with a note about it, and begin another of the same kind."""
        log = self._parts.log
        fresh = await self._shared.in_thread(lambda: log.fresh(session))
        await self._shared.in_thread(lambda: self._parts.checkpoint(fresh))
        note = await self._parts.note(fresh) if self._parts.note is not None else ""
        await self._shared.in_thread(lambda: log.mark(fresh, ended=True))
        await self._shared.leave(session.id)
        self._shared.drop_prefix(session.id)
        return Renewed(log.begin(session.scope, session.channel), note)

    async def close(self, session: Session) -> None:
        """Leave a conversation, which may go on later: what was said is kept in memory first."""
        try:
            await self._shared.in_thread(lambda: self._parts.checkpoint(self._parts.log.fresh(session)))
        finally:
            await self._shared.leave(session.id)

    async def _one_by_one(self, before: "asyncio.Task[None] | None", turning: TurnRunner) -> None:
        import asyncio

        if before is not None:
            await asyncio.wait({before})
        await turning.run()
