"""Conversation as an operation of the second kind: it returns the stream of events of one turn."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Final, Literal

from everself.conversation.events import Accepted, Done, Event, MemoryWritten, Notice, ToolReturned
from everself.conversation.tools.protocol import Written
from everself.errors import EverselfError, ModelFailed, WrongUse
from everself.models.chat.protocol import Usage
from everself.operations.caller import Audience, Caller
from everself.operations.declaration import Argument, Option, Request, operation
from everself.operations.search import scope_of

if TYPE_CHECKING:
    from everself.conversation.context.receipt import Receipt
    from everself.conversation.sessions.session import Session
    from everself.runtime import Runtime


_EARLIER: Final = (
    "What was said before, where no session is named: the conversation that holds exactly this goes on. Else it is shown to the model as "
    "words from outside, and never remembered."
)


@dataclass(frozen=True, slots=True)
class EarlierMessage:
    """Something that a program says was said before."""

    role: Literal["user", "assistant"]
    text: str


class ConverseRequest(Request):
    text: Annotated[str, Argument("What to say.")]
    session: Annotated[str, Option("The id of the conversation to go on with, or last; a new one unless given.")] = ""
    stay: Annotated[bool, Option("Leave the conversation open: more is said in it.")] = False
    earlier: Annotated[tuple[EarlierMessage, ...], Option(_EARLIER)] = ()
    system: Annotated[str, Option("Instructions of the program that asks; they stand after the soul.")] = ""
    max_tokens: Annotated[int | None, Option("Tokens of the reply at most.", ge=1, le=10_000_000)] = None


@operation("chat.say", audience=Audience.GUEST, effect="write", command=False, stream=True)
async def converse(runtime: "Runtime", caller: Caller, request: ConverseRequest) -> AsyncIterator[Event]:
    """Say something to the agent; its reply comes as events, Accepted first and Done last.

    Leaving early stops the reply; what was said is kept.
    """
    # imported here: of the other operations of this module none needs a turn
    from everself.conversation.resources import TurnOptions

    if not request.text.strip():
        raise WrongUse("There is nothing to say.", mend='everself ask "What do you know about me?"')
    chat = runtime.chat
    if caller.unwatched:
        await runtime.worker(lambda: _allow(runtime, caller))
    session, earlier = await runtime.worker(lambda: _begin(runtime, caller, request))
    options = TurnOptions(earlier, request.system, request.max_tokens, caller.unwatched)
    try:
        async for event in chat.converse(session, request.text, caller.scope.person or "", options):
            yield event
    finally:
        if not request.stay:
            await chat.close(session)


def _allow(runtime: "Runtime", caller: Caller) -> None:
    """Raises ModelFailed (spend) before anything is said where the day's budget is spent; within a turn it is asked again."""
    from everself.conversation.turn import job_of

    try:
        paid = runtime.chat.model.paid
    except ModelFailed:
        # what is said is kept all the same; the turn says why nobody answers
        return
    if paid:
        runtime.spend_meter.allow(job_of(caller.scope, unwatched=True))


def _begin(runtime: "Runtime", caller: Caller, request: ConverseRequest) -> "tuple[Session, str]":
    """The session to speak in, and what of the words before is strange to it."""
    from everself.conversation.sessions.log import said_elsewhere

    chat, scope, channel = runtime.chat, caller.scope, caller.channel
    if request.session or not request.earlier:
        return chat.begin(scope, channel, request.session), ""
    earlier = [(one.role, one.text) for one in request.earlier]
    found = runtime.log.continued(earlier, scope, channel)
    if found is not None:
        return chat.begin(scope, channel, found.id), ""
    return chat.begin(scope, channel), said_elsewhere(earlier)


@dataclass(frozen=True, slots=True)
class ContextReport:
    """`text` is the prompt, `prefix` its part that stays for as long as a conversation lasts, `delta` what this turn brings."""

    text: str
    prefix: str
    delta: str
    receipt: "Receipt"


class ContextRequest(Request):
    session_kind: Annotated[str, Option("For such a session.", "KIND[/PERSON]")] = "main"
    message: Annotated[str, Option("As if this were said, so that memory is searched for it.", "TEXT", slash=True)] = ""


@operation(
    "context",
    audience=Audience.OWNER,
    effect="read",
    slash="/prompt",
    examples=(
        ("everself context", "what the model is told when you begin to talk"),
        ('everself context --message "When is the rent due?" --explain', "with what is recalled, and what it costs"),
        ("everself context --session-kind group", "what it is told in company"),
        ("everself context --session-kind guest/anna", "in a private chat with somebody else"),
    ),
)
def show_context(runtime: "Runtime", _: Caller, request: ContextRequest) -> ContextReport:
    """Print the prompt as the model would get it."""
    from everself.conversation.context.request import SMALL_WINDOW, PromptRequest
    from everself.models.chat.findings import find_calling

    ask = PromptRequest(scope_of(request.session_kind), request.message)
    with suppress(ModelFailed):
        # a model that cannot be opened is told nothing; the prompt is shown as any other would get it
        model = runtime.chat_model()
        small = model.window < SMALL_WINDOW
        tools = find_calling(runtime.state, model.name) != "none"
        ask = replace(ask, window=model.window if small else None, tools=tools)
    # nobody speaks, so no search and no persona is recorded
    made = runtime.assembler.assemble(replace(ask, facts=runtime.facts(), recorded=False))
    return ContextReport(made.text, made.prefix.text, made.delta, made.receipt)


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


class AskRequest(Request):
    text: Annotated[str, Argument("What to say.", "TEXT|-", stdin=True, most=64 * 2**20)]
    resume: Annotated[str, Option("Go on with an earlier conversation.", "ID|last")] = ""


@operation(
    "ask",
    audience=Audience.OWNER,
    effect="write",
    makes_agent=True,
    # it runs an event loop of its own; chat.say gives the same reply
    http=False,
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
    await chat.close(session)
    return reply_of(events, app.agent.model)


def reply_of(events: Sequence[Event], model: str) -> Reply:
    """What the events of a whole turn come to."""
    done = next(one for one in reversed(events) if isinstance(one, Done))
    return Reply(
        session=next((one.session for one in events if isinstance(one, Accepted)), ""),
        message=done.message,
        text=done.text,
        model=model,
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
