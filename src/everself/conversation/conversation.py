"""Runs the conversations of one agent, turn by turn. A message is durable before anything else happens.

Knows sessions, prompts and the loop. Does not know who shows the events, nor what any tool does.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from everself.conversation.events import Done, Event, Notice
from everself.conversation.resources import PLAIN_TURN, CompactionResult, Renewed, TurnOptions
from everself.conversation.sessions.session import Session
from everself.conversation.shared_state import SharedState
from everself.conversation.tools.protocol import Outcome, Tool, ToolContext, one_text, told
from everself.conversation.turn import TurnRunner
from everself.conversation.turn_locks import TurnLocks, within_itself
from everself.errors import NotFound, WrongUse
from everself.models.chat.protocol import ChatModel, JsonObject, ToolSpec
from everself.search.background import QUESTIONS
from everself.search.scopes import Scope, SessionKind
from everself.search.sharing import is_owner

if TYPE_CHECKING:
    import asyncio

OWNER: Final = Scope(SessionKind.MAIN)
LAST: Final = "last"
# the sessions being answered by the turns that the current code runs inside, for example inside a tool
_ANSWERED: "ContextVar[tuple[str, ...]]" = ContextVar("sessions that are being answered", default=())


class Chat:
    """One agent's conversations. The turns of one session run one after the other, across processes too."""

    def __init__(self, shared: SharedState, locks: TurnLocks) -> None:
        self._shared = shared
        self._locks = locks
        # unfinished turns of each session, in order
        self._running: dict[str, list[asyncio.Task[None]]] = {}
        # per message id, the lock that lets one turn at a time begin, and the number of turns that hold it or wait for it
        self._once: dict[str, tuple[asyncio.Lock, int]] = {}
        # sessions begun here and not left yet; a session without messages is stored nowhere else
        self._begun: dict[str, Session] = {}

    @property
    def model(self) -> ChatModel:
        """The model that answers. Raises ModelFailed if it cannot be opened."""
        return self._shared.model

    @property
    def shared(self) -> SharedState:
        """State shared by its turns, for compaction between them."""
        return self._shared

    def use(self, model: ChatModel) -> None:
        """Use another model for replies until the agent is closed."""
        self._shared.model = model

    def begin(self, scope: Scope = OWNER, channel: str = "cli", resume: str = "") -> Session:
        """A new session, or an earlier one given by its id, a prefix of its id, or `last`. If there is no last session, a new one
        starts."""
        begun = self._begun.get(resume)
        if begun is not None and begun.scope == scope:
            return begun
        if resume:
            # without an earlier session a new one starts; a wrong name is an error
            with suppress(*([NotFound] if resume == LAST else [])):
                return self._shared.log.resume(resume, scope, channel)
        return self._new(scope, channel)

    def _new(self, scope: Scope, channel: str) -> Session:
        session = self._shared.log.begin(scope, channel)
        self._begun[session.id] = session
        return session

    @asynccontextmanager
    async def once(self, identity: str) -> AsyncIterator[None]:
        """Hold the lock of a message id for one turn. Another caller with the same id waits until that turn is over, in other processes
        too."""
        import asyncio

        lock, waiting = self._once.get(identity, (asyncio.Lock(), 0))
        self._once[identity] = (lock, waiting + 1)
        try:
            # the lock is named like a session's: message ids have the same form as session ids, and no two are equal
            async with lock, self._locks.hold(identity):
                yield
        finally:
            lock, waiting = self._once.pop(identity)
            if waiting > 1:
                self._once[identity] = (lock, waiting - 1)

    async def converse(
        self, session: Session, text: str, person: str = "", options: TurnOptions = PLAIN_TURN
    ) -> AsyncGenerator[Event, None]:
        """The events of one turn: Accepted first, Done last. Leaving early or calling `cancel` stops the turn; what was said is stored.

        `person` is the speaker if that is not the owner. Raises before Accepted if the message could not be stored.
        """
        import asyncio

        if session.id in _ANSWERED.get():
            raise within_itself()
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        turning = TurnRunner(self._shared, session, text, person, queue.put_nowait, options=options)
        running = self._running.setdefault(session.id, [])
        task = asyncio.ensure_future(self._one_by_one(session.id, running[-1] if running else None, turning))
        running.append(task)
        task.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            if task.cancelled():
                # cancelled before it began: nothing was stored
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

    @property
    def running(self) -> frozenset[str]:
        """The sessions in which a turn is running."""
        return frozenset(self._running)

    def cancel(self, session: Session) -> bool:
        """Stop the running turn, if any. Returns whether there was one. Its events end with Done, as always."""
        running = self._running.get(session.id, [])
        return any(task.cancel() for task in running[:1])

    async def compact(self, session: Session, why: str = "asked") -> CompactionResult:
        """Compact a long conversation, after its statements were stored in memory."""
        fresh = await self._shared.in_thread(lambda: self._shared.log.fresh(session))
        resources = await self._shared.in_thread(lambda: self._shared.resources)
        made = await resources.compactor.compact(fresh, why)
        if made.session.compacted > fresh.compacted:
            self._shared.drop_prefix(session.id)
        return made

    async def renew(self, session: Session) -> Renewed:
        """End a conversation with a note about it, and begin another of the same kind."""
        log = self._shared.log
        fresh = await self._shared.in_thread(lambda: log.fresh(session))
        await self._shared.in_thread(lambda: self._shared.checkpoint.make(fresh))
        resources = await self._shared.in_thread(lambda: self._shared.resources)
        note = await resources.compactor.note(fresh)
        await self._shared.in_thread(lambda: log.mark(fresh, ended=True))
        await self._shared.leave(session.id)
        self._shared.drop_prefix(session.id)
        self._begun.pop(session.id, None)
        return Renewed(self._new(session.scope, session.channel), note)

    async def close(self, session: Session) -> None:
        """Leave a conversation, which may be resumed later. Its statements are stored in memory first."""
        try:
            await self._shared.in_thread(lambda: self._shared.checkpoint.make(self._shared.log.fresh(session)))
        finally:
            self._begun.pop(session.id, None)
            await self._shared.leave(session.id)

    async def _one_by_one(self, session: str, before: "asyncio.Task[None] | None", turning: TurnRunner) -> None:
        import asyncio

        if before is not None:
            await asyncio.wait({before})
        async with self._locks.hold(session):
            # deferrable search work waits for idle time, so that replies stream smoothly
            with QUESTIONS.answering():
                _ANSWERED.set((*_ANSWERED.get(), session))
                await turning.run()


