"""A conversation that another program leads: its loop and its model, with the agent's prompt, tools and memory.

    async with agent.session(channel="my-app") as s:
        prompt = await s.prompt(message)
        …  # send prompt.prefix and prompt.message to your model, with s.tools("openai"); run its calls with s.call(…)
        await s.record(user=message, assistant=reply)

`prompt` only reads. `call`, `observe` and `record` write what was said, each durable when it returns. Nothing here blocks the event loop:
the work is done in the agent's worker thread. Knows of vendors only the shape in which they take tools.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar, get_args

from everself.errors import WrongUse
from everself.models.chat.protocol import ToolCall, ToolSpec
from everself.operations.loop_calls import (
    LoopCall,
    RecordedTurn,
    SessionMessage,
    SessionPrompt,
    ToolResult,
    arguments_text,
    outside_source,
    stored_id,
)

if TYPE_CHECKING:
    from everself.operations.loop_turns import LoopTurns
    from everself.runtime import Runtime
    from everself.search.scopes import Scope

__all__ = ["AgentSession", "LoopCall", "RecordedTurn", "SessionMessage", "SessionPrompt", "ToolFormat", "ToolResult"]

ToolFormat = Literal["openai", "anthropic", "json-schema"]
T = TypeVar("T")
_CALL: Final = f"It has {', '.join(LoopCall.__slots__)}; name and result are needed."
# fields that vendors' calls have in addition to ours
_VENDORS: Final = frozenset({"type", "function", "input"})


class AgentSession:
    """One conversation, made by `Agent.session` and opened with `async with`.

    Turns are sequential; calls of one turn may run concurrently. Use one session per conversation: an agent can have any number, in any
    thread.
    """

    def __init__(self, runtime: "Runtime", scope: "Scope", channel: str, resume: str = "") -> None:
        self._runtime = runtime
        self._scope = scope
        self._channel = channel
        self._resume = resume
        self._opened: LoopTurns | None = None
        self._left = False

    async def __aenter__(self) -> Self:
        if self._opened is not None or self._left:
            raise WrongUse("A session is opened once.", mend="Call agent.session(…) again.")
        if self._runtime.closed:
            raise WrongUse("The agent is closed.", mend="Open it again with Agent.open(…).")
        self._opened = await self._work(self._open)
        return self

    def _open(self) -> "LoopTurns":
        # in the worker thread too, because the imports take longer than many calls
        from everself.operations.loop_turns import LoopTurns

        return LoopTurns(self._runtime, self._scope, self._channel, self._resume)

    async def __aexit__(self, *_: object) -> None:
        opened, self._opened, self._left = self._opened, None, True
        if opened is not None and not self._runtime.closed:
            await self._work(opened.close)

    @property
    def id(self) -> str:
        """The id of the conversation, for `everself sessions` and `agent.session(resume=…)`."""
        return self._turns.session.id

    async def prompt(self, message: str, *, window: int | None = None, id: str = "") -> SessionPrompt:
        """The prompt for the model, if the person says this. Nothing is stored; `record` does that.

        `message` is the person's own words: text that the model writes with tools is compared with it. `window` is the token limit of the
        prompt. `id` is as in `record`, needed if tools are called before the turn is recorded.
        """
        turns = self._turns
        if not message.strip():
            raise WrongUse("The message is empty.", mend="agent.context() gives the prompt without one.")
        return await self._work(lambda: turns.assemble(message, id, window))

    async def say(self, message: str, *, id: str = "") -> None:
        """Store the person's message before anything else. A `prompt` with the same words, calls and `record` then belong to it.

        Needed only if the message must be durable before a tool call or `record`.
        """
        turns = self._turns
        if not message.strip():
            raise WrongUse("The message is empty.")
        await self._work(lambda: turns.hear(message, id))

    async def messages(self) -> list[SessionMessage]:
        """The messages and calls of this conversation, oldest first, without forgotten text: a history to continue with."""
        turns = self._turns
        return await self._work(turns.messages)

    def tools(self, format: ToolFormat = "openai") -> list[Any]:
        """The agent's tools in an API's format: `openai` (chat completions), `anthropic` (messages), or `json-schema`, which is name,
        description and the JSON schema of the parameters. Guests get fewer tools."""
        if format not in get_args(ToolFormat):
            raise WrongUse(f'Unknown format: "{format}".', mend=f"One of {', '.join(get_args(ToolFormat))}.")
        return [_shaped(tool.spec, format) for tool in self._turns.tools.values()]

    async def call(self, name: str, arguments: str | Mapping[str, Any] = "{}", *, id: str = "") -> ToolResult:
        """Run a tool that the model called, with its arguments as JSON or as an object, and store the call with the turn.

        Errors are results to show the model, as in a chat: an unknown tool, invalid arguments, a missing permission. Text that the tool
        writes counts as the model's, except whole sentences that the person said in this message.
        """
        turns = self._turns
        call = ToolCall(stored_id(id), name, arguments_text(arguments))
        context = await self._work(lambda: turns.begin_call(call, id))
        done = await turns.run(call, context)
        return await self._work(lambda: turns.end_call(done, id))

    async def observe(
        self,
        name: str,
        result: str,
        *,
        arguments: str | Mapping[str, Any] = "{}",
        source: str = "tool",
        failed: bool = False,
        id: str = "",
    ) -> None:
        """Store the result of your own tool before the model sees it: later conclusions are trusted no more than it.

        `source` is `tool`, `web` for a page, `import` for a file, or `person:<id>`.
        """
        turns = self._turns
        seen = LoopCall(name, result, arguments_text(arguments), id, failed, outside_source(source))
        await self._work(lambda: turns.observe(seen))

    async def record(
        self, *, user: str | None = None, assistant: str | None = None, tool_calls: Iterable[object] = (), id: str = ""
    ) -> RecordedTurn:
        """Store a turn that your loop has run. When this returns, it is durable and memory has processed it.

        `user` is the person's message in their own words; by default the message given to `prompt`. `tool_calls` are those of your own
        tools, each a `LoopCall` or a mapping with its fields. Calls made with `call` or `observe` are already stored; they may be listed
        again, also as the vendor's own object and without results. With an `id` the turn is stored once, however often it is recorded, also
        by another process.
        """
        turns = self._turns
        said, reply, calls = _text(user, "user"), _text(assistant, "assistant"), [_loop_call(one) for one in tool_calls]
        return await self._work(lambda: turns.record(said, reply, calls, id))

    async def end(self) -> str:
        """End the conversation with a note about it, like `/new`, and continue in another. Returns the path of the note, if any."""
        turns = self._turns
        renewed = await self._runtime.chat.renew(turns.session)
        await self._work(lambda: turns.follow(renewed.session))
        return renewed.note

    @property
    def _turns(self) -> "LoopTurns":
        if self._left:
            raise WrongUse("The session is closed.", mend="Go on in it with agent.session(resume=…).")
        if self._opened is None:
            raise WrongUse("The session is not open.", mend="Use `async with agent.session(…) as s:`.")
        if self._runtime.closed:
            raise WrongUse("The agent is closed.", mend="Open it again with Agent.open(…).")
        return self._opened

    async def _work(self, work: Callable[[], T]) -> T:
        return await self._runtime.worker(work)


def _shaped(spec: ToolSpec, form: ToolFormat) -> dict[str, Any]:
    named = {"name": spec.name, "description": spec.description}
    schema = dict(spec.parameters)
    match form:
        case "openai":
            return {"type": "function", "function": {**named, "parameters": schema}}
        case "anthropic":
            return {**named, "input_schema": schema}
        case "json-schema":
            return {**named, "parameters": schema}


def _loop_call(given: object) -> LoopCall:
    """Check the call completely before anything is stored."""
    if isinstance(given, LoopCall):
        call = given
    else:
        # vendors' packages have calls as objects of their own
        dump = getattr(given, "model_dump", None)
        call = _read_call(dump() if callable(dump) else given, strict=not callable(dump))
    texts: tuple[object, ...] = (call.name, call.result or "")
    if not call.name or not all(isinstance(one, str) for one in texts):
        raise WrongUse(
            "The name and the result of a call in tool_calls must be strings.", mend="Give what was sent to the model."
        )
    return replace(call, arguments=arguments_text(call.arguments), source=outside_source(call.source))


def _read_call(given: object, *, strict: bool) -> LoopCall:
    if not isinstance(given, Mapping):
        raise WrongUse("A call in tool_calls is neither a LoopCall nor a mapping.", mend=_CALL)
    nested = given.get("function")
    flat: dict[str, Any] = {**given, **nested} if isinstance(nested, Mapping) else dict(given)
    if "input" in flat:
        flat.setdefault("arguments", flat["input"])
    unknown = flat.keys() - {*LoopCall.__slots__, *_VENDORS}
    if (strict and unknown) or "name" not in flat:
        named = f": {min(unknown)}" if unknown else ""
        raise WrongUse(f"A call in tool_calls has wrong or missing fields{named}.", mend=_CALL)
    return LoopCall(**{key: value for key, value in flat.items() if key in LoopCall.__slots__})


def _text(value: str | None, name: str) -> str:
    if value is not None and not isinstance(value, str):
        raise WrongUse(f"{name}= is not a text.", mend="Join the texts of its parts.")
    return value or ""
