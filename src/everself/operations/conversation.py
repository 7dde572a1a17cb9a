"""Conversation as an operation of the second kind: it returns the stream of events of one turn."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from everself.conversation.events import Event
from everself.errors import WrongUse
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, Option, operation

if TYPE_CHECKING:
    from everself.runtime import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class ConverseRequest:
    text: Annotated[str, Argument("What to say.")]
    session: Annotated[str, Option("The id of the conversation to go on with, or last; a new one unless given.")] = ""
    stay: Annotated[bool, Option("Leave the conversation open: more is said in it.")] = False


@operation("chat.say", audience=Audience.GUEST, effect="write", command=False, stream=True)
async def converse(runtime: "Runtime", caller: Caller, request: ConverseRequest) -> AsyncIterator[Event]:
    """Say something to the agent; its reply comes as events, Accepted first and Done last.

    Leaving early stops the reply; what was said is kept.
    """
    if not request.text.strip():
        raise WrongUse("There is nothing to say.", mend='everself ask "What do you know about me?"')
    chat = runtime.chat
    session = await runtime.worker(lambda: chat.begin(caller.scope, caller.channel, request.session))
    try:
        async for event in chat.converse(session, request.text, caller.scope.person or ""):
            yield event
    finally:
        if not request.stay:
            await chat.close(session)