CHANNEL: Final = "spawn"
_TIMEOUT: Final = 600.0
_SPAWN: Final = ToolSpec(
    "spawn",
    "Give a separate task to a sub-agent: it knows nothing of this conversation or your memory, cannot write, and reports back once.",
    one_text("task", "All that it has to know and to do."),
)


def spawn_tool(scope: Scope, shared: Callable[[], SharedState]) -> tuple[Tool, ...]:
    """The `spawn` tool for the owner's sessions; empty for others."""
    if not is_owner(scope):
        return ()

    async def run(arguments: JsonObject, setting: ToolContext) -> Outcome:
        task = arguments.get("task")
        if not isinstance(task, str) or not task.strip():
            raise WrongUse("`task` is missing or empty.")
        return await _send(shared(), task, setting)

    return (Tool(_SPAWN, run, timeout=_TIMEOUT),)


async def _send(shared: SharedState, task: str, setting: ToolContext) -> Outcome:
    """Run the task in a sub-agent and report back. A failure is reported too; cancelling stops it, and its messages stay in its session."""
    log = shared.log
    scope = Scope(SessionKind.SUBAGENT, project=setting.scope.project)
    session = await shared.in_thread(lambda: log.begin(scope, CHANNEL))
    events: list[Event] = []
    # the task is worded by a model, which may have read a web page
    options = TurnOptions(unwatched=setting.unwatched)
    await TurnRunner(shared, session, task, "", events.append, taint=setting.taint, options=options).run()
    shared.drop_prefix(session.id)
    await shared.leave(session.id)
    after = await shared.in_thread(lambda: log.fresh(session))
    done = next((one for one in reversed(events) if isinstance(one, Done)), None)
    failed = done is None or done.why not in ("stop", "length", "steps")
    troubles = [one.text for one in events if isinstance(one, Notice) and one.level == "warning"]
    report = "\n".join(filter(None, (done.text if done is not None else "", *troubles)))
    content = told({"session": session.id, "report": report})
    return Outcome(content, failed, origin=f"session:{session.id}", stamp=after.taint)
