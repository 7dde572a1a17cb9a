"""Operation: conversation. It returns the stream of events of one turn."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, nullcontext, suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from everself.conversation.context.request import SMALL_WINDOW, PromptRequest
from everself.conversation.events import Accepted, Done, Event, MemoryWritten, Notice, ToolReturned
from everself.conversation.tools.protocol import Written
from everself.errors import EverselfError, ModelFailed, WrongUse
from everself.frozen import Frozen
from everself.models.chat.protocol import Usage, takes_images
from everself.operations.caller import Audience, Caller
from everself.operations.client_turns import (
    ClientImage,
    ClientResult,
    ClientTool,
    EarlierMessage,
    Place,
    find_place,
    find_reply,
    schema_fault,
    session_of_message,
    tool_specs,
    with_strange,
)
from everself.operations.declaration import Argument, Option, Request, operation, owner_reads, owner_writes
from everself.operations.registry import get_operation
from everself.operations.search import catch_up, scope_of
from everself.operations.tools import may_use
from everself.runtime import Runtime
from everself.text.tokens import count

if TYPE_CHECKING:
    from everself.conversation.context.receipt import Receipt
    from everself.conversation.resources import TurnOptions


_EARLIER: Final = (
    "What was said before, where no session is named: the conversation that holds exactly this goes on. Else it is shown to the model as "
    "words from outside, and never remembered."
)


_ID: Final = (
    "An id of the program's for this message. Sent again with the same id, it is neither stored nor answered twice."
)
_RESULTS: Final = (
    "What the program's own tools gave, for calls that ended the turn before; with them there need be no text."
)


class ConverseRequest(Request):
    text: Annotated[str, Argument("What to say.")] = ""
    session: Annotated[str, Option("The id of the conversation to go on with, or last; a new one unless given.")] = ""
    stay: Annotated[bool, Option("Leave the conversation open: more is said in it.")] = False
    earlier: Annotated[tuple[EarlierMessage, ...], Option(_EARLIER)] = ()
    system: Annotated[str, Option("Instructions of the program that asks; they stand after the soul.")] = ""
    id: Annotated[str, Option(_ID)] = ""
    after: Annotated[str, Option("The id of an earlier turn's message, which this message follows.")] = ""
    beside: Annotated[
        tuple[str, ...], Option("Text that the program adds to the message; it does not count as said by anyone.")
    ] = ()
    by_program: Annotated[bool, Option("The text is the program's own and does not count as said by a person.")] = False
    images: Annotated[tuple[ClientImage, ...], Option("Images that come with the message.")] = ()
    tools: Annotated[tuple[ClientTool, ...], Option("Tools that the program runs; a call ends the turn.")] = ()
    results: Annotated[tuple[ClientResult, ...], Option(_RESULTS)] = ()
    must_call: Annotated[tuple[str, ...], Option("Of these tools one has to be called.")] = ()
    max_tokens: Annotated[int | None, Option("Tokens of the reply at most.", ge=1, le=10_000_000)] = None
    temperature: Annotated[float | None, Option("The sampling temperature.", ge=0, le=2)] = None
    top_p: Annotated[float | None, Option("Nucleus sampling: the share of probability to sample from.", ge=0, le=1)] = (
        None
    )
    seed: Annotated[int | None, Option("The seed for sampling.", ge=-(2**63), le=2**63 - 1)] = None
    parallel_tool_calls: Annotated[bool | None, Option("Whether several tools may be called in one step.")] = None
    stop: Annotated[tuple[str, ...], Option("Texts at which the reply ends.")] = ()
    schema: Annotated[dict[str, Any] | None, Option("A JSON schema: the reply is JSON of that shape.")] = None


@operation("chat.say", audience=Audience.GUEST, effect="write", command=False, stream=True)
async def converse(runtime: Runtime, caller: Caller, request: ConverseRequest) -> AsyncIterator[Event]:
    """Say something to the agent; its reply comes as events, Accepted first and Done last.

    Leaving early stops the reply; what was said is kept. A call of the program's own tool ends the turn as `tool_calls`; send the results
    with the next request.
    """
    # imported here: the other operations of this module do not need it
    from everself.conversation.acceptance import identity_of

    if not request.text.strip() and not request.results and not request.images:
        raise WrongUse("There is nothing to say.", mend='everself ask "What do you know about me?"')
    options = _options(runtime, caller, request)
    identity = identity_of(request.id, caller.scope, caller.channel) if request.id else ""
    async with runtime.chat.once(identity) if identity else nullcontext():
        known = await runtime.worker(lambda: find_reply(runtime, identity, request.text, request.results))
        if known is not None:
            for event in known:
                yield event
            return
        # closed here, so that no reply continues without a listener
        async with aclosing(_say(runtime, caller, request, replace(options, identity=identity))) as events:
            async for event in events:
                yield event


async def _say(
    runtime: Runtime, caller: Caller, request: ConverseRequest, options: "TurnOptions"
) -> AsyncGenerator[Event, None]:
    chat = runtime.chat
    place = await runtime.worker(lambda: _place(runtime, caller, request, options))
    placed = replace(options, earlier=place.earlier, results=place.results, identity=options.identity or place.message)
    text, options = with_strange(request.text, place, placed)
    try:
        async with aclosing(chat.converse(place.session, text, caller.scope.person or "", options)) as events:
            async for event in events:
                yield event
    finally:
        if not request.stay:
            await chat.close(place.session)


def _options(runtime: Runtime, caller: Caller, request: ConverseRequest) -> "TurnOptions":
    """Raises WrongUse for options that no model supports."""
    from everself.conversation.resources import TurnOptions

    if request.schema is not None and (words := schema_fault(request.schema)):
        raise WrongUse(f"The schema is not a valid JSON schema: {words}.")
    if unknown := set(request.must_call) - {one.name for one in request.tools}:
        raise WrongUse(f"There is no tool {min(unknown)[:64]} among the tools.")
    tools = [
        one
        for one in request.tools
        if not one.operation or not may_use(get_operation(one.operation), runtime, caller.scope)
    ]
    theirs = {one.name for one in tools}
    return TurnOptions(
        system=request.system,
        max_tokens=request.max_tokens,
        unwatched=caller.unwatched,
        beside=tuple(one for one in request.beside if one.strip()),
        by_program=request.by_program,
        images=tuple(one.read() for one in request.images),
        tools=tool_specs(tools),
        # a tool that runs here cannot end a turn, so it cannot be required
        must_call=tuple(one for one in request.must_call if one in theirs),
        temperature=request.temperature,
        top_p=request.top_p,
        seed=request.seed,
        parallel_tool_calls=request.parallel_tool_calls,
        stop=tuple(one for one in request.stop if one),
        schema=request.schema,
    )


def _allow(runtime: Runtime, caller: Caller, options: "TurnOptions") -> None:
    """Raises ModelFailed (spend) if the day's budget is spent, and WrongUse if the model does not take images. The budget is checked again
    within the turn."""
    from everself.conversation.turn import job_of

    try:
        model = runtime.chat.model
    except ModelFailed:
        # the message is stored anyway; the turn reports why there is no reply
        return
    if options.images and not takes_images(model):
        raise WrongUse(f"{model.name} does not accept images.", mend="everself model use PROVIDER/NAME")
    if caller.unwatched and model.paid:
        runtime.spend_meter.allow(job_of(caller.scope, unwatched=True))


def _place(runtime: Runtime, caller: Caller, request: ConverseRequest, options: "TurnOptions") -> Place:
    """Find the session, after checking that the message is allowed."""
    if caller.unwatched or options.images:
        _allow(runtime, caller, options)
    identity = options.identity
    known = session_of_message(runtime, identity) if identity else ""
    named, text = (known or request.session, request.after), "" if request.by_program else request.text
    return find_place(runtime, caller, named, request.earlier, request.results, text)


class ContextReport(Frozen):
    """`text` is the prompt, `prefix` its part that is constant for the conversation, `delta` the part for this turn.

    `history` is the number of tokens of the named conversation that would be sent between them. `cached` is the number of tokens that a
    provider's cache could serve, because they begin like the last request.
    """

    text: str
    prefix: str
    delta: str
    receipt: "Receipt"
    history: int = 0
    cached: int = 0


class ContextRequest(Request):
    session_kind: Annotated[str, Option("For such a session.", "KIND[/PERSON]")] = "main"
    message: Annotated[str, Option("As if this were said, so that memory is searched for it.", "TEXT", slash=True)] = ""
    session: Annotated[str, Option("As if the message were sent in this conversation.", "ID|last")] = ""


@owner_reads("context", slash="/prompt")
def show_context(runtime: Runtime, _: Caller, request: ContextRequest) -> ContextReport:
    """Print the prompt that the model would get.

    $ everself context  # what the model is told when you begin to talk
    $ everself context --message "When is the rent due?" --explain  # with what is recalled, and what it costs
    $ everself context --session-kind group  # what it is told in company
    $ everself context --session-kind guest/anna  # in a private chat with somebody else
    """
    from everself.models.chat.findings import find_calling

    ask = PromptRequest(scope_of(request.session_kind), request.message)
    with suppress(ModelFailed):
        # without a usable model, the prompt is shown with default limits
        model = runtime.chat_model()
        small = model.window < SMALL_WINDOW
        tools = find_calling(runtime.state, model.name) != "none"
        ask = replace(ask, window=model.window if small else None, tools=tools)
    # this is not a turn, so no search and no persona is recorded
    made = runtime.assembler.assemble(replace(ask, facts=runtime.facts(), recorded=False))
    history, cached = _sent_before(runtime, request.session, made.receipt)
    return ContextReport(made.text, made.prefix.text, made.delta, made.receipt, history, cached)


def _sent_before(runtime: Runtime, name: str, receipt: "Receipt") -> tuple[int, int]:
    """Count the tokens of the named conversation's history, and those that a cache could serve.

    Without a name, the history is empty and the last request of the newest conversation is compared.
    """
    newest = runtime.log.list(1)
    if not name and not newest:
        return 0, 0
    session = runtime.log.find(name) if name else newest[0]
    live = [one for one in runtime.log.messages(session) if one.seq > session.compacted]
    sizes = [count(one.content) for one in live]
    replied = [at for at, one in enumerate(live) if one.meta.get("receipt")]
    same = bool(replied) and live[replied[-1]].meta["receipt"].get("prefix") == receipt.prefix_hash
    if not name:
        return 0, receipt.prefix_tokens if same else 0
    # the reply itself was not part of the request
    before = count(session.summary) + sum(sizes[: replied[-1]]) if replied else 0
    return count(session.summary) + sum(sizes), receipt.prefix_tokens + before if same else 0


class Reply(Frozen):
    """The reply to a message. `model` is the name from the settings; `why` says how it ended; `tools` are the names of the called tools, in
    the order they ended."""

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
    resume: Annotated[str, Option("Continue an earlier conversation.", "ID|last")] = ""


@owner_writes(
    "ask",
    makes_agent=True,
    # it runs its own event loop; chat.say gives the same reply
    http=False,
)
def ask(runtime: Runtime, caller: Caller, request: AskRequest) -> Reply:
    """Send one message to the agent and print its reply.

    Your message is remembered as in a conversation. The exit code is 1 if the reply is incomplete; the part that arrived is printed.

    $ everself ask "What did I decide about the logo?"  # one answer, and nothing else on stdout
    $ git log -3 | everself ask - --json  # the message from stdin, the answer as JSON
    $ everself ask --resume last "And why?"  # go on with the last conversation
    """
    if not request.text.strip():
        raise WrongUse("There is nothing to say.", mend='everself ask "What do you know about me?"')
    return asyncio.run(_ask(runtime, caller, request))


async def _ask(app: Runtime, caller: Caller, request: AskRequest) -> Reply:
    chat = app.chat
    session = chat.begin(caller.scope, caller.channel, request.resume)
    events = [event async for event in chat.converse(session, request.text)]
    await chat.close(session)
    return reply_of(events, app.agent.model)


def reply_of(events: Sequence[Event], model: str) -> Reply:
    """Build the reply from the events of a whole turn."""
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


def embed_waiting(app: Runtime) -> None:
    """Embed waiting text after the answer, so that later searches find it by meaning. If that fails now, the next call retries."""
    # Ctrl-C ends only the waiting; finished batches are stored
    with suppress(EverselfError, KeyboardInterrupt):
        if app.agent.search.enabled:
            app.index.sync()
            catch_up(app)
