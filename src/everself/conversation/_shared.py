"""State that all turns of one agent share: the worker thread, the model, the prefix of each session, notices already shown."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakValueDictionary

from everself.conversation.parts import Parts
from everself.conversation.sessions.settled import SettledHistory
from everself.errors import EverselfError
from everself.lazy import part
from everself.models.chat.protocol import ChatModel

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from everself.conversation.context.prefix import Prefix
    from everself.conversation.sessions.session import Session
    from everself.conversation.tools.outside.registry import ExternalTools

T = TypeVar("T")
# number of sessions whose prefix is cached; for others it is rebuilt
_PREFIXES: Final = 32


class SharedState:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        # each with the generation of forgetting in which it was built
        self._prefixes: OrderedDict[str, tuple[int, Prefix]] = OrderedDict()
        self._told: set[tuple[str, str]] = set()
        self._recovered = False
        self._outside: dict[str, ExternalTools] = {}
        self._loops: WeakValueDictionary[str, AbstractEventLoop] = WeakValueDictionary()

    @part
    def history(self) -> SettledHistory:
        return SettledHistory(self.parts.log)

    @part
    def model(self) -> ChatModel:
        return self.parts.model()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run a blocking call in the worker thread, one at a time, to its end."""
        return await self.parts.in_thread(work)

    async def outside(self, session: "Session") -> "ExternalTools | None":
        """The external tools of a session, opened on first use."""
        import asyncio

        loop = asyncio.get_running_loop()
        # tools opened on a closed event loop are gone
        if self._loops.get(session.id) is not loop:
            self._outside.pop(session.id, None)
        if session.id not in self._outside and self.parts.outside is not None:
            self._outside[session.id] = await self.parts.outside(session.scope)
            self._loops[session.id] = loop
        return self._outside.get(session.id)

    def outside_notices(self, session: str) -> tuple[str, ...]:
        """What the person should know of these tools and was not told yet."""
        found = self._outside.get(session)
        return found.take_notices() if found is not None else ()

    async def leave(self, session: str) -> None:
        """Close what a session holds open: its servers end with it."""
        found = self._outside.pop(session, None)
        if found is not None:
            await found.close()

    def recover(self) -> None:
        """Keep what killed processes left, once: before anything new is said."""
        if not self._recovered:
            self._recovered = True
            # what cannot be recovered now is retried at the next start; the conversation continues
            with suppress(EverselfError):
                self.parts.recover()

    def prefix(self, session: str, generation: int) -> "Prefix | None":
        """The cached prefix of a session; None where something was forgotten since."""
        made, prefix = self._prefixes.get(session, (generation, None))
        return prefix if made == generation else None

    def keep_prefix(self, session: str, prefix: "Prefix", generation: int) -> None:
        self._prefixes[session] = (generation, prefix)
        self._prefixes.move_to_end(session)
        while len(self._prefixes) > _PREFIXES:
            self._prefixes.popitem(last=False)

    def drop_prefix(self, session: str) -> None:
        """The next turn rebuilds it from the current documents."""
        self._prefixes.pop(session, None)

    def is_new(self, session: str, notice: str) -> bool:
        """Whether this notice was not shown in that session yet."""
        told = (session, notice)
        if told in self._told:
            return False
        self._told.add(told)
        return True
