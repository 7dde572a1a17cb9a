"""State that all turns of one agent share: the worker thread, the model, the prefix of each session, notices already shown."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakValueDictionary

from everself.conversation.resources import TurnResources
from everself.conversation.sessions.history import SettledHistory
from everself.conversation.sessions.log import SessionLog
from everself.conversation.tools.protocol import Tool
from everself.errors import EverselfError, ModelFailed
from everself.frozen import Frozen
from everself.lazy import part
from everself.models.chat.protocol import ChatModel
from everself.models.spend_meter import SpendMeter
from everself.search.scopes import Scope
from everself.storage.state.database import State

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from concurrent.futures import ThreadPoolExecutor

    from everself.conversation.context.assembler import Prompt
    from everself.conversation.context.receipt import Prefix
    from everself.conversation.sessions.checkpoint import Checkpoint
    from everself.conversation.sessions.session import Session
    from everself.conversation.tools.outside.registry import ExternalAccess, ExternalTools

T = TypeVar("T")
REFLEX: Final = "reflex"


class WorkerThread:
    """Runs blocking calls in one worker thread. A call is completed even if its caller is cancelled, because a thread cannot be stopped and
    the outcome of the call must be known.

    The thread is not one of asyncio's default pool: there, a few conversations that wait for each other would take every thread, and the
    program around them could not even resolve a host name. The thread ends with the last reference to this object.
    """

    @part
    def _pool(self) -> "ThreadPoolExecutor":
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(1, thread_name_prefix="everself-worker")

    async def __call__(self, work: Callable[[], T]) -> T:
        import asyncio
        import contextvars

        loop, context = asyncio.get_running_loop(), contextvars.copy_context()
        future = asyncio.ensure_future(loop.run_in_executor(self._pool, lambda: context.run(work)))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait({future})
            if not future.cancelled():
                # retrieved, so that asyncio does not warn about an unretrieved exception
                future.exception()
            raise


# cache key of a prompt: generation of forgetting, message id, and the calling program's instructions
PromptKey = tuple[int, str, str]
# number of sessions whose prefix is cached; the prefix of others is rebuilt
_PREFIXES: Final = 256


class ToolAccess(Frozen):
    own: Callable[[Scope], Sequence[Tool]]
    external: "ExternalAccess"


class SharedState:
    def __init__(
        self,
        log: SessionLog,
        state: State,
        spend_meter: SpendMeter,
        tools: ToolAccess,
        open_model: Callable[[], ChatModel],
        open_checkpoint: "Callable[[], Checkpoint]",
        open_resources: Callable[[], TurnResources],
        in_thread: WorkerThread,
    ) -> None:
        """`in_thread` runs a blocking call in the worker thread, one at a time, to its end."""
        self.log = log
        self.state = state
        self.spend_meter = spend_meter
        self._tools = tools
        self.in_thread = in_thread
        self._open_model = open_model
        self._open_checkpoint = open_checkpoint
        self._open_resources = open_resources
        # per session: the prefix, the generation of forgetting in which it was built, and the program's instructions that it contains
        self._prefixes: OrderedDict[str, tuple[int, str, Prefix]] = OrderedDict()
        self._prompts: OrderedDict[str, tuple[PromptKey, Prompt]] = OrderedDict()
        self._told: set[tuple[str, str]] = set()
        self._recovered = False
        self._outside: dict[str, ExternalTools] = {}
        self._loops: WeakValueDictionary[str, AbstractEventLoop] = WeakValueDictionary()

    @part
    def history(self) -> SettledHistory:
        return SettledHistory(self.log)

    @part
    def model(self) -> ChatModel:
        return self._open_model()

    @part
    def checkpoint(self) -> "Checkpoint":
        """Opened separately, so that statements are stored even if the other resources cannot be opened."""
        return self._open_checkpoint()

    @part
    def resources(self) -> TurnResources:
        return self._open_resources()

    @property
    def has_model(self) -> bool:
        """Whether a language model answers here. One that cannot be opened at the moment counts as well."""
        try:
            return self.model.name != REFLEX
        except ModelFailed:
            return True

    def tools(self, scope: Scope) -> Sequence[Tool]:
        return self._tools.own(scope)

    def generation(self) -> int:
        """A counter that rises whenever something is forgotten, by any process."""
        return self.state.scrub.generation()

    async def outside(self, session: "Session") -> "ExternalTools":
        """The external tools of a session, opened on first use."""
        import asyncio

        loop = asyncio.get_running_loop()
        # tools opened on a closed event loop are gone
        if self._loops.get(session.id) is not loop:
            self._outside.pop(session.id, None)
        if session.id not in self._outside:
            self._outside[session.id] = await self._tools.external.open(session.scope)
            self._loops[session.id] = loop
        return self._outside[session.id]

    def outside_notices(self, session: str) -> tuple[str, ...]:
        """New notices about the external tools."""
        found = self._outside.get(session)
        return found.take_notices() if found is not None else ()

    async def leave(self, session: str) -> None:
        """Close the external tools of a session; their servers end with it."""
        found = self._outside.pop(session, None)
        if found is not None:
            await found.close()

    def recover(self) -> None:
        """Store what killed processes left behind. Done once, before any new message is stored."""
        if not self._recovered:
            self._recovered = True
            # what cannot be recovered now is retried at the next start, and the conversation continues
            with suppress(EverselfError):
                self.log.catch_up()
                self.checkpoint.recover()

    def prefix(self, session: str, generation: int, system: str = "") -> "Prefix | None":
        """The cached prefix of a session; None if something was forgotten since, or if the program's instructions differ."""
        found = self._prefixes.get(session)
        return found[2] if found is not None and found[:2] == (generation, system) else None

    def keep_prefix(self, session: str, prefix: "Prefix", generation: int, system: str = "") -> None:
        self._prefixes[session] = (generation, system, prefix)
        self._prefixes.move_to_end(session)
        while len(self._prefixes) > _PREFIXES:
            self._prefixes.popitem(last=False)

    def drop_prefix(self, session: str) -> None:
        """Drop the cached prefix and prompt, so that the next turn rebuilds them from the current documents."""
        self._prefixes.pop(session, None)
        self._prompts.pop(session, None)

    def prompt(self, session: str, made: PromptKey) -> "Prompt | None":
        """The prompt with which an unfinished turn began."""
        found = self._prompts.get(session)
        return found[1] if found is not None and found[0] == made else None

    def keep_prompt(self, session: str, made: PromptKey, prompt: "Prompt") -> None:
        self._prompts[session] = (made, prompt)
        self._prompts.move_to_end(session)
        while len(self._prompts) > _PREFIXES:
            self._prompts.popitem(last=False)

    def is_new(self, session: str, notice: str) -> bool:
        """Whether this notice was not yet shown in the session. Marks it as shown."""
        told = (session, notice)
        if told in self._told:
            return False
        self._told.add(told)
        return True
