"""Asking as an operation: one message, one reply, everything that happened in between as a value. For interfaces that do not stream."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from everself.conversation.events import Done, MemoryWritten, Notice, ToolReturned
from everself.conversation.tools.protocol import Written
from everself.errors import EverselfError, WrongUse
from everself.models.chat.protocol import Usage
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, Option, operation

if TYPE_CHECKING:
    from everself.runtime import Runtime


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    text: Annotated[str, Argument("What to say.", "TEXT|-", stdin=True, most=64 * 2**20)]
    resume: Annotated[str, Option("Go on with an earlier conversation.", "ID|last")] = ""


@operation(
    "ask",
    audience=Audience.OWNER,
    effect="write",
    makes_agent=True,
    examples=(
        ('everself ask "What did I decide about the logo?"', "one answer, and nothing else on stdout"),
        ("git log -3 | everself ask - --json", "the message from stdin, the answer as JSON"),
        ('everself ask --resume last "And why?"', "go on with the last conversation"),
    ),
)
def ask(runtime: "Runtime", caller: Caller, request: AskRequest) -> Reply:
    """Say one thing to the agent and print its reply.

    What you say is remembered as in a conversation. Exit code 1 when there was no whole reply; what came of it is printed.
    """
    if not request.text.strip():
        raise WrongUse("There is nothing to say.", mend='everself ask "What do you know about me?"')
    return asyncio.run(_ask(runtime, caller, request))


async def _ask(app: "Runtime", caller: Caller, request: AskRequest) -> Reply:
    chat = app.chat
    session = chat.begin(caller.scope, caller.channel, request.resume)
    events = [event async for event in chat.converse(session, request.text)]
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


def embed_waiting(app: "Runtime") -> None:
    """After the answer: make what was said searchable by meaning, for whoever comes next. Where it cannot be now, it is then."""
    from everself.operations.search import catch_up

    # only the waiting is broken off by Ctrl-C: each batch was kept
    with suppress(EverselfError, KeyboardInterrupt):
        if app.agent.search.enabled:
            app.index.sync()
            catch_up(app)
