"""The verb ask: one message, one reply, everything that happened in between as a value. For scripts and for faces that do not stream."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from everself.conversation.events import Done, MemoryWritten, Notice, ToolReturned
from everself.conversation.tools.protocol import Written
from everself.errors import WrongUse
from everself.models.chat.protocol import Usage
from everself.search.scopes import Scope, SessionKind

if TYPE_CHECKING:
    from everself.runtime import Runtime

OWNER = Scope(SessionKind.MAIN)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a message. `model` is as in the settings; `why` tells how it ended; `tools` are the names of those that were called,
    in the order they ended."""

    session: str
    message: str
    text: str
    model: str
    why: str = "stop"
    written: tuple[Written, ...] = ()
    notices: tuple[Notice, ...] = ()
    tools: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None

    @property
    def failed(self) -> bool:
        return self.why == "failed"


def ask(app: "Runtime", text: str, *, resume: str = "", channel: str = "cli") -> Reply:
    """Say one thing and wait for the reply; what was said is kept, and the session can be gone on with."""
    if not text.strip():
        raise WrongUse("There is nothing to say.", mend='everself ask "What do you know about me?"')
    import asyncio

    return asyncio.run(_ask(app, text, resume, channel))


async def _ask(app: "Runtime", text: str, resume: str, channel: str) -> Reply:
    chat = app.chat
    session = chat.begin(OWNER, channel, resume)
    events = [event async for event in chat.converse(session, text)]
    done = next(one for one in reversed(events) if isinstance(one, Done))
    await chat.close(session)
    return Reply(
        session=session.id,
        message=done.message,
        text=done.text,
        model=app.agent.model,
        why=done.why,
        written=tuple(one.written for one in events if isinstance(one, MemoryWritten)),
        notices=tuple(one for one in events if isinstance(one, Notice)),
        tools=tuple(one.name for one in events if isinstance(one, ToolReturned)),
        usage=done.usage,
        cost=done.cost,
    )
