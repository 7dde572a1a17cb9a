"""The context about this agent for models of other programs."""

from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Final

from everself.conversation.context.request import PromptRequest
from everself.conversation.tools.protocol import Outcome
from everself.errors import ContextTooSmall
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import McpOffer, Option, Request, Result, operation
from everself.operations.review_queue import count_waiting
from everself.runtime import Runtime

# context sizes in tokens to try: a client pays for the context in every conversation; a long soul is always included
_WINDOWS: Final = (2_500, 6_000, 15_999)


class ClientContext(Result):
    """`text` is the agent's identity and memory; `waiting` counts the owner's pending decisions."""

    text: str
    taint: str
    waiting: int = 0


class ClientContextRequest(Request):
    message: Annotated[str, Option("What is being asked, so that memory is searched for it.")] = ""


def _show_context(_: Runtime, __: ClientContextRequest, found: ClientContext) -> Outcome:
    things = "1 thing waits" if found.waiting == 1 else f"{found.waiting} things wait"
    waiting = f"\n{things} for the owner: everself review\n" if found.waiting else ""
    return Outcome(found.text + waiting, stamp=found.taint)


@operation(
    "client.context",
    audience=Audience.AGENT,
    effect="read",
    command=False,
    mcp=McpOffer(
        "context",
        "Who you are, what you know, what fits the message, and how many things wait for the owner. Once, at the start.",
        _show_context,
    ),
)
def show_client_context(runtime: Runtime, caller: Caller, request: ClientContextRequest) -> ClientContext:
    """Give the model of another program the agent's identity and memory, in few tokens."""
    ask = PromptRequest(caller.scope, request.message, recorded=bool(request.message.strip()))
    made = None
    for window in _WINDOWS:
        with suppress(ContextTooSmall):
            made = runtime.assembler.assemble(replace(ask, window=window))
            break
    made = made or runtime.assembler.assemble(ask)
    return ClientContext(made.text, made.taint, count_waiting(runtime).total)
